import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Who made an invitation, which ends with that person's rights; null where the version before did. That one inserts without it,
 * so that both can run at once.
 */
const statements = [`ALTER TABLE invites ADD COLUMN created_by_user uuid`]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
