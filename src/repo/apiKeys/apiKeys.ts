import { DateTime, type Duration, Effect, Exit, Option, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, SqlSchema } from "effect/sql"
import {
  apiKeyPrefix,
  formatApiKey,
  isWellFormedApiKey,
  type KeyHolder,
  KeyPurpose,
  maxKeys,
  Scope,
  secretBase,
  secretFromDigits,
  secretLength
} from "../../domain/people/apiKey.ts"
import { type DatabaseUnavailable, InvalidState, KeyLimit, NotFound } from "../../domain/errors.ts"
import { ApiKeyId, nextApiKeyId, WorkspaceId } from "../../domain/ids.ts"
import type { Authority } from "../../domain/people/authority.ts"
import { NamedAuthor } from "../../domain/people/namedAuthor.ts"
import { type AuthorityError, makeAuthority } from "../people/authority.ts"
import { AuthorIds, authorIds, authorJson } from "../postgres/author.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { makeLockWorkspace } from "../postgres/lockWorkspace.ts"
import { NullableTimestamp, Timestamp } from "../postgres/rows.ts"
import { isDone } from "../isDone.ts"
import { sha256Hex } from "../sha256.ts"
import { makeLastUses } from "./lastUses.ts"
import { makeListen } from "./changedKeys.ts"
import type { ApiKeyLookup } from "./lookup.ts"
import { StoredPurpose } from "./purpose.ts"
import { splitScopes, StoredScopes } from "./scopes.ts"

export const ApiKey = Schema.Struct({
  id: ApiKeyId,
  workspaceId: WorkspaceId,
  name: Schema.String,
  prefix: Schema.String,
  scopes: StoredScopes,
  requiresApproval: Schema.Boolean,
  purpose: StoredPurpose,
  createdAt: Timestamp,
  /** Null if unknown, or if an operator created it. */
  createdBy: Schema.NullOr(NamedAuthor),
  expiresAt: NullableTimestamp,
  rotatedAt: NullableTimestamp,
  revokedAt: NullableTimestamp,
  lastUsedAt: NullableTimestamp
})
export type ApiKey = typeof ApiKey.Type

export interface NewApiKey {
  readonly workspaceId: WorkspaceId
  readonly name: string
  readonly scopes: ReadonlyArray<Scope>
  readonly requiresApproval: boolean
  readonly purpose?: KeyPurpose
  readonly expiresIn: Duration.Duration | null
  /** Absent on the command line. */
  readonly by?: Authority
}

export interface KeyChange {
  readonly workspaceId?: WorkspaceId
  readonly by?: Authority
}

/** Only the hash of the key is stored. */
export interface CreatedApiKey {
  readonly key: Redacted.Redacted
  readonly stored: ApiKey
}

export interface ApiKeys {
  readonly create: (
    key: NewApiKey
  ) => Effect.Effect<CreatedApiKey, NotFound | KeyLimit | AuthorityError | DatabaseUnavailable>
  /** Oldest first. Only the latest ended keys are listed. */
  readonly list: (workspaceId: WorkspaceId | null) => Effect.Effect<ReadonlyArray<ApiKey>, DatabaseUnavailable>
  /**
   * Records the use of a valid key. Results are cached: a key that another process revokes works until the notification
   * arrives, or for up to five seconds.
   */
  readonly find: (key: Redacted.Redacted) => Effect.Effect<Option.Option<KeyHolder>, DatabaseUnavailable>
  /**
   * Like `find`, but returns none if the last lookup found the key invalid, or if the lookup fails. A cached result is
   * an Exit, which needs no fiber. The key is plain text, because redacting takes longer than the lookup.
   */
  readonly findKnown: (key: string) => Effect.Effect<Option.Option<KeyHolder>>
  /**
   * Clears the cache, because changes may have been missed. Then forgets keys that any process revokes or rotates,
   * until the connection is lost.
   */
  readonly listen: Effect.Effect<never, DatabaseUnavailable>
  readonly revoke: (
    id: ApiKeyId,
    change?: KeyChange
  ) => Effect.Effect<ApiKey, NotFound | AuthorityError | DatabaseUnavailable>
  /**
   * The new key has the same permissions and lifetime; the old one expires after `overlap`. Fails with InvalidState if
   * the old key has ended or was rotated before.
   */
  readonly rotate: (
    id: ApiKeyId,
    overlap: Duration.Duration,
    change?: KeyChange
  ) => Effect.Effect<CreatedApiKey, NotFound | InvalidState | KeyLimit | AuthorityError | DatabaseUnavailable>
}

const KeyAddress = Schema.Struct({ id: ApiKeyId, workspaceId: Schema.NullOr(WorkspaceId) })

const maxEndedListed = 1_000

const unknownKey = new NotFound({ message: "There is no such key" })

