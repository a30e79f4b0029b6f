import { Effect, type Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import { ApiKeyId, WorkspaceId } from "../../domain/ids.ts"
import { Role } from "../../domain/people/role.ts"
import { Member } from "../../domain/people/session.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { NullableTimestamp } from "../postgres/rows.ts"

const surroundings = {
  workspaceName: Schema.String,
  /** The start of a hold on publishing after a restore. */
  heldSince: NullableTimestamp
}

const KeyCaller = Schema.Struct({ ...surroundings, name: Schema.String, expiresAt: NullableTimestamp })

const UserCaller = Schema.Struct({
  ...surroundings,
  email: Schema.String,
  name: Schema.NullOr(Schema.String),
  /** In the order of joining. */
  workspaces: Schema.Array(Schema.Struct({ id: WorkspaceId, name: Schema.String, role: Role }))
})

/** None for a caller that no longer exists. */
export interface Callers {
  readonly describeKey: (
    workspaceId: WorkspaceId,
    id: ApiKeyId
  ) => Effect.Effect<Option.Option<typeof KeyCaller.Type>, DatabaseUnavailable>
  readonly describeUser: (member: Member) => Effect.Effect<Option.Option<typeof UserCaller.Type>, DatabaseUnavailable>
}

export const makeCallers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const columns = sql.literal(`w.name AS "workspaceName",
    (SELECT held_since FROM publishing_state) AS "heldSince"`)

  const findKey = SqlSchema.findOneOption({
    Request: Schema.Struct({ workspaceId: WorkspaceId, id: ApiKeyId }),
    Result: KeyCaller,
    execute: ({ id, workspaceId }) => sql`
      SELECT ${columns}, k.name, k.expires_at AS "expiresAt"
      FROM api_keys k JOIN workspaces w ON w.id = k.workspace_id
      WHERE k.id = ${id}::uuid AND k.workspace_id = ${workspaceId}::uuid`
  })

  const findUser = SqlSchema.findOneOption({
    Request: Member,
    Result: UserCaller,
    execute: ({ userId, workspaceId }) => sql`
      SELECT ${columns}, u.email, u.name, (
        SELECT json_agg(json_build_object('id', o.id, 'name', o.name, 'role', m.role) ORDER BY m.created_at, o.id)
        FROM members m JOIN workspaces o ON o.id = m.workspace_id WHERE m.user_id = u.id) AS workspaces
      FROM members own JOIN workspaces w ON w.id = own.workspace_id JOIN users u ON u.id = own.user_id
      WHERE own.user_id = ${userId}::uuid AND own.workspace_id = ${workspaceId}::uuid`
  })

  const describeKey: Callers["describeKey"] = Effect.fn("Repo.callers.describeKey")((workspaceId, id) =>
    findKey({ workspaceId, id }).pipe(withDatabaseTimeout("describing a key"))
  )

  const describeUser: Callers["describeUser"] = Effect.fn("Repo.callers.describeUser")((member) =>
    findUser(member).pipe(withDatabaseTimeout("describing a user"))
  )

  return { describeKey, describeUser } satisfies Callers
})
