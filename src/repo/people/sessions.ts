import { DateTime, Effect, type Option, Redacted, Schema, Struct } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { type DatabaseUnavailable, NotMember, SessionEnded, WrongCredentials } from "../../domain/errors.ts"
import { nextSessionId, SessionId, type UserId, WorkspaceId } from "../../domain/ids.ts"
import { Role } from "../../domain/people/role.ts"
import { Member, SessionHolder, sessionLifetime } from "../../domain/people/session.ts"
import { ReadClient } from "../postgres/database.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { NullableTimestamp, Timestamp } from "../postgres/rows.ts"
import { storable } from "../postgres/storable.ts"
import { makeTokens } from "../sha256.ts"
import { makeEndSessions } from "./endSessions.ts"

/** Counts UTF-16 code units: browsers use about 200. */
const maxUserAgent = 400

/** More than a person has devices. */
const maxShown = 100

/** Only the hash of the token is stored. */
export interface OpenedSession {
  readonly token: Redacted.Redacted
  readonly expiresAt: DateTime.Utc
  readonly role: Role
}

export type CheckedPassword = Redacted.Redacted

export interface LogIn {
  readonly checked?: CheckedPassword
  readonly userAgent?: string | undefined
}

const ShownSession = Schema.Struct({
  id: SessionId,
  workspaceId: WorkspaceId,
  workspaceName: Schema.String,
  createdAt: Timestamp,
  expiresAt: Timestamp,
  userAgent: Schema.NullOr(Schema.String),
  isCurrent: Schema.Boolean
})
export type ShownSession = typeof ShownSession.Type

export interface Sessions {
  /** Fails with WrongCredentials if the stored password has changed since it was checked. */
  readonly open: (
    member: Member,
    logIn?: LogIn
  ) => Effect.Effect<OpenedSession, NotMember | WrongCredentials | DatabaseUnavailable>
  /** The new session has another token and the same expiry. On failure, the old session stays. */
  readonly move: (
    token: Redacted.Redacted,
    member: Member
  ) => Effect.Effect<OpenedSession & { readonly email: string }, NotMember | SessionEnded | DatabaseUnavailable>
  readonly find: (token: Redacted.Redacted) => Effect.Effect<Option.Option<SessionHolder>, DatabaseUnavailable>
  /** Idempotent; succeeds for an unknown session. */
  readonly end: (token: Redacted.Redacted) => Effect.Effect<void, DatabaseUnavailable>
  /** This session first, then the user's newest in all workspaces; at most 100. */
  readonly list: (
    own: Pick<SessionHolder, "session" | "userId">
  ) => Effect.Effect<ReadonlyArray<ShownSession>, DatabaseUnavailable>
  /** Without `id`, ends all other sessions. Returns the number ended. */
  readonly endOthers: (
    own: Pick<SessionHolder, "session" | "userId">,
    id?: SessionId
  ) => Effect.Effect<number, DatabaseUnavailable>
  /** In all workspaces. */
  readonly endAll: (userId: UserId) => Effect.Effect<void, DatabaseUnavailable>
}

