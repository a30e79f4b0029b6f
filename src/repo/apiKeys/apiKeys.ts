import { DateTime, type Duration, Effect, Option, Redacted, Schema } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import {
  apiKeyPrefix,
  formatApiKey,
  isWellFormedApiKey,
  type KeyHolder,
  Scope,
  secretBase,
  secretFromDigits,
  secretLength
} from "../../domain/apiKey.ts"
import { type DatabaseUnavailable, InvalidState, NotFound } from "../../domain/errors.ts"
import { ApiKeyId, nextApiKeyId, WorkspaceId } from "../../domain/ids.ts"
import { makeApiKeyLookup } from "./lookup.ts"
import { makeApiKeyUses } from "./lastUses.ts"
import { orUnavailable } from "../postgres/query.ts"
import { NullableTimestamp, Timestamp } from "../postgres/rows.ts"

/** A key as it may be shown: everything but the key itself. */
export const ApiKey = Schema.Struct({
  id: ApiKeyId,
  workspaceId: WorkspaceId,
  name: Schema.String,
  prefix: Schema.String,
  scopes: Schema.Array(Scope),
  requiresApproval: Schema.Boolean,
  createdAt: Timestamp,
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
  readonly expiresIn: Duration.Duration | null
}

/** A key that was just made: this once it can be shown. */
export interface MadeApiKey {
  readonly key: Redacted.Redacted
  readonly stored: ApiKey
}

export interface ApiKeys {
  /** Makes a key and answers it, this once; only its hash is stored. Fails with NotFound for an unknown workspace. */
  readonly create: (key: NewApiKey) => Effect.Effect<MadeApiKey, NotFound | DatabaseUnavailable>
  readonly list: (workspaceId: WorkspaceId | null) => Effect.Effect<ReadonlyArray<ApiKey>, DatabaseUnavailable>
  /**
   * The holder of a key that is known, not expired and not revoked. What was found is remembered for some seconds, so a
   * key that another process revokes goes on working for up to five. Notes that the key was used.
   */
  readonly find: (key: Redacted.Redacted) => Effect.Effect<Option.Option<KeyHolder>, DatabaseUnavailable>
  readonly revoke: (id: ApiKeyId) => Effect.Effect<ApiKey, NotFound | DatabaseUnavailable>
  /**
   * Makes a key that may do the same, and lets the old one end after `overlap`. Where the old one was made to end, the
   * new one lasts as long as it was meant to. InvalidState where the old one has ended or was rotated before.
   */
  readonly rotate: (
    id: ApiKeyId,
    overlap: Duration.Duration
  ) => Effect.Effect<MadeApiKey, NotFound | InvalidState | DatabaseUnavailable>
}

const columns = `id, workspace_id AS "workspaceId", name, prefix, scopes, requires_approval AS "requiresApproval",
  created_at AS "createdAt", expires_at AS "expiresAt", rotated_at AS "rotatedAt", revoked_at AS "revokedAt", last_used_at AS "lastUsedAt"`

export const makeApiKeys = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const digest = yield* Digest.Digest
  const random = yield* SecureRandom.SecureRandom

  const lookup = yield* makeApiKeyLookup
  const uses = yield* makeApiKeyUses

  const hash = (key: string) => digest.digestHex(Digest.sha256, new TextEncoder().encode(key))

  const nextKey = Effect.map(Effect.replicateEffect(random.intBetween(0, secretBase - 1), secretLength), (digits) =>
    formatApiKey(secretFromDigits(digits))
  )

  const decodeStored = Schema.decodeUnknownEffect(Schema.Array(ApiKey))

  const create: ApiKeys["create"] = Effect.fn("Repo.apiKeys.create")(function* (asked) {
    const key = yield* nextKey
    const id = yield* nextApiKeyId
    const now = yield* DateTime.now
    const expiresAt = asked.expiresIn === null ? null : DateTime.toDateUtc(DateTime.addDuration(now, asked.expiresIn))
    const [stored] = yield* sql`
      INSERT INTO api_keys (id, workspace_id, name, prefix, hash, scopes, requires_approval, created_at, expires_at)
      SELECT ${id}::uuid, w.id, ${asked.name}, ${apiKeyPrefix(key)}, decode(${yield* hash(key)}, 'hex'), ${asked.scopes}::text[],
        ${asked.requiresApproval}::boolean, ${DateTime.toDateUtc(now)}::timestamptz, ${expiresAt}::timestamptz
      FROM workspaces w WHERE w.id = ${asked.workspaceId}::uuid
      RETURNING ${sql.literal(columns)}`.pipe(Effect.flatMap(decodeStored), orUnavailable("creating a key"))
    if (stored === undefined) return yield* new NotFound({ message: `There is no workspace ${asked.workspaceId}` })
    return { key: Redacted.make(key), stored }
  })

  const list: ApiKeys["list"] = Effect.fn("Repo.apiKeys.list")((workspaceId) =>
    sql`SELECT ${sql.literal(columns)} FROM api_keys
      WHERE workspace_id = coalesce(${workspaceId}::uuid, workspace_id) ORDER BY id`.pipe(
      Effect.flatMap(decodeStored),
      orUnavailable("listing keys")
    )
  )

  const find: ApiKeys["find"] = Effect.fn("Repo.apiKeys.find")(function* (key) {
    if (!isWellFormedApiKey(Redacted.value(key))) return Option.none()
    const holder = yield* lookup.find(yield* hash(Redacted.value(key)))
    if (Option.isSome(holder)) yield* uses.note(holder.value.keyId)
    return holder
  })

  const revoke: ApiKeys["revoke"] = Effect.fn("Repo.apiKeys.revoke")(function* (id) {
    const now = DateTime.toDateUtc(yield* DateTime.now)
    const [revoked] = yield* sql`UPDATE api_keys SET revoked_at = coalesce(revoked_at, ${now}::timestamptz)
      WHERE id = ${id}::uuid RETURNING ${sql.literal(columns)}`.pipe(
      Effect.flatMap(decodeStored),
      orUnavailable("revoking a key")
    )
    yield* lookup.forgetAll
    return revoked ?? (yield* new NotFound({ message: `There is no key ${id}` }))
  })

  const rotate: ApiKeys["rotate"] = Effect.fn("Repo.apiKeys.rotate")(function* (id, overlap) {
    const key = yield* nextKey
    const newId = yield* nextApiKeyId
    const now = yield* DateTime.now
    const moment = DateTime.toDateUtc(now)
    const end = DateTime.toDateUtc(DateTime.addDuration(now, overlap))
    const [stored] = yield* sql`
      WITH old AS MATERIALIZED (
        SELECT * FROM api_keys WHERE id = ${id}::uuid AND revoked_at IS NULL AND rotated_at IS NULL
          AND (expires_at IS NULL OR expires_at > ${moment}::timestamptz) FOR UPDATE
      ), ending AS (
        UPDATE api_keys k SET expires_at = least(k.expires_at, ${end}::timestamptz), rotated_at = ${moment}::timestamptz
        FROM old WHERE k.id = old.id
      )
      INSERT INTO api_keys (id, workspace_id, name, prefix, hash, scopes, requires_approval, created_at, expires_at)
      SELECT ${newId}::uuid, workspace_id, name, ${apiKeyPrefix(key)}, decode(${yield* hash(key)}, 'hex'), scopes,
        requires_approval, ${moment}::timestamptz, ${moment}::timestamptz + (expires_at - created_at)
      FROM old RETURNING ${sql.literal(columns)}`.pipe(Effect.flatMap(decodeStored), orUnavailable("rotating a key"))
    if (stored !== undefined) return { key: Redacted.make(key), stored }
    const [found] = yield* sql`SELECT ${sql.literal(columns)} FROM api_keys WHERE id = ${id}::uuid`.pipe(
      Effect.flatMap(decodeStored),
      orUnavailable("rotating a key")
    )
    if (found === undefined) return yield* new NotFound({ message: `There is no key ${id}` })
    return yield* new InvalidState({
      message:
        found.rotatedAt === null || found.revokedAt !== null
          ? `The key ${id} has ended; create a new one`
          : `The key ${id} was rotated before; rotate the one that replaced it`
    })
  })

  return { create, list, find, revoke, rotate } satisfies ApiKeys
})
