import { DateTime, Effect, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { type DatabaseUnavailable, InvalidState, NotFound } from "../../domain/errors.ts"
import { ApiKeyId, UserId, WorkspaceId } from "../../domain/ids.ts"
import type { Authority } from "../../domain/people/authority.ts"
import { Role } from "../../domain/people/role.ts"
import { Member } from "../../domain/people/session.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { makeLockWorkspace } from "../postgres/lockWorkspace.ts"
import { Timestamp } from "../postgres/rows.ts"
import { type AuthorityError, makeAuthority } from "./authority.ts"

export const WorkspaceMember = Schema.Struct({
  userId: UserId,
  email: Schema.String,
  name: Schema.NullOr(Schema.String),
  role: Role,
  createdAt: Timestamp,
  /** Why the latest message to the member was not delivered; null if it was, or if there was none lately. */
  mailError: Schema.NullOr(Schema.String)
})
export type WorkspaceMember = typeof WorkspaceMember.Type

export interface Members {
  /** In the order of joining. */
  readonly list: (workspaceId: WorkspaceId) => Effect.Effect<ReadonlyArray<WorkspaceMember>, DatabaseUnavailable>
  /** A former admin's invitations are taken back. Fails with InvalidState for the last admin. */
  readonly changeRole: (
    member: Member,
    role: Role,
    /** Absent on the command line. */
    by?: Authority
  ) => Effect.Effect<WorkspaceMember, NotFound | InvalidState | AuthorityError | DatabaseUnavailable>
  /**
   * Ends the member's sessions in the workspace and takes back their invitations. Returns the ids of revoked keys that
   * still worked. Fails with InvalidState for the last admin.
   */
  readonly remove: (
    member: Member,
    /** `by` is absent if members remove themselves. */
    removal?: { readonly by?: Authority; readonly revokesKeys?: boolean }
  ) => Effect.Effect<ReadonlyArray<ApiKeyId>, NotFound | InvalidState | AuthorityError | DatabaseUnavailable>
  /** Adds the user as a member if needed. */
  readonly assign: (
    workspaceId: WorkspaceId,
    email: string,
    role: Role
  ) => Effect.Effect<WorkspaceMember, NotFound | InvalidState | AuthorityError | DatabaseUnavailable>
}

const unknownMember = new NotFound({ message: "There is no such member in this workspace" })

const lastAdmin = new InvalidState({
  message: "The last admin of a workspace can't leave or get another role; make somebody else an admin first"
})

export const makeMembers = Effect.fnUntraced(function* (forgetKeys: Effect.Effect<void>) {
  const sql = yield* SqlClient.SqlClient
  const { hold } = yield* makeAuthority
  const lockWorkspace = yield* makeLockWorkspace

  const columns = sql.literal(`m.user_id AS "userId", u.email, u.name, m.role, m.created_at AS "createdAt",
    (SELECT d.error FROM notification_deliveries d WHERE d.user_id = m.user_id AND d.workspace_id = m.workspace_id
      AND d.status IN ('sent', 'failed') ORDER BY d.ended_at DESC LIMIT 1) AS "mailError"`)

  // No limit: invitations respect `maxMembers`, and members added by an operator must be listed to be removable.
  const findAll = SqlSchema.findAll({
    Request: WorkspaceId,
    Result: WorkspaceMember,
    execute: (workspaceId) => sql`
      SELECT ${columns} FROM members m JOIN users u ON u.id = m.user_id WHERE m.workspace_id = ${workspaceId}::uuid
      ORDER BY m.created_at, m.user_id`
  })

  const list: Members["list"] = Effect.fn("Repo.members.list")((workspaceId) =>
    findAll(workspaceId).pipe(withDatabaseTimeout("listing members"))
  )

  const isLastAdmin = SqlSchema.findOne({
    Request: Member,
    Result: Schema.Struct({ last: Schema.Boolean }),
    execute: ({ userId, workspaceId }) => sql`
      SELECT EXISTS (SELECT FROM members
          WHERE workspace_id = ${workspaceId}::uuid AND user_id = ${userId}::uuid AND role = 'admin')
        AND NOT EXISTS (SELECT FROM members
          WHERE workspace_id = ${workspaceId}::uuid AND user_id <> ${userId}::uuid AND role = 'admin') AS last`
  })

  // Otherwise former admins could make themselves admins again by their own links.
  const takeBackInvites = SqlSchema.void({
    Request: Member,
    execute: ({ userId, workspaceId }) => sql`
      DELETE FROM invites WHERE workspace_id = ${workspaceId}::uuid AND created_by_user = ${userId}::uuid`
  })

  /** The lock serializes changes of members with each other, and with changes of keys and invitations. */
  const changing = <A, E, R>({ workspaceId }: Member, by: Authority | undefined, change: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      yield* lockWorkspace(workspaceId)
      yield* hold(by)
      return yield* change
    }).pipe(sql.withTransaction)

  const keepingAnAdmin = <A, E, R>(member: Member, change: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      if ((yield* isLastAdmin(member)).last) return yield* lastAdmin
      const changed = yield* change
      yield* takeBackInvites(member)
      return changed
    })

  const writeRole = SqlSchema.findOne({
    Request: Schema.Struct({ ...Member.fields, role: Role }),
    Result: WorkspaceMember,
    execute: ({ role, userId, workspaceId }) => sql`
      UPDATE members m SET role = ${role} FROM users u
      WHERE u.id = m.user_id AND m.workspace_id = ${workspaceId}::uuid AND m.user_id = ${userId}::uuid
      RETURNING ${columns}`
  })

  const changeRole: Members["changeRole"] = Effect.fn("Repo.members.changeRole")((member, role, by) => {
    const change = writeRole({ ...member, role })
    return changing(member, by, role === "admin" ? change : keepingAnAdmin(member, change)).pipe(
      Effect.catchTag("NoSuchElementError", () => unknownMember),
      withDatabaseTimeout("changing a member's role")
    )
  })

  // The user stays, because posts name their creators.
  const deleteMember = SqlSchema.findOne({
    Request: Member,
    Result: Schema.Struct({ userId: UserId }),
    execute: ({ userId, workspaceId }) => sql`
      DELETE FROM members WHERE workspace_id = ${workspaceId}::uuid AND user_id = ${userId}::uuid
      RETURNING user_id AS "userId"`
  })

  const revokeKeys = SqlSchema.findAll({
    Request: Schema.Struct({ ...Member.fields, now: Timestamp }),
    Result: Schema.Struct({ id: ApiKeyId }),
    execute: ({ now, userId, workspaceId }) => sql`
      UPDATE api_keys SET revoked_at = ${now}::timestamptz
      WHERE workspace_id = ${workspaceId}::uuid AND created_by_user = ${userId}::uuid AND revoked_at IS NULL
        AND (expires_at IS NULL OR expires_at > ${now}::timestamptz)
      RETURNING id`
  })

  const remove: Members["remove"] = Effect.fn("Repo.members.remove")(function* (
    member,
    { by, revokesKeys = false } = {}
  ) {
    const removing = Effect.andThen(
      keepingAnAdmin(member, deleteMember(member)),
      revokesKeys ? revokeKeys({ ...member, now: yield* DateTime.now }) : Effect.succeed([])
    )
    const revoked = yield* changing(member, by, removing).pipe(
      Effect.catchTag("NoSuchElementError", () => unknownMember),
      withDatabaseTimeout("removing a member")
    )
    if (revoked.length > 0) yield* forgetKeys
    return revoked.map(({ id }) => id)
  })

  const addByEmail = SqlSchema.findOneOption({
    Request: Schema.Struct({ workspaceId: WorkspaceId, email: Schema.String, now: Timestamp }),
    Result: Schema.Struct({ userId: UserId }),
    execute: ({ email, now, workspaceId }) => sql`
      WITH found AS (
        SELECT u.id FROM users u, workspaces w WHERE u.email = ${email} AND w.id = ${workspaceId}::uuid
      ), added AS (
        INSERT INTO members (workspace_id, user_id, created_at)
        SELECT ${workspaceId}::uuid, id, ${now}::timestamptz FROM found ON CONFLICT DO NOTHING
      )
      SELECT id AS "userId" FROM found`
  })

  const assign: Members["assign"] = Effect.fn("Repo.members.assign")(function* (workspaceId, address, role) {
    const email = address.toLowerCase()
    return yield* Effect.gen(function* () {
      const found = yield* addByEmail({ workspaceId, email, now: yield* DateTime.now })
      if (Option.isNone(found)) {
        return yield* new NotFound({ message: `There is no user ${email}, or no workspace ${workspaceId}` })
      }
      return yield* changeRole({ workspaceId, userId: found.value.userId }, role)
    }).pipe(sql.withTransaction, withDatabaseTimeout("giving a user a role"))
  })

  return { list, changeRole, remove, assign } satisfies Members
})