export const makeSessions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const reads = yield* ReadClient
  const { hashToken, nextToken } = yield* makeTokens
  const { endSessions, lockUser } = yield* makeEndSessions

  // Each insert also deletes expired rows. It locks the user and the member, so that a concurrent change of password or
  // removal ends this session too, in a statement that begins once it has the lock.
  const insert = SqlSchema.findOne({
    Request: Schema.Struct({
      ...Member.fields,
      checked: Schema.NullOr(Schema.String),
      id: SessionId,
      hash: Schema.Uint8Array,
      userAgent: Schema.NullOr(Schema.String),
      now: Timestamp,
      expiresAt: Timestamp
    }),
    Result: Schema.Struct({ isCurrent: Schema.Boolean, role: Schema.NullOr(Role) }),
    execute: ({ checked, expiresAt, hash, id, now, userAgent, userId, workspaceId }) => sql`
      WITH swept AS (
        DELETE FROM sessions WHERE hash IN (
          SELECT hash FROM sessions WHERE expires_at <= ${now}::timestamptz LIMIT 1000 FOR UPDATE SKIP LOCKED)
      ), person AS MATERIALIZED (
        SELECT id FROM users WHERE id = ${userId}::uuid AND password = coalesce(${checked}::text, password) FOR SHARE
      ), member AS MATERIALIZED (
        SELECT user_id, workspace_id, role FROM members
        WHERE user_id = (SELECT id FROM person) AND workspace_id = ${workspaceId}::uuid FOR KEY SHARE
      ), opened AS (
        INSERT INTO sessions (id, hash, user_id, workspace_id, created_at, expires_at, user_agent)
        SELECT ${id}::uuid, ${hash}::bytea, user_id, workspace_id, ${now}::timestamptz, ${expiresAt}::timestamptz,
          ${userAgent}::text FROM member
      )
      SELECT EXISTS (SELECT FROM person) AS "isCurrent", (SELECT role FROM member) AS role`
  })

  const open: Sessions["open"] = Effect.fn("Repo.sessions.open")(function* (member, { checked, userAgent } = {}) {
    const token = yield* nextToken
    const now = yield* DateTime.now
    const expiresAt = DateTime.addDuration(now, sessionLifetime)
    const row = {
      ...member,
      id: yield* nextSessionId,
      checked: checked === undefined ? null : Redacted.value(checked),
      userAgent: userAgent === undefined ? null : storable(userAgent.slice(0, maxUserAgent)),
      now,
      expiresAt
    }
    const { isCurrent, role } = yield* insert({ ...row, hash: yield* hashToken(token) }).pipe(
      Effect.catchTag("NoSuchElementError", Effect.die),
      withDatabaseTimeout("opening a session")
    )
    if (role !== null) return { token, expiresAt, role }
    return yield* isCurrent || checked === undefined ? new NotMember() : new WrongCredentials()
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
      WITH person AS MATERIALIZED (
        SELECT id FROM users WHERE id = ${userId}::uuid FOR SHARE
      ), member AS MATERIALIZED (
        SELECT user_id, workspace_id, role FROM members
        WHERE user_id = (SELECT id FROM person) AND workspace_id = ${workspaceId}::uuid FOR KEY SHARE
      ), ended AS (
        DELETE FROM sessions s USING member
        WHERE s.hash = ${hash}::bytea AND s.user_id = member.user_id AND s.expires_at > ${now}::timestamptz
        RETURNING s.id, s.created_at, s.expires_at, s.user_agent
      ), opened AS (
        INSERT INTO sessions (id, hash, user_id, workspace_id, created_at, expires_at, user_agent)
        SELECT ended.id, ${newHash}::bytea, user_id, workspace_id, ended.created_at, expires_at, user_agent FROM member, ended
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
    execute: ({ hash, now }) => reads`
      SELECT user_id AS "userId", workspace_id AS "workspaceId", m.role, encode(hash, 'hex') AS session
      FROM sessions JOIN members m USING (user_id, workspace_id)
      WHERE hash = ${hash}::bytea AND expires_at > ${now}::timestamptz`
  })

  /** A short read, because it runs before a request has its workspace's turn. */
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

  const Own = Schema.Struct(Struct.pick(SessionHolder.fields, ["session", "userId"]))

  const findOfUser = SqlSchema.findAll({
    Request: Schema.Struct({ ...Own.fields, now: Timestamp }),
    Result: ShownSession,
    execute: ({ now, session, userId }) => sql`
      SELECT s.id, s.workspace_id AS "workspaceId", w.name AS "workspaceName", s.created_at AS "createdAt",
        s.expires_at AS "expiresAt", s.user_agent AS "userAgent", s.hash = decode(${session}, 'hex') AS "isCurrent"
      FROM sessions s JOIN workspaces w ON w.id = s.workspace_id
      WHERE s.user_id = ${userId}::uuid AND s.expires_at > ${now}::timestamptz
      ORDER BY s.hash = decode(${session}, 'hex') DESC, s.created_at DESC, s.id LIMIT ${maxShown}::int`
  })

  const list: Sessions["list"] = Effect.fn("Repo.sessions.list")(function* (own) {
    return yield* findOfUser({ ...own, now: yield* DateTime.now }).pipe(withDatabaseTimeout("listing sessions"))
  })

  // If the user's own session has ended, no other is ended. Expired sessions are not counted.
  const deleteOthers = SqlSchema.findOne({
    Request: Schema.Struct({ ...Own.fields, id: Schema.NullOr(SessionId), now: Timestamp }),
    Result: Schema.Struct({ ended: Schema.Int }),
    execute: ({ id, now, session, userId }) => sql`
      WITH others AS (
        DELETE FROM sessions WHERE user_id = ${userId}::uuid AND hash <> decode(${session}, 'hex')
          AND (${id}::uuid IS NULL OR id = ${id}::uuid)
          AND EXISTS (SELECT FROM sessions own WHERE own.hash = decode(${session}, 'hex') AND own.user_id = ${userId}::uuid)
        RETURNING expires_at > ${now}::timestamptz AS "wasOpen"
      )
      SELECT count(*) FILTER (WHERE "wasOpen")::int AS ended FROM others`
  })

  // Waits for a session that is changing its workspace, which locks the user's row and replaces the session's row.
  const endOthers: Sessions["endOthers"] = Effect.fn("Repo.sessions.endOthers")(
    function* (own, id) {
      yield* lockUser(own.userId)
      return (yield* deleteOthers({ ...own, id: id ?? null, now: yield* DateTime.now })).ended
    },
    sql.withTransaction,
    Effect.catchTag("NoSuchElementError", Effect.die),
    withDatabaseTimeout("ending other sessions")
  )

  const endAll: Sessions["endAll"] = Effect.fn("Repo.sessions.endAll")(
    function* (userId) {
      yield* lockUser(userId)
      yield* endSessions(userId)
    },
    sql.withTransaction,
    withDatabaseTimeout("ending a user's sessions")
  )

  return { open, move, find, end, list, endOthers, endAll } satisfies Sessions
})
