import { Effect, Schema } from "effect"
import { type SqlConnection, SqlError } from "effect/sql"

/** PostgreSQL responds to the `COMMIT` of an aborted transaction with `ROLLBACK`. */
const isCommitted = Schema.is(Schema.Struct({ command: Schema.Literal("COMMIT") }))

const rolledBack = new SqlError.SqlError({
  reason: new SqlError.UnknownError({
    cause: new Error("COMMIT rolled back an aborted transaction"),
    message: "COMMIT rolled back an aborted transaction",
    operation: "commit"
  })
})

/** Commits, and fails if the transaction was rolled back instead. */
export const commitChecked = (connection: SqlConnection.Connection): Effect.Effect<void, SqlError.SqlError> =>
  Effect.asVoid(Effect.filterOrFail(connection.executeRaw("COMMIT", []), isCommitted, () => rolledBack))
