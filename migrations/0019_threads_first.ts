import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * begun_at: the first time at which a part of the target's thread was published, or may have been. A begun thread
 * continues before the account's other posts. Null for threads that began before this migration; these have a part
 * after the first.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe("ALTER TABLE post_targets ADD COLUMN begun_at timestamptz")
})
