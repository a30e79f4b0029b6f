import { DateTime, Effect, type Option, Redacted, Schema } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { SqlClient, SqlSchema } from "effect/sql"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import type { UserId } from "../../domain/ids.ts"
import { SessionHolder, sessionLifetime } from "../../domain/session.ts"
import { orUnavailable } from "../postgres/query.ts"

const tokenLength = 32

/** A session that was just opened: this once its token can be handed out. */
export interface OpenedSession {
  readonly token: Redacted.Redacted
  readonly expiresAt: DateTime.Utc
}

export interface Sessions {
  /** Opens a session and answers its token, this once; only its hash is stored. */
  readonly open: (holder: SessionHolder) => Effect.Effect<OpenedSession, DatabaseUnavailable>
  /** The holder of a session that has not ended. */
  readonly find: (token: Redacted.Redacted) => Effect.Effect<Option.Option<SessionHolder>, DatabaseUnavailable>
  /** Ends a session; one that is unknown or has ended is as good as ended. */
  readonly end: (token: Redacted.Redacted) => Effect.Effect<void, DatabaseUnavailable>
  /** Ends all sessions of a user, in every workspace. */
  readonly endAll: (userId: UserId) => Effect.Effect<void, DatabaseUnavailable>
}

export const makeSessions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const digest = yield* Digest.Digest
  const random = yield* SecureRandom.SecureRandom

  const hash = (token: Redacted.Redacted) =>
    digest.digest(Digest.sha256, new TextEncoder().encode(Redacted.value(token)))

  const open: Sessions["open"] = Effect.fn("Repo.sessions.open")(function* (holder) {
    const token = Redacted.make(Base64Url.encode(yield* random.randomBytes(tokenLength)))
    const now = yield* DateTime.now
    const expiresAt = DateTime.addDuration(now, sessionLifetime)
    // Sessions that have run out go when the next one is opened.
    yield* sql`
      WITH swept AS (DELETE FROM sessions WHERE expires_at <= ${DateTime.toDateUtc(now)}::timestamptz)
      INSERT INTO sessions (hash, user_id, workspace_id, created_at, expires_at)
      VALUES (${yield* hash(token)}::bytea, ${holder.userId}::uuid, ${holder.workspaceId}::uuid,
        ${DateTime.toDateUtc(now)}::timestamptz, ${DateTime.toDateUtc(expiresAt)}::timestamptz)`.pipe(
      orUnavailable("opening a session")
    )
    return { token, expiresAt }
  })

  const findByHash = SqlSchema.findOneOption({
    Request: Schema.Struct({ hash: Schema.Uint8Array, now: Schema.DateTimeUtcFromDate }),
    Result: SessionHolder,
    execute: (request) =>
      sql`SELECT user_id AS "userId", workspace_id AS "workspaceId" FROM sessions
        WHERE hash = ${request.hash}::bytea AND expires_at > ${request.now}::timestamptz`
  })

  const find: Sessions["find"] = Effect.fn("Repo.sessions.find")(function* (token) {
    return yield* findByHash({ hash: yield* hash(token), now: yield* DateTime.now }).pipe(
      orUnavailable("looking a session up")
    )
  })

  const end: Sessions["end"] = Effect.fn("Repo.sessions.end")(function* (token) {
    yield* sql`DELETE FROM sessions WHERE hash = ${yield* hash(token)}::bytea`.pipe(orUnavailable("ending a session"))
  })

  const endAll: Sessions["endAll"] = Effect.fn("Repo.sessions.endAll")(function* (userId) {
    yield* sql`DELETE FROM sessions WHERE user_id = ${userId}::uuid`.pipe(orUnavailable("ending a user's sessions"))
  })

  return { open, find, end, endAll } satisfies Sessions
})
