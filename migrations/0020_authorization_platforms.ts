import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The platform on which a person authorizes. The version before stores none, and knows X alone: null means twitter. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE authorisations ADD COLUMN platform text`
})
