import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** People find the keys of their agents by it. The version before creates and rotates keys without it. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE api_keys ADD COLUMN purpose text`
})
