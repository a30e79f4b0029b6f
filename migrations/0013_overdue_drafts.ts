import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The time of a draft of which people were told that it has passed. The version before leaves it as it is. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE posts ADD COLUMN overdue_told_at timestamptz`
})
