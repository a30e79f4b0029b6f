import { Effect, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { WorkspaceId } from "../../domain/ids.ts"

/**
 * Serializes transactions of a workspace, such as those that count its rows and then add one. Returns true if the
 * workspace exists. Reading a row that refers to it, or adding one, does not wait.
 */
export const makeLockWorkspace = Effect.map(SqlClient.SqlClient, (sql) => {
  const lock = SqlSchema.findOneOption({
    Request: WorkspaceId,
    Result: Schema.Struct({ id: WorkspaceId }),
    execute: (id) => sql`SELECT id FROM workspaces WHERE id = ${id}::uuid FOR NO KEY UPDATE`
  })
  return (id: WorkspaceId) => Effect.map(lock(id), Option.isSome)
})
