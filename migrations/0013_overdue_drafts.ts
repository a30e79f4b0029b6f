import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The passed time of a draft that people were notified of. The version before leaves it unchanged. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE posts ADD COLUMN overdue_told_at timestamptz`
})
