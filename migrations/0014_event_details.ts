import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Only a post's history shows these. Webhooks get the other data, which has no post's text. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE events ADD COLUMN details jsonb`
})
