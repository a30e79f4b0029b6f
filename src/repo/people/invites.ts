import { DateTime, Effect, Option, type Redacted, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { type DatabaseUnavailable, InvalidState, LoginRequired, MemberLimit, NotFound } from "../../domain/errors.ts"
import { InviteId, nextInviteId, nextUserId, UserId, WorkspaceId } from "../../domain/ids.ts"
import { inviteLifetime, maxInvites, maxMembers } from "../../domain/people/member.ts"
import { Role } from "../../domain/people/role.ts"
import { Member } from "../../domain/people/session.ts"
import { type ActingMember, adminAuthority } from "../../domain/people/authority.ts"
import { NamedAuthor } from "../../domain/people/namedAuthor.ts"
import { authorJson } from "../postgres/author.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { makeLockWorkspace } from "../postgres/lockWorkspace.ts"
import { Timestamp } from "../postgres/rows.ts"
import { makeTokens } from "../sha256.ts"
import { type AuthorityError, makeAuthority } from "./authority.ts"

const NewInvite = Schema.Struct({
  id: InviteId,
  email: Schema.String,
  role: Role,
  createdAt: Timestamp,
  expiresAt: Timestamp
})

/** `createdBy` is null if the previous version stored it. */
const Invite = Schema.Struct({ ...NewInvite.fields, createdBy: Schema.NullOr(NamedAuthor) })
export type Invite = typeof Invite.Type

const FoundInvite = Schema.Struct({
  workspaceId: WorkspaceId,
  workspaceName: Schema.String,
  email: Schema.String,
  role: Role,
  userId: Schema.NullOr(UserId)
})

export type Invited = { readonly userId: UserId } | { readonly passwordHash: string }

export interface Invites {
  /**
   * Replaces an earlier invitation of the address. Only the token's hash is stored. Fails with InvalidState for a
   * member.
   */
  readonly create: (
    by: ActingMember,
    email: string,
    role: Role
  ) => Effect.Effect<
    { readonly invite: Invite; readonly token: Redacted.Redacted },
    InvalidState | MemberLimit | AuthorityError | DatabaseUnavailable
  >
  /** Invitations that can be accepted, newest first. */
  readonly list: (workspaceId: WorkspaceId) => Effect.Effect<ReadonlyArray<Invite>, DatabaseUnavailable>
  readonly remove: (workspaceId: WorkspaceId, id: InviteId) => Effect.Effect<void, NotFound | DatabaseUnavailable>
  readonly find: (
    token: Redacted.Redacted
  ) => Effect.Effect<Option.Option<typeof FoundInvite.Type>, DatabaseUnavailable>
  /**
   * Uses up the invitation. Fails with NotFound if it was used, taken back or replaced; with LoginRequired if a user
   * with the address now exists; with InvalidState for a member.
   */
  readonly accept: (
    token: Redacted.Redacted,
    invited: Invited
  ) => Effect.Effect<
    Member & { readonly email: string },
    NotFound | LoginRequired | InvalidState | MemberLimit | DatabaseUnavailable
  >
}

export const unknownInvite = new NotFound({
  message: "This invitation was used, taken back or replaced, or has expired; ask for another one"
})

const isMember = (email: string) => new InvalidState({ message: `${email} is a member of this workspace already` })

export const makeInvites = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { hold } = yield* makeAuthority
  const lockWorkspace = yield* makeLockWorkspace
  const { hashToken, nextToken } = yield* makeTokens

  const columns = sql.literal(`id, email, role, created_at AS "createdAt", expires_at AS "expiresAt",
    ${authorJson("NULL::uuid", "invites.created_by_user", "invites.workspace_id")} AS "createdBy"`)

  const sweep = SqlSchema.void({
    Request: Timestamp,
    execute: (now) => sql`
      DELETE FROM invites WHERE id IN (
        SELECT id FROM invites WHERE expires_at <= ${now}::timestamptz LIMIT 1000 FOR UPDATE SKIP LOCKED)`
  })

  const count = SqlSchema.findOne({
    Request: Schema.Struct({ workspaceId: WorkspaceId, email: Schema.String, now: Timestamp }),
    Result: Schema.Struct({ invites: Schema.Int, members: Schema.Int, isMember: Schema.Boolean }),
    execute: ({ email, now, workspaceId }) => sql`
      SELECT (SELECT count(*)::int FROM invites
          WHERE workspace_id = ${workspaceId}::uuid AND email <> ${email} AND expires_at > ${now}::timestamptz) AS invites,
        count(*)::int AS members, coalesce(bool_or(u.email = ${email}), false) AS "isMember"
      FROM members m JOIN users u ON u.id = m.user_id WHERE m.workspace_id = ${workspaceId}::uuid`
  })

  const upsert = SqlSchema.findOne({
    Request: Schema.Struct({ ...NewInvite.fields, ...Member.fields, hash: Schema.Uint8Array }),
    Result: Invite,
    execute: ({ createdAt, email, expiresAt, hash, id, role, userId, workspaceId }) => sql`
      INSERT INTO invites (id, workspace_id, hash, email, role, created_by_user, created_at, expires_at)
      VALUES (${id}::uuid, ${workspaceId}::uuid, ${hash}::bytea, ${email}, ${role}, ${userId}::uuid, ${createdAt}::timestamptz,
        ${expiresAt}::timestamptz)
      ON CONFLICT (workspace_id, email) DO UPDATE SET id = excluded.id, hash = excluded.hash, role = excluded.role,
        created_by_user = excluded.created_by_user, created_at = excluded.created_at, expires_at = excluded.expires_at
      RETURNING ${columns}`
  })

  const create: Invites["create"] = Effect.fn("Repo.invites.create")(function* (by, address, role) {
    const { workspaceId } = by
    const email = address.toLowerCase()
    const id = yield* nextInviteId
    const token = yield* nextToken
    const hash = yield* hashToken(token)
    const now = yield* DateTime.now
    const invite = yield* Effect.gen(function* () {
      // Locks the workspace before its invitations, like the removal of an admin.
      yield* lockWorkspace(workspaceId)
      yield* hold(adminAuthority(by))
      yield* sweep(now)
      const counted = yield* count({ workspaceId, email, now })
      if (counted.isMember) return yield* isMember(email)
      if (counted.members >= maxMembers) return yield* MemberLimit.ofMembers
      if (counted.invites >= maxInvites) return yield* MemberLimit.ofInvites
      const expiresAt = DateTime.addDuration(now, inviteLifetime)
      return yield* upsert({ id, ...by, hash, email, role, createdAt: now, expiresAt })
    }).pipe(
      sql.withTransaction,
      Effect.catchTag("NoSuchElementError", Effect.die),
      withDatabaseTimeout("inviting somebody")
    )
    return { invite, token }
  })

  const findAll = SqlSchema.findAll({
    Request: Schema.Struct({ workspaceId: WorkspaceId, now: Timestamp }),
    Result: Invite,
    execute: ({ now, workspaceId }) => sql`
      SELECT ${columns} FROM invites WHERE workspace_id = ${workspaceId}::uuid AND expires_at > ${now}::timestamptz
      ORDER BY created_at DESC, id DESC`
  })

  const list: Invites["list"] = Effect.fn("Repo.invites.list")(function* (workspaceId) {
    return yield* findAll({ workspaceId, now: yield* DateTime.now }).pipe(withDatabaseTimeout("listing invitations"))
  })

  const deleteById = SqlSchema.findOne({
    Request: Schema.Struct({ workspaceId: WorkspaceId, id: InviteId }),
    Result: Schema.Struct({ id: InviteId }),
    execute: ({ id, workspaceId }) => sql`
      DELETE FROM invites WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid RETURNING id`
  })

  const remove: Invites["remove"] = Effect.fn("Repo.invites.remove")((workspaceId, id) =>
    deleteById({ workspaceId, id }).pipe(
      Effect.catchTag(
        "NoSuchElementError",
        () => new NotFound({ message: "There is no such invitation in this workspace" })
      ),
      Effect.asVoid,
      withDatabaseTimeout("taking back an invitation")
    )
  )

  const findByHash = SqlSchema.findOneOption({
    Request: Schema.Struct({ hash: Schema.Uint8Array, now: Timestamp }),
    Result: FoundInvite,
    execute: ({ hash, now }) => sql`
      SELECT i.workspace_id AS "workspaceId", w.name AS "workspaceName", i.email, i.role, u.id AS "userId"
      FROM invites i JOIN workspaces w ON w.id = i.workspace_id LEFT JOIN users u ON u.email = i.email
      WHERE i.hash = ${hash}::bytea AND i.expires_at > ${now}::timestamptz`
  })

  const find: Invites["find"] = Effect.fn("Repo.invites.find")(function* (token) {
    return yield* findByHash({ hash: yield* hashToken(token), now: yield* DateTime.now }).pipe(
      withDatabaseTimeout("reading an invitation")
    )
  })

  const take = SqlSchema.findOneOption({
    Request: Schema.Struct({ hash: Schema.Uint8Array, now: Timestamp }),
    Result: Schema.Struct({ email: Schema.String, role: Role }),
    execute: ({ hash, now }) => sql`
      DELETE FROM invites WHERE hash = ${hash}::bytea AND expires_at > ${now}::timestamptz RETURNING email, role`
  })

  const insertUser = SqlSchema.findOneOption({
    Request: Schema.Struct({ id: UserId, email: Schema.String, passwordHash: Schema.String, now: Timestamp }),
    Result: Schema.Struct({ id: UserId }),
    execute: ({ email, id, now, passwordHash }) => sql`
      INSERT INTO users (id, email, password, created_at)
      VALUES (${id}::uuid, ${email}, ${passwordHash}, ${now}::timestamptz) ON CONFLICT (email) DO NOTHING RETURNING id`
  })

  const insertMember = SqlSchema.findOneOption({
    Request: Schema.Struct({ workspaceId: WorkspaceId, userId: UserId, role: Role, now: Timestamp }),
    Result: Schema.Struct({ userId: UserId }),
    execute: ({ now, role, userId, workspaceId }) => sql`
      INSERT INTO members (workspace_id, user_id, role, created_at)
      VALUES (${workspaceId}::uuid, ${userId}::uuid, ${role}, ${now}::timestamptz)
      ON CONFLICT DO NOTHING RETURNING user_id AS "userId"`
  })

  const accept: Invites["accept"] = Effect.fn("Repo.invites.accept")(function* (token, invited) {
    const hash = yield* hashToken(token)
    const now = yield* DateTime.now
    return yield* Effect.gen(function* () {
      // Locks the workspace before its invitations, like the deletion of a workspace.
      const found = yield* findByHash({ hash, now })
      const workspaceId = Option.isSome(found) ? found.value.workspaceId : yield* unknownInvite
      if (!(yield* lockWorkspace(workspaceId))) return yield* unknownInvite
      const taken = yield* take({ hash, now })
      if (Option.isNone(taken)) return yield* unknownInvite
      const { email, role } = taken.value
      const counted = yield* count({ workspaceId, email, now })
      if (counted.isMember) return yield* isMember(email)
      if (counted.members >= maxMembers) return yield* MemberLimit.ofMembers
      const userId = "userId" in invited ? invited.userId : yield* nextUserId
      if ("passwordHash" in invited) {
        const { passwordHash } = invited
        if (Option.isNone(yield* insertUser({ id: userId, email, passwordHash, now })))
          return yield* LoginRequired.as(email)
      }
      if (Option.isNone(yield* insertMember({ workspaceId, userId, role, now }))) return yield* isMember(email)
      return { userId, workspaceId, email }
    }).pipe(
      sql.withTransaction,
      Effect.catchTag("NoSuchElementError", Effect.die),
      withDatabaseTimeout("accepting an invitation")
    )
  })

  return { create, list, remove, find, accept } satisfies Invites
})
