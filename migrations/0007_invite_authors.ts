import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** An invitation ends with its author's rights; null from the version before, which inserts without it. */
const statements = [`ALTER TABLE invites ADD COLUMN created_by_user uuid`]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
