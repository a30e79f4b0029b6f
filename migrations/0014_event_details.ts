import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** What only a post's history tells of an event: it is kept apart from what webhooks are sent, which has no post's text. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE events ADD COLUMN details jsonb`
})
