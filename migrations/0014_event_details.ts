import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The part of an event that only a post's history shows. It is separate from the webhooks' data, which has no post's
 * text.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE events ADD COLUMN details jsonb`
})
