import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * begun_at: when a part of the target's thread first was out, or may have been. A thread that has begun goes on before
 * the account's other posts. It is null for threads that began before this migration, which a part after the first
 * identifies.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe("ALTER TABLE post_targets ADD COLUMN begun_at timestamptz")
})
