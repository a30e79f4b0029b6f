import { DateTime, Duration, Effect, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { lastTime } from "../postgres/boundedTime.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { inIndexOrder } from "../postgres/indexes.ts"
import { NullableTimestamp, Timestamp } from "../postgres/rows.ts"
import { lacksOwner } from "./claimChosen.ts"
import { nothingAhead, type Targets } from "./Targets.ts"

export const makeNextDue = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const inOrder = sql.literal(inIndexOrder)
  /** Bounds stored times, so that no row fails the statement. */
  const last = sql.literal(lastTime)

  const findNextDue = SqlSchema.findOne({
    Request: Schema.Struct({ now: Timestamp, since: Timestamp, within: Schema.Int, lead: Schema.Int }),
    Result: Schema.Struct({ at: NullableTimestamp, isAnyLeft: Schema.Boolean }),
    execute: ({ lead, now, since, within }) => sql`
      WITH moment AS MATERIALIZED (
        SELECT now, since, since + ${within}::int * interval '1 millisecond' AS due_until FROM (
          SELECT now, now - (${now}::timestamptz - ${since}::timestamptz) AS since FROM (
            SELECT least(${now}::timestamptz, clock_timestamp()) AS now) shifted) moment
      )
      SELECT (SELECT due_at FROM post_targets ${inOrder}
          WHERE status = 'pending' AND due_at <= (SELECT due_until FROM moment) ORDER BY due_at LIMIT 1) IS NOT NULL
        -- Or abandoned claims, which wait for a slot, a lock, or the right to take over.
        OR EXISTS (SELECT FROM post_targets t ${inOrder} WHERE t.status = 'publishing' AND (t.lease_until <= (SELECT since FROM moment)
          OR ${sql.literal(lacksOwner("lease_until > clock_timestamp()"))})) AS "isAnyLeft",
        -- Rounded up to the process's precision: a tick too early claims nothing.
        date_trunc('milliseconds', interval '999 microseconds' + least(
        -- Targets that a claim ahead has left, perhaps locked, are tried again when due.
        (SELECT CASE WHEN due_at <= (SELECT due_until FROM moment) THEN due_at ELSE due_at - ${lead}::int * interval '1 millisecond' END
          FROM post_targets ${inOrder}
          WHERE status = 'pending' AND due_at > (SELECT since FROM moment) AND due_at < ${last} ORDER BY due_at LIMIT 1),
        (SELECT lease_until FROM post_targets WHERE status = 'publishing' AND lease_until > (SELECT since FROM moment)
          AND lease_until < ${last} ORDER BY lease_until LIMIT 1),
        -- A stopped process's claims are taken over then. A running process renews its lease long before.
        (SELECT lease_until FROM processes WHERE lease_until > clock_timestamp() AND lease_until < ${last}
          ORDER BY lease_until LIMIT 1)
        ) + (${now}::timestamptz - (SELECT now FROM moment))) AS at`
  })

  const nextDue: Targets["nextDue"] = Effect.fn("Repo.targets.nextDue")((since, { lead, within } = nothingAhead) =>
    DateTime.now.pipe(
      Effect.flatMap((now) =>
        findNextDue({ now, since, within: Duration.toMillis(within), lead: Duration.toMillis(lead) })
      ),
      Effect.catchTag("NoSuchElementError", Effect.die),
      Effect.map(({ at, isAnyLeft }) => ({ at: Option.fromNullOr(at), isAnyLeft })),
      withDatabaseTimeout("finding the next due time")
    )
  )

  return { nextDue }
})
