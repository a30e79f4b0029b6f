import { DateTime, Duration, Effect, Option, Redacted, Schema } from "effect"
import { Hex } from "effect/encoding"
import { SqlClient, SqlSchema } from "effect/sql"
import { type CredentialsUnreadable, type DatabaseUnavailable, NotFound } from "../../domain/errors.ts"
import { ApiKeyId, WorkspaceId } from "../../domain/ids.ts"
import { LivePlatform } from "../../domain/platform.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"
import { makeSha256 } from "../sha256.ts"
import { CredentialCipher } from "./CredentialCipher.ts"

const lifetime = Duration.minutes(15)

export interface OAuthState {
  readonly platform: LivePlatform
  readonly workspaceId: WorkspaceId
  readonly verifier: Redacted.Redacted
  /** Only this session can complete the authorization. Absent if it was not begun in a browser. */
  readonly begunIn?: { readonly session: Redacted.Redacted; readonly returnTo: string }
  /** The key must still be valid on completion. */
  readonly byKey?: ApiKeyId
}

const Begun = Schema.Struct({
  workspaceId: WorkspaceId,
  returnTo: Schema.NullOr(Schema.String),
  /** If true, the authorization must not be completed. */
  isOtherSession: Schema.Boolean,
  /** Null on the command line, or if the previous version began it. */
  byKey: Schema.NullOr(ApiKeyId)
})

export type BegunOAuthState = typeof Begun.Type & Pick<OAuthState, "verifier">

const ShownOAuthState = Schema.Struct({
  ...Begun.fields,
  workspaceName: Schema.String,
  keyName: Schema.NullOr(Schema.String)
})
export type ShownOAuthState = typeof ShownOAuthState.Type

export interface OAuthStates {
  /** Returns the time of expiry. */
  readonly begin: (
    state: string,
    authorization: OAuthState
  ) => Effect.Effect<DateTime.Utc, NotFound | DatabaseUnavailable>
  readonly find: (
    platform: LivePlatform,
    state: string,
    session: Option.Option<Redacted.Redacted>
  ) => Effect.Effect<Option.Option<ShownOAuthState>, DatabaseUnavailable>
  /**
   * A state works once. Returns none if it is unknown, used or expired, or for another platform, where it stays valid.
   * `session` is the completing browser's.
   */
  readonly take: (
    platform: LivePlatform,
    state: string,
    session: Option.Option<Redacted.Redacted>
  ) => Effect.Effect<Option.Option<BegunOAuthState>, CredentialsUnreadable | DatabaseUnavailable>
}

// Associated data of each stored verifier. Another text would make pending links undecryptable.
const verifierCell = (hash: Uint8Array) => `authorisations/${Hex.encode(hash)}/verifier`

