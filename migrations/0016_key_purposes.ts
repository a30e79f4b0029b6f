import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** What a key is for, so that people find the keys of their agents. The version before creates and rotates keys without one. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE api_keys ADD COLUMN purpose text`
})
