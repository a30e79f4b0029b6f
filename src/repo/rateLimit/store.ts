import { DateTime, Duration, Effect, Layer, Schedule, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { bestEffort } from "../postgres/databaseErrors.ts"
import { inIndexOrder } from "../postgres/indexes.ts"
import { Timestamp } from "../postgres/rows.ts"
import { makeRateLimitCounts, RateLimits } from "./counts.ts"

const shareInterval = Duration.seconds(1)
const retention = Duration.hours(1)
const sweptRows = 10_000

const windowKey = ({ key, windowStart }: { readonly key: string; readonly windowStart: DateTime.Utc }): string =>
  `${windowStart.epochMilliseconds} ${key}`

/**
 * Counts in memory and shares through the database once a second, so that a request costs no round trip. Several
 * processes may exceed a limit by tokens that each grants before it knows the others' counts: in the last second, or in
 * a key's first second of a window. One process is exact. Without the database, each process counts for itself.
 */
export const rateLimitsLayer = Layer.effect(
  RateLimits,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const counts = yield* makeRateLimitCounts

    // Writes new counts, reads the other totals, and sweeps expired rows. Ordered keys and skipped locks prevent
    // deadlocks. Expired rows are found in index order, because a plan from few rows would sort all rows.
    const addCounts = SqlSchema.findAll({
      Request: Schema.Struct({
        expired: Timestamp,
        keys: Schema.Array(Schema.String),
        windowStarts: Schema.Array(Timestamp),
        counts: Schema.Array(Schema.Int)
      }),
      Result: Schema.Struct({ key: Schema.String, windowStart: Timestamp, count: Schema.Int }),
      execute: (added) =>
        sql`
        WITH shared AS (
          SELECT * FROM unnest(${added.keys}::text[], ${added.windowStarts}::timestamptz[], ${added.counts}::int[])
            shared (key, window_start, count)
        ), swept AS (
          DELETE FROM rate_limits WHERE ctid = ANY(ARRAY(
            SELECT r.ctid FROM rate_limits r ${sql.literal(inIndexOrder)} WHERE window_start < ${added.expired}::timestamptz
            ORDER BY window_start LIMIT ${sweptRows}::int FOR UPDATE OF r SKIP LOCKED))
        ), written AS (
          INSERT INTO rate_limits (key, window_start, count)
          SELECT * FROM shared WHERE count > 0 ORDER BY key, window_start
          ON CONFLICT (key, window_start) DO UPDATE SET count = least(rate_limits.count::bigint + excluded.count, 2147483647)
          RETURNING key, window_start, count
        )
        SELECT key, window_start AS "windowStart", count FROM written
        UNION ALL
        SELECT s.key, s.window_start, coalesce((SELECT r.count FROM rate_limits r
          WHERE r.key = s.key AND r.window_start = s.window_start), 0) FROM shared s WHERE s.count = 0`
    })

    const share = Effect.gen(function* () {
      const unshared = yield* counts.unshared
      if (unshared.length === 0) return
      const rows = yield* addCounts({
        expired: DateTime.subtractDuration(yield* DateTime.now, retention),
        keys: unshared.map(({ key }) => key),
        windowStarts: unshared.map(({ windowStart }) => windowStart),
        counts: unshared.map(({ count }) => count)
      })
      const totals = new Map(rows.map((row) => [windowKey(row), row.count]))
      for (const shared of unshared) shared.confirm(totals.get(windowKey(shared)) ?? shared.count)
    }).pipe(bestEffort("Rate limits are counted by each process for itself"))
    yield* Effect.forkScoped(Effect.repeat(share, Schedule.spaced(shareInterval)))

    return counts.limits
  })
)
