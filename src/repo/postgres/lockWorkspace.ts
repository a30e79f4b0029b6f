import { Effect, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { WorkspaceId } from "../../domain/ids.ts"

/**
 * Serializes transactions that, for example, count a workspace's rows before adding another. Reading the workspace, or
 * adding a row that refers to it, does not wait. False for an unknown workspace.
 */
export const makeLockWorkspace = Effect.map(SqlClient.SqlClient, (sql) => {
  const lock = SqlSchema.findOneOption({
    Request: WorkspaceId,
    Result: Schema.Struct({ id: WorkspaceId }),
    execute: (id) => sql`SELECT id FROM workspaces WHERE id = ${id}::uuid FOR NO KEY UPDATE`
  })
  return (id: WorkspaceId) => Effect.map(lock(id), Option.isSome)
})
