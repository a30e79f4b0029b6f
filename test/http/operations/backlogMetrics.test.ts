import { assert, describe, it } from "@effect/vitest"
import { DateTime, Deferred, Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { DatabaseUnavailable } from "../../../src/domain/errors.ts"
import { repoWithKey, startServer } from "../../support/http/server.ts"
import { capturedTelemetryLayer, Log, scrape } from "../../support/telemetry/capturedTelemetry.ts"
import type { Targets } from "../../../src/repo/targets/Targets.ts"

describe("backlog metrics", () => {
  const unavailable = new DatabaseUnavailable({ operation: "looking at the backlog", cause: new Error("gone") })

  it.effect("A scrape has the number and age of due targets, which are read at most every 5 s", () =>
    Effect.gen(function* () {
      let reads = 0
      const backlog = Effect.sync(() => ({
        due: ++reads,
        oldest: DateTime.makeUnsafe(0),
        oldestUpload: DateTime.makeUnsafe(30_000)
      }))
      const url = yield* startServer({ repo: repoWithKey({ targets: { backlog } }) })
      yield* TestClock.adjust("1 minute")
      yield* Effect.all([scrape(url), scrape(url), scrape(url)], { concurrency: "unbounded" })
      yield* TestClock.adjust("4 seconds")
      const early = yield* scrape(url)
      assert.strictEqual(early.get("publish_due_targets"), 1)
      assert.strictEqual(early.get("publish_oldest_due_seconds"), 60)
      assert.strictEqual(early.get("publish_oldest_upload_seconds"), 30)
      yield* TestClock.adjust("1 second")
      const later = yield* scrape(url)
      assert.strictEqual(later.get("publish_due_targets"), 2)
      assert.strictEqual(later.get("publish_oldest_due_seconds"), 65)
    }).pipe(Effect.provide(capturedTelemetryLayer))
  )

  it.effect("A scrape lacks only the backlog while the database is unavailable", () =>
    Effect.gen(function* () {
      const results: Array<Targets["backlog"]> = [
        Effect.succeed({ due: 3, oldest: DateTime.makeUnsafe(0), oldestUpload: null }),
        Effect.fail(unavailable),
        Effect.die("x"),
        Effect.succeed({ due: 0, oldest: null, oldestUpload: null })
      ]
      const backlog = Effect.suspend(() => results.shift() ?? Effect.die("Read too often"))
      const url = yield* startServer({ repo: repoWithKey({ targets: { backlog } }) })
      const scrapes: Array<ReadonlyArray<number | undefined>> = []
      for (let count = 0; count < 4; count++) {
        const metrics = yield* scrape(url)
        const names = ["database_up", "publish_due_targets", "publish_oldest_due_seconds", "rate_limit_refusals_total"]
        scrapes.push(names.map((name) => metrics.get(name)))
        yield* TestClock.adjust("5 seconds")
      }
      assert.deepStrictEqual(scrapes, [
        [1, 3, 0, 0],
        [0, undefined, undefined, 0],
        [0, undefined, undefined, 0],
        [1, 0, 0, 0]
      ])
      const errors = (yield* Log).filter(({ level }) => level === "Error")
      assert.deepStrictEqual(
        errors.map(({ message }) => message),
        ["The backlog could not be read"]
      )
    }).pipe(Effect.provide(capturedTelemetryLayer))
  )

  it.effect("A scrape takes at most 2 s while the database hangs, and lacks only the backlog", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      const resumed = yield* Deferred.make<never>()
      const backlog = Effect.uninterruptible(
        Effect.andThen(Deferred.succeed(started, undefined), Deferred.await(resumed))
      )
      const url = yield* startServer({ repo: repoWithKey({ targets: { backlog } }) })
      const scraping = yield* Effect.forkChild(scrape(url))
      yield* Deferred.await(started)
      yield* TestClock.adjust(Duration.seconds(2))
      const metrics = yield* Fiber.join(scraping)
      assert.strictEqual(metrics.get("database_up"), 0)
      assert.strictEqual(metrics.get("database_answer_seconds"), 2)
      assert.strictEqual(metrics.get("rate_limit_refusals_total"), 0)
      assert.isFalse(metrics.has("publish_due_targets"))
      assert.isFalse(metrics.has("publish_oldest_due_seconds"))
      yield* Deferred.interrupt(resumed)
    }).pipe(Effect.provide(capturedTelemetryLayer))
  )
})