export const makeApiKeys = Effect.fnUntraced(function* (lookup: ApiKeyLookup) {
  const sql = yield* SqlClient.SqlClient
  const { hold } = yield* makeAuthority
  const lockWorkspace = yield* makeLockWorkspace
  const random = yield* SecureRandom.SecureRandom
  const lastUses = yield* makeLastUses

  const columns = sql.literal(`id, workspace_id AS "workspaceId", name, prefix,
    scopes || more_scopes AS scopes, requires_approval AS "requiresApproval", purpose, created_at AS "createdAt",
    ${authorJson("NULL::uuid", "api_keys.created_by_user", "api_keys.workspace_id")} AS "createdBy", expires_at AS "expiresAt",
    rotated_at AS "rotatedAt", revoked_at AS "revokedAt", last_used_at AS "lastUsedAt"`)

  const nextKey = Effect.map(Effect.replicateEffect(random.intBetween(0, secretBase - 1), secretLength), (digits) =>
    formatApiKey(secretFromDigits(digits))
  )

  const insert = SqlSchema.findOne({
    Request: Schema.Struct({
      id: ApiKeyId,
      workspaceId: WorkspaceId,
      name: Schema.String,
      prefix: Schema.String,
      hash: Schema.String,
      scopes: Schema.Array(Scope),
      moreScopes: Schema.Array(Scope),
      requiresApproval: Schema.Boolean,
      purpose: Schema.NullOr(KeyPurpose),
      byUser: AuthorIds.fields.byUser,
      createdAt: Timestamp,
      expiresAt: NullableTimestamp
    }),
    Result: ApiKey,
    execute: (key) => sql`
      INSERT INTO api_keys (id, workspace_id, name, prefix, hash, scopes, more_scopes, requires_approval, purpose,
        created_by_user, created_at, expires_at)
      SELECT ${key.id}::uuid, w.id, ${key.name}, ${key.prefix}, decode(${key.hash}, 'hex'), ${key.scopes}::text[],
        ${key.moreScopes}::text[], ${key.requiresApproval}::boolean, ${key.purpose}::text, ${key.byUser}::uuid, ${key.createdAt}::timestamptz,
        ${key.expiresAt}::timestamptz
      FROM workspaces w WHERE w.id = ${key.workspaceId}::uuid
      RETURNING ${columns}`
  })

  const count = SqlSchema.findOne({
    Request: Schema.Struct({ workspaceId: WorkspaceId, now: Timestamp }),
    Result: Schema.Struct({ count: Schema.Int }),
    execute: ({ now, workspaceId }) => sql`
      SELECT count(*)::int AS count FROM api_keys WHERE workspace_id = ${workspaceId}::uuid
        AND (created_at > ${now}::timestamptz - interval '1 day' OR (revoked_at IS NULL
          AND (expires_at IS NULL OR expires_at > ${now}::timestamptz)))`
  })

  /** The lock on the workspace keeps concurrent calls within the limit. */
  const within = <A, E, R>(
    workspaceId: WorkspaceId,
    by: Authority | undefined,
    now: DateTime.Utc,
    add: Effect.Effect<A, E, R>
  ) =>
    Effect.gen(function* () {
      yield* lockWorkspace(workspaceId)
      yield* hold(by)
      if ((yield* count({ workspaceId, now })).count >= maxKeys) return yield* new KeyLimit()
      return yield* add
    }).pipe(sql.withTransaction)

  const create: ApiKeys["create"] = Effect.fn("Repo.apiKeys.create")(function* ({
    by,
    expiresIn,
    purpose = null,
    ...newKey
  }) {
    const key = yield* nextKey
    const id = yield* nextApiKeyId
    const hash = sha256Hex(key)
    const createdAt = yield* DateTime.now
    const expiresAt = expiresIn === null ? null : DateTime.addDuration(createdAt, expiresIn)
    const { byUser } = authorIds(by?.author)
    const scopes = splitScopes(newKey.scopes)
    const row = { ...newKey, ...scopes, purpose, id, prefix: apiKeyPrefix(key), hash, byUser, createdAt, expiresAt }
    const stored = yield* within(newKey.workspaceId, by, createdAt, insert(row)).pipe(
      Effect.catchTag(
        "NoSuchElementError",
        () => new NotFound({ message: `There is no workspace ${newKey.workspaceId}` })
      ),
      withDatabaseTimeout("creating a key")
    )
    return { key: Redacted.make(key), stored }
  })

  const findAll = SqlSchema.findAll({
    Request: Schema.Struct({ workspaceId: Schema.NullOr(WorkspaceId), now: Timestamp }),
    Result: ApiKey,
    execute: ({ now, workspaceId }) => sql`
      WITH own AS (
        SELECT *, coalesce(revoked_at, expires_at) <= ${now}::timestamptz AS ended FROM api_keys
        WHERE workspace_id = coalesce(${workspaceId}::uuid, workspace_id)
      ), listed AS (
        SELECT * FROM own WHERE ended IS NOT TRUE
        UNION ALL (SELECT * FROM own WHERE ended ORDER BY id DESC LIMIT ${maxEndedListed}::int)
      )
      SELECT ${columns} FROM listed api_keys ORDER BY id`
  })

  const list: ApiKeys["list"] = Effect.fn("Repo.apiKeys.list")(function* (workspaceId) {
    return yield* findAll({ workspaceId, now: yield* DateTime.now }).pipe(withDatabaseTimeout("listing keys"))
  })

  // No span and no generator, because every request runs these functions.
  const recordUse = (holder: Option.Option<KeyHolder>): Option.Option<KeyHolder> => {
    if (Option.isSome(holder)) lastUses.record(holder.value.keyId)
    return holder
  }

  const find: ApiKeys["find"] = (key) =>
    isWellFormedApiKey(Redacted.value(key))
      ? Effect.map(lookup.find(sha256Hex(Redacted.value(key))), recordUse)
      : Effect.succeedNone

  // A malformed key is not cached.
  const findKnown: ApiKeys["findKnown"] = (key) => {
    const found = lookup.findKnown(sha256Hex(key))
    return isDone(found) ? Exit.map(found, recordUse) : Effect.map(found, recordUse)
  }

  const markRevoked = SqlSchema.findOne({
    Request: Schema.Struct({ ...KeyAddress.fields, now: Timestamp }),
    Result: ApiKey,
    execute: ({ id, now, workspaceId }) => sql`
      UPDATE api_keys SET revoked_at = coalesce(revoked_at, ${now}::timestamptz)
      WHERE id = ${id}::uuid AND workspace_id = coalesce(${workspaceId}::uuid, workspace_id) RETURNING ${columns}`
  })

  const revoke: ApiKeys["revoke"] = Effect.fn("Repo.apiKeys.revoke")(function* (id, { by, workspaceId = null } = {}) {
    const revoking = markRevoked({ id, workspaceId, now: yield* DateTime.now })
    const revoked = yield* sql.withTransaction(Effect.andThen(hold(by), revoking)).pipe(
      Effect.catchTag("NoSuchElementError", () => Effect.fail(unknownKey)),
      withDatabaseTimeout("revoking a key")
    )
    yield* lookup.forgetAll
    return revoked
  })

  const replace = SqlSchema.findOneOption({
    Request: Schema.Struct({
      ...KeyAddress.fields,
      newId: ApiKeyId,
      prefix: Schema.String,
      hash: Schema.String,
      byUser: AuthorIds.fields.byUser,
      now: Timestamp,
      overlapEnd: Timestamp
    }),
    Result: ApiKey,
    execute: ({ byUser, hash, id, newId, now, overlapEnd, prefix, workspaceId }) => sql`
      WITH old AS MATERIALIZED (
        SELECT * FROM api_keys
        WHERE id = ${id}::uuid AND workspace_id = coalesce(${workspaceId}::uuid, workspace_id) AND revoked_at IS NULL AND rotated_at IS NULL
          AND (expires_at IS NULL OR expires_at > ${now}::timestamptz) FOR UPDATE
      ), ending AS (
        UPDATE api_keys k SET expires_at = least(k.expires_at, ${overlapEnd}::timestamptz),
          rotated_at = ${now}::timestamptz
        FROM old WHERE k.id = old.id
      )
      INSERT INTO api_keys (id, workspace_id, name, prefix, hash, scopes, more_scopes, requires_approval,
        purpose, created_by_user, created_at, expires_at, rotated_from)
      SELECT ${newId}::uuid, workspace_id, name, ${prefix}, decode(${hash}, 'hex'), scopes, more_scopes,
        requires_approval, purpose, ${byUser}::uuid, ${now}::timestamptz, ${now}::timestamptz + (expires_at - created_at), id
      FROM old RETURNING ${columns}`
  })

  const findById = SqlSchema.findOne({
    Request: KeyAddress,
    Result: ApiKey,
    execute: ({ id, workspaceId }) => sql`
      SELECT ${columns} FROM api_keys
      WHERE id = ${id}::uuid AND workspace_id = coalesce(${workspaceId}::uuid, workspace_id)`
  })

  const rotate: ApiKeys["rotate"] = Effect.fn("Repo.apiKeys.rotate")(function* (
    id,
    overlap,
    { by, workspaceId = null } = {}
  ) {
    const read = findById({ id, workspaceId }).pipe(
      Effect.catchTag("NoSuchElementError", () => Effect.fail(unknownKey)),
      withDatabaseTimeout("rotating a key")
    )
    const key = yield* nextKey
    const newId = yield* nextApiKeyId
    const hash = sha256Hex(key)
    const now = yield* DateTime.now
    const overlapEnd = DateTime.addDuration(now, overlap)
    const { byUser } = authorIds(by?.author)
    const row = { id, workspaceId, newId, prefix: apiKeyPrefix(key), hash, byUser, now, overlapEnd }
    const stored = yield* within((yield* read).workspaceId, by, now, replace(row)).pipe(
      Effect.catchTag("NoSuchElementError", Effect.die),
      withDatabaseTimeout("rotating a key")
    )
    yield* lookup.forgetAll
    if (Option.isSome(stored)) return { key: Redacted.make(key), stored: stored.value }
    const old = yield* read
    return yield* new InvalidState({
      message:
        old.rotatedAt === null || old.revokedAt !== null
          ? `The key ${id} has ended; create a new one`
          : `The key ${id} was already rotated; rotate the key that replaced it`
    })
  })

  return { create, list, find, findKnown, listen: yield* makeListen(lookup), revoke, rotate } satisfies ApiKeys
})
