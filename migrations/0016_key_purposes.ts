import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The purpose, by which people find the keys of their agents. The version before creates and rotates keys without it.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE api_keys ADD COLUMN purpose text`
})
