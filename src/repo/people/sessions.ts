import { DateTime, Effect, type Option, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { SqlClient, SqlSchema } from "effect/sql"
import { type DatabaseUnavailable, NotMember, SessionEnded } from "../../domain/errors.ts"
import { UserId } from "../../domain/ids.ts"
import type { Role } from "../../domain/people/role.ts"
import { Member, SessionHolder, sessionLifetime } from "../../domain/people/session.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { NullableTimestamp, Timestamp } from "../postgres/rows.ts"
import { makeSha256 } from "../sha256.ts"

const tokenLength = 32

/** The only value that carries a session's token: just its hash is stored. */
export interface OpenedSession {
  readonly token: Redacted.Redacted
  readonly expiresAt: DateTime.Utc
  readonly role: Role
}

export interface Sessions {
  readonly open: (member: Member) => Effect.Effect<OpenedSession, NotMember | DatabaseUnavailable>
  /**
   * Replaces a session by one of its user as a member of another workspace, with another token and the same end. Where it
   * fails, the session stays as it is.
   */
  readonly move: (
    token: Redacted.Redacted,
    member: Member
  ) => Effect.Effect<OpenedSession & { readonly email: string }, NotMember | SessionEnded | DatabaseUnavailable>
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

  const nextToken = Effect.map(random.randomBytes(tokenLength), (bytes) => Redacted.make(Base64Url.encode(bytes)))

  // Each insert also sweeps expired rows. The member is locked: they may be removed at this moment.
  const insert = SqlSchema.findOne({
    Request: Schema.Struct({ ...Member.fields, hash: Schema.Uint8Array, now: Timestamp, expiresAt: Timestamp }),
    Result: Schema.Struct({ role: SessionHolder.fields.role }),
    execute: ({ expiresAt, hash, now, userId, workspaceId }) => sql`
      WITH swept AS (
        DELETE FROM sessions WHERE expires_at <= ${now}::timestamptz
      ), member AS MATERIALIZED (
        SELECT user_id, workspace_id, role FROM members
        WHERE user_id = ${userId}::uuid AND workspace_id = ${workspaceId}::uuid FOR KEY SHARE
      ), opened AS (
        INSERT INTO sessions (hash, user_id, workspace_id, created_at, expires_at)
        SELECT ${hash}::bytea, user_id, workspace_id, ${now}::timestamptz, ${expiresAt}::timestamptz FROM member
      )
      SELECT role FROM member`
  })

  const open: Sessions["open"] = Effect.fn("Repo.sessions.open")(function* (member) {
    const token = yield* nextToken
    const now = yield* DateTime.now
    const expiresAt = DateTime.addDuration(now, sessionLifetime)
    const { role } = yield* insert({ ...member, hash: yield* hashToken(token), now, expiresAt }).pipe(
      Effect.catchTag("NoSuchElementError", () => new NotMember()),
      withDatabaseTimeout("opening a session")
    )
    return { token, expiresAt, role }
  })

  const replace = SqlSchema.findOne({
    Request: Schema.Struct({
      ...Member.fields,
      hash: Schema.Uint8Array,
      newHash: Schema.Uint8Array,
      now: Timestamp
    }),
    Result: Schema.Struct({ role: SessionHolder.fields.role, email: Schema.String, expiresAt: NullableTimestamp }),
    execute: ({ hash, newHash, now, userId, workspaceId }) => sql`
      WITH member AS MATERIALIZED (
        SELECT user_id, workspace_id, role FROM members
        WHERE user_id = ${userId}::uuid AND workspace_id = ${workspaceId}::uuid FOR KEY SHARE
      ), ended AS (
        DELETE FROM sessions s USING member
        WHERE s.hash = ${hash}::bytea AND s.user_id = member.user_id AND s.expires_at > ${now}::timestamptz
        RETURNING s.expires_at
      ), opened AS (
        INSERT INTO sessions (hash, user_id, workspace_id, created_at, expires_at)
        SELECT ${newHash}::bytea, user_id, workspace_id, ${now}::timestamptz, expires_at FROM member, ended
      )
      SELECT role, u.email, (SELECT expires_at FROM ended) AS "expiresAt" FROM member JOIN users u ON u.id = user_id`
  })

  const move: Sessions["move"] = Effect.fn("Repo.sessions.move")(function* (old, member) {
    const token = yield* nextToken
    const [hash, newHash] = [yield* hashToken(old), yield* hashToken(token)]
    const { email, expiresAt, role } = yield* replace({ ...member, hash, newHash, now: yield* DateTime.now }).pipe(
      Effect.catchTag("NoSuchElementError", () => new NotMember()),
      withDatabaseTimeout("changing the workspace of a session")
    )
    return expiresAt === null ? yield* new SessionEnded() : { token, email, expiresAt, role }
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

  return { open, move, find, end, endAll } satisfies Sessions
})
