import { Effect, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { WorkspaceId } from "../../domain/ids.ts"

/**
 * Has transactions of a workspace follow each other, such as those that count its rows and then add one. Returns whether there
 * is such a workspace. Reading a row that refers to it, and adding one, waits for nobody.
 */
export const makeLockWorkspace = Effect.map(SqlClient.SqlClient, (sql) => {
  const lock = SqlSchema.findOneOption({
    Request: WorkspaceId,
    Result: Schema.Struct({ id: WorkspaceId }),
    execute: (id) => sql`SELECT id FROM workspaces WHERE id = ${id}::uuid FOR NO KEY UPDATE`
  })
  return (id: WorkspaceId) => Effect.map(lock(id), Option.isSome)
})
