import { DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { Connections } from "../../src/platforms/Connection.ts"
import { platformClientLayer } from "../../src/platforms/layer.ts"
import { Publisher } from "../../src/publishing/Publisher.ts"
import { repoLayer } from "../support/database/testDatabase.ts"
import { platformHttpLayer } from "../support/http/platformHttpLayer.ts"
import { publisherLayer } from "../publishing/publisherLayer.ts"

/** The start of the tests' clock. It is in the past, because times ahead of the database's own clock are never due. */
const start = DateTime.makeUnsafe("2026-01-31T12:00:00.250Z")

/** Sets the clock before everything else is built. Otherwise connection pools would run all their timers since 1970. */
export const clockLayer = Layer.effectDiscard(TestClock.setTime(DateTime.toEpochMillis(start)))

/** The publisher on PostgreSQL, with the platforms of `config` and the test's clock. */
export const publishing = <A, E>(config: Effect.Effect<Connections, never, A>, standIns: Layer.Layer<A, E>) =>
  publisherLayer.pipe(
    Layer.provideMerge(Layer.unwrap(Effect.map(config, platformClientLayer))),
    Layer.provideMerge(Layer.mergeAll(standIns, platformHttpLayer, repoLayer)),
    Layer.provideMerge(clockLayer)
  )

/** Ticks until nothing is due, and waits for the attempts. */
export const publishDue = Effect.gen(function* () {
  const publisher = yield* Publisher
  yield* Effect.repeat(Effect.tap(publisher.tick, publisher.idle), { until: (claimed) => claimed === 0 })
})

const CountRow = Schema.Tuple([Schema.Struct({ count: Schema.Int })])

/** The number of posts without a final status. */
export const openPosts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`SELECT count(*)::int AS count FROM posts WHERE status NOT IN ('published', 'failed')`
  const [{ count }] = yield* Schema.decodeUnknownEffect(CountRow)(rows)
  return count
})
