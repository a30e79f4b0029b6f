import { assert, layer } from "@effect/vitest"
import { Context, Duration, Effect, Layer, Result } from "effect"
import { RateLimiter } from "effect/persistence"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { rateLimitStoreLayer } from "../../../src/repo/rateLimit/store.ts"

/** A process that shares its counts through the test's database. */
const makeProcess = Effect.fn(function* (window: Duration.Input = "1 minute") {
  const sql = yield* SqlClient.SqlClient
  const built = yield* Layer.build(
    RateLimiter.layer.pipe(Layer.provide(rateLimitStoreLayer), Layer.provide(Layer.succeed(SqlClient.SqlClient, sql)))
  )
  const limiter = Context.get(built, RateLimiter.RateLimiter)
  const take = (key: string, limit: number, tokens = 1) => limiter.consume({ key, limit, tokens, window })
  return {
    take,
    /** Lets seconds pass until this process knows that `left` tokens are left. */
    waitUntilLeft: (key: string, limit: number, left: number) =>
      Effect.andThen(oneSecond, take(key, limit, 0)).pipe(
        Effect.repeat({ until: ({ remaining }) => remaining === left })
      )
  }
})

/** Lets a second pass, and then waits for a response of the database. */
const oneSecond = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* TestClock.adjust("1 second")
  return yield* sql<{ readonly key: string; readonly count: number }>`SELECT key, count FROM rate_limits`
})

layer(repoLayer)("rateLimitStoreLayer", (it) => {
  it.effect("Processes share their counts once a second", () =>
    Effect.gen(function* () {
      // A long window: each wait below may take many simulated seconds while the database works in real time.
      const first = yield* makeProcess("30 minutes")
      const second = yield* makeProcess("30 minutes")
      yield* first.take("shared", 10, 4)
      yield* second.take("shared", 10, 3)
      yield* second.waitUntilLeft("shared", 10, 3)
      yield* first.take("shared", 10)
      yield* first.waitUntilLeft("shared", 10, 2)
      yield* second.take("shared", 10)
      yield* second.waitUntilLeft("shared", 10, 1)
      const refused = yield* Effect.flip(second.take("shared", 10, 2))
      assert.strictEqual(refused.reason._tag, "RateLimitExceeded")
      yield* second.take("shared", 10)
    })
  )

  it.effect("A window begins with each minute of the clock", () =>
    Effect.gen(function* () {
      const { take } = yield* makeProcess()
      yield* TestClock.setTime(Duration.toMillis("10 minutes"))
      yield* TestClock.adjust("45 seconds")
      const { remaining, resetAfter } = yield* take("window", 3, 3)
      assert.deepStrictEqual([remaining, Duration.toSeconds(resetAfter)], [0, 15])
      const { reason } = yield* Effect.flip(take("window", 3))
      assert.strictEqual(reason._tag, "RateLimitExceeded")
      if (reason._tag === "RateLimitExceeded") assert.strictEqual(Duration.toSeconds(reason.retryAfter), 15)
      yield* TestClock.adjust("15 seconds")
      assert.strictEqual((yield* take("window", 3)).remaining, 2)
    })
  )

  it.effect("A refused request takes no tokens", () =>
    Effect.gen(function* () {
      const { take } = yield* makeProcess()
      yield* take("refused", 3, 2)
      assert.isTrue(Result.isFailure(yield* Effect.result(take("refused", 3, 2))))
      assert.strictEqual((yield* take("refused", 3)).remaining, 0)
    })
  )

  it.effect("A limit that does not divide a minute has windows of whole minutes", () =>
    Effect.gen(function* () {
      const { take } = yield* makeProcess()
      yield* TestClock.setTime(Duration.toMillis("20 minutes"))
      for (const limit of [7, 13, 300, 999_983]) {
        const { resetAfter } = yield* take(`limit ${limit}`, limit)
        assert.strictEqual(Duration.toMillis(resetAfter), 60_000)
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
        yield* oneSecond.pipe(
          Effect.repeat({ until: (rows) => rows.some(({ key, count }) => key === "outage" && count === 3) })
        )
      })
  )
})
