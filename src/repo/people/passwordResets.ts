import { DateTime, Duration, Effect, Option, type Redacted, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { type DatabaseUnavailable, NotFound } from "../../domain/errors.ts"
import { UserId } from "../../domain/ids.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"
import { makeTokens } from "../sha256.ts"
import { makeEndSessions } from "./endSessions.ts"

const lifetime = Duration.hours(1)

/** The links of a user that can work at one time. */
const maxOpen = 3

export interface RequestedReset {
  readonly email: string
  readonly token: Redacted.Redacted
}

export interface PasswordResets {
  /** None for an unknown address, or if the user has asked too often. Only the token's hash is stored. */
  readonly request: (email: string) => Effect.Effect<Option.Option<RequestedReset>, DatabaseUnavailable>
  /** Fails with NotFound if the link was used, or has expired. */
  readonly check: (token: Redacted.Redacted) => Effect.Effect<void, NotFound | DatabaseUnavailable>
  /**
   * Uses up all links of the user, and ends their sessions. Fails with NotFound if the link was used, or has expired.
   */
  readonly use: (token: Redacted.Redacted, passwordHash: string) => Effect.Effect<void, NotFound | DatabaseUnavailable>
}

const unknownReset = new NotFound({ message: "This link was used, or is older than an hour; ask for another one" })

export const makePasswordResets = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { hashToken, nextToken } = yield* makeTokens
  const { endPasswordResets, endSessions, lockUser: lockUserById } = yield* makeEndSessions

  const sweep = SqlSchema.void({
    Request: Timestamp,
    execute: (now) => sql`
      DELETE FROM password_resets WHERE hash IN (
        SELECT hash FROM password_resets WHERE expires_at <= ${now}::timestamptz LIMIT 1000 FOR UPDATE SKIP LOCKED)`
  })

  // The lock makes requests of the same moment count each other.
  const lockUser = SqlSchema.findOneOption({
    Request: Schema.String,
    Result: Schema.Struct({ id: UserId, email: Schema.String }),
    execute: (email) => sql`SELECT id, email FROM users WHERE email = ${email} FOR NO KEY UPDATE`
  })

  const insert = SqlSchema.findOneOption({
    Request: Schema.Struct({ userId: UserId, hash: Schema.Uint8Array, now: Timestamp, expiresAt: Timestamp }),
    Result: Schema.Struct({ userId: UserId }),
    execute: ({ expiresAt, hash, now, userId }) => sql`
      INSERT INTO password_resets (hash, user_id, created_at, expires_at)
      SELECT ${hash}::bytea, ${userId}::uuid, ${now}::timestamptz, ${expiresAt}::timestamptz
      WHERE (SELECT count(*) FROM password_resets WHERE user_id = ${userId}::uuid
        AND expires_at > ${now}::timestamptz) < ${maxOpen}::int
      RETURNING user_id AS "userId"`
  })

  const request: PasswordResets["request"] = Effect.fn("Repo.passwordResets.request")(function* (address) {
    const token = yield* nextToken
    const hash = yield* hashToken(token)
    const now = yield* DateTime.now
    return yield* Effect.gen(function* () {
      yield* sweep(now)
      const user = yield* lockUser(address.toLowerCase())
      if (Option.isNone(user)) return Option.none()
      const { email, id } = user.value
      const stored = yield* insert({ userId: id, hash, now, expiresAt: DateTime.addDuration(now, lifetime) })
      return Option.map(stored, () => ({ email, token }))
    }).pipe(sql.withTransaction, withDatabaseTimeout("asking for another password"))
  })

  const find = SqlSchema.findOne({
    Request: Schema.Struct({ hash: Schema.Uint8Array, now: Timestamp }),
    Result: Schema.Struct({ userId: UserId }),
    execute: ({ hash, now }) => sql`
      SELECT user_id AS "userId" FROM password_resets
      WHERE hash = ${hash}::bytea AND expires_at > ${now}::timestamptz`
  })

  const check: PasswordResets["check"] = Effect.fn("Repo.passwordResets.check")(function* (token) {
    yield* find({ hash: yield* hashToken(token), now: yield* DateTime.now }).pipe(
      Effect.catchTag("NoSuchElementError", () => unknownReset),
      withDatabaseTimeout("reading a link for another password")
    )
  })

  const take = SqlSchema.findOne({
    Request: Schema.Struct({ hash: Schema.Uint8Array, now: Timestamp }),
    Result: Schema.Struct({ userId: UserId }),
    execute: ({ hash, now }) => sql`
      DELETE FROM password_resets WHERE hash = ${hash}::bytea AND expires_at > ${now}::timestamptz
      RETURNING user_id AS "userId"`
  })

  const setPassword = SqlSchema.void({
    Request: Schema.Struct({ userId: UserId, passwordHash: Schema.String }),
    execute: ({ passwordHash, userId }) => sql`UPDATE users SET password = ${passwordHash} WHERE id = ${userId}::uuid`
  })

  const use: PasswordResets["use"] = Effect.fn("Repo.passwordResets.use")(function* (token, passwordHash) {
    const hash = yield* hashToken(token)
    const now = yield* DateTime.now
    yield* Effect.gen(function* () {
      // The user is locked before the links, so that two links can't wait for each other.
      const { userId } = yield* find({ hash, now })
      yield* lockUserById(userId)
      yield* take({ hash, now })
      yield* setPassword({ userId, passwordHash })
      yield* endPasswordResets(userId)
      yield* endSessions(userId)
    }).pipe(
      sql.withTransaction,
      Effect.catchTag("NoSuchElementError", () => unknownReset),
      withDatabaseTimeout("choosing another password")
    )
  })

  return { request, check, use } satisfies PasswordResets
})
