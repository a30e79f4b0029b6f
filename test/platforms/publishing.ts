import { NodeHttpClient } from "@effect/platform-node"
import { DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { PlatformsConfig } from "../../src/platforms/config.ts"
import { platformClientLayer } from "../../src/platforms/layer.ts"
import { Publisher } from "../../src/publishing/Publisher.ts"
import { repoLayer } from "../support/database.ts"

/** When the clock begins: past by any machine's clock, because the database's own bounds what is due. */
const start = DateTime.makeUnsafe("2026-01-31T12:00:00.250Z")

/** All that publishes, on PostgreSQL and stand-ins that are told of by `config`, with the clock in the test's hands. */
export const publishing = <A, E>(config: Effect.Effect<PlatformsConfig, never, A>, standIns: Layer.Layer<A, E>) =>
  Publisher.layer.pipe(
    Layer.provideMerge(Layer.unwrap(Effect.map(config, platformClientLayer))),
    Layer.provideMerge(Layer.mergeAll(standIns, NodeHttpClient.layerUndici, repoLayer)),
    // First of all, because a pool of connections does by the clock all that it would have done since 1970.
    Layer.provideMerge(Layer.effectDiscard(TestClock.setTime(DateTime.toEpochMillis(start))))
  )

/** Ticks until nothing more is due, and waits for all of it. */
export const publishDue = Effect.gen(function* () {
  const publisher = yield* Publisher
  yield* Effect.repeat(Effect.tap(publisher.tick, publisher.idle), { until: (claimed) => claimed === 0 })
})

const Counted = Schema.Tuple([Schema.Struct({ count: Schema.Int })])

/** How many posts have not ended yet. */
export const openPosts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`SELECT count(*)::int AS count FROM posts WHERE status NOT IN ('published', 'failed')`
  const [{ count }] = yield* Schema.decodeUnknownEffect(Counted)(rows)
  return count
})