export const makeOAuthStates = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const cipher = yield* CredentialCipher
  const sha256 = yield* makeSha256

  // Also deletes expired rows of any workspace, except locked rows.
  const insert = SqlSchema.findOne({
    Request: Schema.Struct({
      hash: Schema.Uint8Array,
      platform: LivePlatform,
      workspaceId: WorkspaceId,
      sealed: Schema.Uint8Array,
      sessionHash: Schema.NullOr(Schema.Uint8Array),
      returnTo: Schema.NullOr(Schema.String),
      byKey: Schema.NullOr(ApiKeyId),
      now: Timestamp,
      expiresAt: Timestamp
    }),
    Result: Schema.Struct({ workspaceId: WorkspaceId }),
    execute: ({ byKey, expiresAt, hash, now, platform, returnTo, sealed, sessionHash, workspaceId }) => sql`
      WITH swept AS (
        DELETE FROM authorisations WHERE hash IN (
          SELECT hash FROM authorisations WHERE expires_at <= ${now}::timestamptz LIMIT 1000 FOR UPDATE SKIP LOCKED)
      )
      INSERT INTO authorisations (
        hash, platform, workspace_id, verifier, expires_at, session_hash, return_to, created_by_key)
      SELECT ${hash}::bytea, ${platform}::text, id, ${sealed}::bytea, ${expiresAt}::timestamptz, ${sessionHash}::bytea,
        ${returnTo}::text, ${byKey}::uuid
      FROM workspaces WHERE id = ${workspaceId}::uuid
      RETURNING workspace_id AS "workspaceId"`
  })

  const begin: OAuthStates["begin"] = Effect.fn("Repo.oauthStates.begin")(function* (
    state,
    { begunIn, byKey = null, platform, verifier, workspaceId }
  ) {
    const now = yield* DateTime.now
    const hash = yield* sha256(state)
    const sealed = yield* cipher.seal(verifierCell(hash), verifier)
    const expiresAt = DateTime.addDuration(now, lifetime)
    const sessionHash = begunIn === undefined ? null : yield* sha256(Redacted.value(begunIn.session))
    yield* insert({
      hash,
      platform,
      workspaceId,
      sealed,
      sessionHash,
      returnTo: begunIn?.returnTo ?? null,
      byKey,
      now,
      expiresAt
    }).pipe(
      Effect.catchTag("NoSuchElementError", () => new NotFound({ message: `There is no workspace ${workspaceId}` })),
      withDatabaseTimeout("beginning an OAuth authorization")
    )
    return expiresAt
  })

  const Key = Schema.Struct({
    hash: Schema.Uint8Array,
    platform: LivePlatform,
    sessionHash: Schema.NullOr(Schema.Uint8Array),
    now: Timestamp
  })

  const columns = (sessionHash: Uint8Array | null) => sql`a.workspace_id AS "workspaceId", a.return_to AS "returnTo",
    a.session_hash IS NOT NULL AND a.session_hash IS DISTINCT FROM ${sessionHash}::bytea AS "isOtherSession",
    a.created_by_key AS "byKey"`

  // The previous version stores no platform, and knows only X.
  const isAwaited = ({ hash, now, platform }: typeof Key.Encoded) => sql`a.hash = ${hash}::bytea
    AND coalesce(a.platform, 'twitter') = ${platform}::text AND a.expires_at > ${now}::timestamptz`

  const findByHash = SqlSchema.findOneOption({
    Request: Key,
    Result: ShownOAuthState,
    execute: (key) => sql`
      SELECT ${columns(key.sessionHash)}, w.name AS "workspaceName", k.name AS "keyName"
      FROM authorisations a JOIN workspaces w ON w.id = a.workspace_id
      LEFT JOIN api_keys k ON k.id = a.created_by_key AND k.workspace_id = a.workspace_id
      WHERE ${isAwaited(key)}`
  })

  const remove = SqlSchema.findOneOption({
    Request: Key,
    Result: Schema.Struct({ ...Begun.fields, verifier: Schema.Uint8Array }),
    execute: (key) => sql`
      DELETE FROM authorisations a WHERE ${isAwaited(key)} RETURNING ${columns(key.sessionHash)}, a.verifier`
  })

  const keyOf = Effect.fnUntraced(function* (
    platform: LivePlatform,
    state: string,
    session: Option.Option<Redacted.Redacted>
  ) {
    const hash = yield* sha256(state)
    const sessionHash = Option.isNone(session) ? null : yield* sha256(Redacted.value(session.value))
    return { hash, platform, sessionHash, now: yield* DateTime.now }
  })

  const find: OAuthStates["find"] = Effect.fn("Repo.oauthStates.find")(function* (platform, state, session) {
    const key = yield* keyOf(platform, state, session)
    return yield* findByHash(key).pipe(withDatabaseTimeout("reading an OAuth authorization"))
  })

  const take: OAuthStates["take"] = Effect.fn("Repo.oauthStates.take")(function* (platform, state, session) {
    const key = yield* keyOf(platform, state, session)
    const taken = yield* remove(key).pipe(withDatabaseTimeout("completing an OAuth authorization"))
    if (Option.isNone(taken)) return Option.none()
    const { verifier, ...begun } = taken.value
    return Option.some({ ...begun, verifier: yield* cipher.open(verifierCell(key.hash), verifier) })
  })

  return { begin, find, take } satisfies OAuthStates
})
