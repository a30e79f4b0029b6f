import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The key or the user whose request stored the response: another author's repetition does not get it. Null if the
 * previous version stored the response; that version ignores the column.
 */
const statements = [`ALTER TABLE idempotency_keys ADD COLUMN author_id uuid`]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
