import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The platform of an authorization. The version before stores none, and knows only X: null means twitter. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE authorisations ADD COLUMN platform text`
})
