import { Clock, Duration, Effect, Layer, Schedule, Schema } from "effect"
import { RateLimiter } from "effect/persistence"
import { SqlClient } from "effect/sql"
import { bestEffort } from "../postgres/bestEffort.ts"
import { makeRateLimitCounts } from "./counts.ts"

/** How often what was counted here is added to what the other processes counted. */
const settleEvery = Duration.seconds(1)
/** How long a window is kept that is over. */
const keptFor = Duration.hours(1)

const TotalRow = Schema.Struct({ key: Schema.String, count: Schema.Int })

/**
 * Counts here and settles with the database once a second, so that a request costs no round trip. With several processes a
 * limit may therefore be exceeded by what one lets through before it has heard of the others: within the last second, or
 * within the first in which it is asked for that minute. With one it is exact. While the database is away each counts for
 * itself.
 */
export const rateLimitStore = Layer.effect(
  RateLimiter.RateLimiterStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const counts = yield* makeRateLimitCounts
    const decode = Schema.decodeUnknownEffect(Schema.Array(TotalRow))

    const settle = Effect.gen(function* () {
      const owing = yield* counts.owed
      if (owing.length === 0) return
      const old = new Date((yield* Clock.currentTimeMillis) - Duration.toMillis(keptFor))
      const rows = yield* sql`
        WITH swept AS (
          DELETE FROM rate_limits WHERE window_start < ${old}::timestamptz
        )
        INSERT INTO rate_limits (key, window_start, count)
        SELECT * FROM unnest(${owing.map(({ key }) => key)}::text[], ${owing.map(({ windowStart }) => windowStart)}::timestamptz[],
          ${owing.map(({ owed }) => owed)}::int[]) asked (key, window_start, count) ORDER BY key
        ON CONFLICT (key, window_start) DO UPDATE SET count = rate_limits.count + excluded.count
        RETURNING key, count`.pipe(Effect.flatMap(decode))
      const totals = new Map(rows.map((row) => [row.key, row.count]))
      for (const { key, owed, settle: settled } of owing) settled(totals.get(key) ?? owed)
    }).pipe(bestEffort("Rate limits are counted by each process for itself"))
    yield* Effect.forkScoped(Effect.repeat(settle, Schedule.spaced(settleEvery)))

    return counts.store
  })
)
