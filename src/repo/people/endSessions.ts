import { Effect } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { UserId } from "../../domain/ids.ts"

/**
 * The transaction must have locked the user's row, by a change or by `lockUser`. Opening a session takes this lock too,
 * and a statement that began before the lock would not see that session.
 */
export const makeEndSessions = Effect.map(SqlClient.SqlClient, (sql) => ({
  lockUser: SqlSchema.void({
    Request: UserId,
    execute: (id) => sql`SELECT FROM users WHERE id = ${id}::uuid FOR NO KEY UPDATE`
  }),
  /** The links by which the user could choose another password. */
  endPasswordResets: SqlSchema.void({
    Request: UserId,
    execute: (id) => sql`DELETE FROM password_resets WHERE user_id = ${id}::uuid`
  }),
  endSessions: SqlSchema.void({
    Request: UserId,
    execute: (id) => sql`DELETE FROM sessions WHERE user_id = ${id}::uuid`
  })
}))
