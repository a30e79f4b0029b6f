import { assert, layer } from "@effect/vitest"
import { Context, Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { RateLimits } from "../../../src/repo/rateLimit/counts.ts"
import { rateLimitsLayer } from "../../../src/repo/rateLimit/store.ts"

const readRows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ readonly key: string; readonly count: number }>`SELECT key, count FROM rate_limits`
})

/**
 * Lets seconds pass until a condition holds. Each second shares the counts, and lasts for up to 100 responses of the
 * database, because counts fade out while the clock is ahead of the database.
 */
const waitUntil = <E, R>(condition: Effect.Effect<boolean, E, R>) =>
  TestClock.adjust("1 second").pipe(
    Effect.andThen(Effect.repeat(condition, { until: (holds) => holds, times: 100 })),
    Effect.repeat({ until: (holds) => holds })
  )

/** A process that shares its counts through the test's database. */
const makeProcess = Effect.fn(function* (window: Duration.Input = "1 minute") {
  const sql = yield* SqlClient.SqlClient
  const built = yield* Layer.build(rateLimitsLayer.pipe(Layer.provide(Layer.succeed(SqlClient.SqlClient, sql))))
  const limits = Context.get(built, RateLimits)
  const take = (key: string, limit: number, tokens = 1) =>
    Effect.sync(() => limits.take({ key, limit, tokens, window: Duration.fromInputUnsafe(window) }))
  return {
    take,
    /** Waits until this process knows that `left` tokens are left. */
    waitUntilLeft: (key: string, limit: number, left: number) =>
      waitUntil(
        Effect.andThen(
          readRows,
          Effect.map(take(key, limit, 0), ({ remaining }) => remaining === left)
        )
      )
  }
})

/** Waits until `count` tokens of a key are stored. */
const waitUntilStored = (key: string, count: number) =>
  waitUntil(Effect.map(readRows, (rows) => rows.some((row) => row.key === key && row.count === count)))

