import { Effect } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { UserId } from "../../domain/ids.ts"

/**
 * Ends all sessions of a user, in a transaction that has locked the user's row by a change or by `lockUser`. Opening a
 * session also locks that row, and a statement that began before the lock was granted would not see the session.
 */
export const makeEndSessions = Effect.map(SqlClient.SqlClient, (sql) => ({
  lockUser: SqlSchema.void({
    Request: UserId,
    execute: (id) => sql`SELECT FROM users WHERE id = ${id}::uuid FOR NO KEY UPDATE`
  }),
  endSessions: SqlSchema.void({
    Request: UserId,
    execute: (id) => sql`DELETE FROM sessions WHERE user_id = ${id}::uuid`
  })
}))
