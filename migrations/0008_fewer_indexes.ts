import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Drops indexes into which every published post is entered, and without which the version before stays fast: what is in flight is
 * all in post_targets_one_in_flight, and an account's published posts in post_targets_last_published.
 */
const statements = [
  `DROP INDEX post_targets_leased`,
  // Built in the background, so that it may be missing.
  `DROP INDEX IF EXISTS post_targets_by_platform_post`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