layer(repoLayer)("rateLimitsLayer", (it) => {
  it.effect("Processes share their counts once a second", () =>
    Effect.gen(function* () {
      // A long window, because each wait below can take many simulated seconds while the database works in real time.
      const first = yield* makeProcess("30 minutes")
      const second = yield* makeProcess("30 minutes")
      yield* first.take("shared", 10, 4)
      yield* second.take("shared", 10, 3)
      yield* second.waitUntilLeft("shared", 10, 3)
      yield* first.take("shared", 10)
      yield* first.waitUntilLeft("shared", 10, 2)
      yield* second.take("shared", 10)
      yield* second.waitUntilLeft("shared", 10, 1)
      assert.isFalse((yield* second.take("shared", 10, 2)).isTaken)
      assert.isTrue((yield* second.take("shared", 10)).isTaken)
    })
  )

  it.effect("A count beyond its range keeps no other workspace's counts from being shared", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const first = yield* makeProcess("30 minutes")
      const second = yield* makeProcess("30 minutes")
      yield* first.take("poisoned", 10)
      yield* waitUntilStored("poisoned", 1)
      yield* sql`UPDATE rate_limits SET count = 2147483647 WHERE key = 'poisoned'`
      yield* first.take("poisoned", 10)
      yield* first.take("neighbor", 10, 4)
      yield* second.take("neighbor", 10)
      yield* second.waitUntilLeft("neighbor", 10, 5)
    })
  )

  it.effect("The tokens of a minute of the clock fade out evenly over the next one", () =>
    Effect.gen(function* () {
      const { take } = yield* makeProcess()
      yield* TestClock.setTime(Duration.toMillis("10 minutes"))
      yield* TestClock.adjust("45 seconds")
      assert.deepStrictEqual(yield* take("window", 3, 3), { isTaken: true, remaining: 0, millis: 15_000 })
      const refuse = Effect.map(take("window", 3), ({ isTaken, millis }) => (isTaken ? "taken" : millis / 1000))
      // One of the three tokens no longer counts after a third of the next minute.
      assert.strictEqual(yield* refuse, 35)
      yield* TestClock.adjust("34 seconds")
      assert.strictEqual(yield* refuse, 1)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* take("window", 3)).remaining, 0)
      assert.strictEqual(yield* refuse, 20)
    })
  )

  it.effect("Requests across the end of a minute don't get through twice as often as the limit says", () =>
    Effect.gen(function* () {
      const { take } = yield* makeProcess()
      yield* TestClock.setTime(Duration.toMillis("15 minutes"))
      yield* TestClock.adjust("57500 millis")
      let taken = 0
      for (let request = 0; request < 600; request++) {
        if (request === 300) yield* TestClock.adjust("5 seconds")
        if ((yield* take("edge", 300)).isTaken) taken++
      }
      assert.strictEqual(taken, 312)
    })
  )

  it.effect("A refusal says after how long the next request gets through, at any time", () =>
    Effect.gen(function* () {
      const { take } = yield* makeProcess()
      yield* TestClock.setTime(Duration.toMillis("40 minutes"))
      for (let request = 0; request < 200; request++) {
        const { isTaken, millis } = yield* take("waits", 7)
        if (isTaken) {
          yield* TestClock.adjust((request * 7919) % 5000)
          continue
        }
        assert.isTrue(millis > 0)
        yield* TestClock.adjust(millis)
        assert.isTrue((yield* take("waits", 7)).isTaken)
      }
    })
  )

  it.effect("A process counts what others took in the minute before it first saw the key", () =>
    Effect.gen(function* () {
      const first = yield* makeProcess("30 minutes")
      const second = yield* makeProcess("30 minutes")
      yield* TestClock.setTime(Duration.toMillis("280 minutes"))
      yield* first.take("before", 10, 9)
      // A process reads the other processes' tokens of an ended window only once.
      yield* waitUntilStored("before", 9)
      yield* TestClock.setTime(Duration.toMillis("300 minutes"))
      yield* second.take("before", 10)
      yield* second.waitUntilLeft("before", 10, 0)
    })
  )

  it.effect("A refused request takes no tokens", () =>
    Effect.gen(function* () {
      const { take } = yield* makeProcess()
      yield* take("refused", 3, 2)
      assert.isFalse((yield* take("refused", 3, 2)).isTaken)
      assert.strictEqual((yield* take("refused", 3)).remaining, 0)
    })
  )

  it.effect("A limit that does not divide a minute has windows of whole minutes", () =>
    Effect.gen(function* () {
      const { take } = yield* makeProcess()
      yield* TestClock.setTime(Duration.toMillis("20 minutes"))
      for (const limit of [7, 13, 300, 999_983]) {
        assert.strictEqual((yield* take(`limit ${limit}`, limit)).millis, 60_000)
      }
    })
  )

  it.effect(
    "A process counts for itself while the database is unavailable, and shares its counts when it is back",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const process = yield* makeProcess("30 minutes")
        yield* TestClock.setTime(Duration.toMillis("30 minutes"))
        yield* sql`ALTER TABLE rate_limits RENAME TO renamed`
        yield* process.take("outage", 5, 2)
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* process.take("outage", 5)).remaining, 2)
        yield* sql`ALTER TABLE renamed RENAME TO rate_limits`
        yield* waitUntilStored("outage", 3)
      })
  )

  it.effect(
    "Only keys that took tokens since the last second are written, and what has expired is swept by an index",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const process = yield* makeProcess("30 minutes")
        yield* TestClock.setTime(Duration.toMillis("900 minutes"))
        yield* process.take("idle", 10, 2)
        yield* process.take("asked", 10, 2)
        yield* process.waitUntilLeft("idle", 10, 8)
        const versions = Effect.map(
          sql<{ readonly key: string; readonly version: string }>`
          SELECT key, xmin::text || ' ' || ctid::text AS version FROM rate_limits ORDER BY key`,
          (rows) => rows.filter(({ key }) => key === "idle" || key === "asked")
        )
        yield* waitUntil(Effect.map(readRows, (rows) => rows.some(({ key }) => key === "asked")))
        const before = yield* versions
        assert.strictEqual(before.length, 2)
        for (let second = 0; second < 5; second++) {
          yield* process.take("asked", 10, 0)
          yield* process.take("busy", 1000)
          yield* process.waitUntilLeft("busy", 1000, 999 - second)
          yield* TestClock.adjust("1 second")
          yield* readRows
        }
        yield* waitUntilStored("busy", 5)
        assert.deepStrictEqual(yield* versions, before)
        const definitions =
          yield* sql`SELECT FROM pg_indexes WHERE indexdef LIKE '%rate_limits USING btree (window_start)'`
        assert.strictEqual(definitions.length, 1)
      })
  )
})
