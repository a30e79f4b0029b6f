import { DateTime, Effect } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { inIndexOrder } from "../postgres/indexes.ts"
import { Timestamp } from "../postgres/rows.ts"
import { Backlog, backlogLimit, type Targets } from "./Targets.ts"

export const makeBacklog = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const inOrder = sql.literal(inIndexOrder)

  const countBacklog = SqlSchema.findOne({
    Request: Timestamp,
    Result: Backlog,
    execute: (now) => sql`
      SELECT least(count(*), ${backlogLimit}::int)::int AS due, min(greatest(since, 'epoch')) AS oldest,
        (SELECT greatest(next_at, 'epoch') FROM post_target_uploads WHERE status = 'waiting' AND next_at <= ${now}::timestamptz
          ORDER BY next_at LIMIT 1) AS "oldestUpload" FROM (
        (SELECT due_at AS since FROM post_targets ${inOrder} WHERE status = 'pending' AND due_at <= ${now}::timestamptz
          ORDER BY due_at LIMIT ${backlogLimit}::int)
        UNION ALL
        (SELECT lease_until FROM post_targets WHERE status = 'publishing' AND lease_until <= ${now}::timestamptz
          ORDER BY lease_until LIMIT ${backlogLimit}::int)) waiting`
  })

  const backlog: Targets["backlog"] = DateTime.now.pipe(
    Effect.flatMap(countBacklog),
    Effect.catchTag("NoSuchElementError", Effect.die),
    withDatabaseTimeout("counting the backlog"),
    Effect.withSpan("Repo.targets.backlog")
  )

  return { backlog }
})
