import { DateTime, Effect, type Option, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { SqlClient, SqlSchema } from "effect/sql"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import { UserId } from "../../domain/ids.ts"
import { Member, SessionHolder, sessionLifetime } from "../../domain/session.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"
import { makeSha256 } from "../sha256.ts"

const tokenLength = 32

/** The only value that carries a session's token: just its hash is stored. */
export interface OpenedSession {
  readonly token: Redacted.Redacted
  readonly expiresAt: DateTime.Utc
}

export interface Sessions {
  readonly open: (member: Member) => Effect.Effect<OpenedSession, DatabaseUnavailable>
  /** The holder of a session that has neither expired nor been ended. */
  readonly find: (token: Redacted.Redacted) => Effect.Effect<Option.Option<SessionHolder>, DatabaseUnavailable>
  /** Ends a session; idempotent, and succeeds for an unknown one. */
  readonly end: (token: Redacted.Redacted) => Effect.Effect<void, DatabaseUnavailable>
  /** Ends all sessions of a user, in every workspace. */
  readonly endAll: (userId: UserId) => Effect.Effect<void, DatabaseUnavailable>
}

export const makeSessions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const random = yield* SecureRandom.SecureRandom
  const sha256 = yield* makeSha256

  const hashToken = (token: Redacted.Redacted) => sha256(Redacted.value(token))

  // Each insert also sweeps expired rows.
  const insert = SqlSchema.void({
    Request: Schema.Struct({ ...Member.fields, hash: Schema.Uint8Array, now: Timestamp, expiresAt: Timestamp }),
    execute: ({ expiresAt, hash, now, userId, workspaceId }) => sql`
      WITH swept AS (
        DELETE FROM sessions WHERE expires_at <= ${now}::timestamptz
      )
      INSERT INTO sessions (hash, user_id, workspace_id, created_at, expires_at)
      VALUES (${hash}::bytea, ${userId}::uuid, ${workspaceId}::uuid, ${now}::timestamptz, ${expiresAt}::timestamptz)`
  })

  const open: Sessions["open"] = Effect.fn("Repo.sessions.open")(function* (member) {
    const token = Redacted.make(Base64Url.encode(yield* random.randomBytes(tokenLength)))
    const now = yield* DateTime.now
    const expiresAt = DateTime.addDuration(now, sessionLifetime)
    yield* insert({ ...member, hash: yield* hashToken(token), now, expiresAt }).pipe(
      withDatabaseTimeout("opening a session")
    )
    return { token, expiresAt }
  })

  const findByHash = SqlSchema.findOneOption({
    Request: Schema.Struct({ hash: Schema.Uint8Array, now: Timestamp }),
    Result: SessionHolder,
    execute: ({ hash, now }) => sql`
      SELECT user_id AS "userId", workspace_id AS "workspaceId", m.role
      FROM sessions JOIN members m USING (user_id, workspace_id)
      WHERE hash = ${hash}::bytea AND expires_at > ${now}::timestamptz`
  })

  const find: Sessions["find"] = Effect.fn("Repo.sessions.find")(function* (token) {
    return yield* findByHash({ hash: yield* hashToken(token), now: yield* DateTime.now }).pipe(
      withDatabaseTimeout("looking up a session")
    )
  })

  const deleteByHash = SqlSchema.void({
    Request: Schema.Uint8Array,
    execute: (hash) => sql`DELETE FROM sessions WHERE hash = ${hash}::bytea`
  })

  const end: Sessions["end"] = Effect.fn("Repo.sessions.end")(function* (token) {
    yield* deleteByHash(yield* hashToken(token)).pipe(withDatabaseTimeout("ending a session"))
  })

  const deleteByUser = SqlSchema.void({
    Request: UserId,
    execute: (userId) => sql`DELETE FROM sessions WHERE user_id = ${userId}::uuid`
  })

  const endAll: Sessions["endAll"] = Effect.fn("Repo.sessions.endAll")(function* (userId) {
    yield* deleteByUser(userId).pipe(withDatabaseTimeout("ending a user's sessions"))
  })

  return { open, find, end, endAll } satisfies Sessions
})
