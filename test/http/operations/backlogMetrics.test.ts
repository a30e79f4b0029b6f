import { assert, describe, it } from "@effect/vitest"
import { DateTime, Deferred, Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { DatabaseUnavailable } from "../../../src/domain/errors.ts"
import { repoWithKey, startServer } from "../../support/http/server.ts"
import { capturedTelemetryLayer, Log, scrape } from "../../support/telemetry/capturedTelemetry.ts"
import type { Targets } from "../../../src/repo/targets/Targets.ts"

describe("a scrape", () => {
  const away = new DatabaseUnavailable({ operation: "looking at the backlog", cause: new Error("gone") })

  it.effect("shows how much is due and for how long, and asks the database once in five seconds at most", () =>
    Effect.gen(function* () {
      let asked = 0
      const backlog = Effect.sync(() => ({ due: ++asked, oldest: DateTime.makeUnsafe(0) }))
      const url = yield* startServer({ repo: repoWithKey({ targets: { backlog } }) })
      yield* TestClock.adjust("1 minute")
      yield* Effect.all([scrape(url), scrape(url), scrape(url)], { concurrency: "unbounded" })
      yield* TestClock.adjust("4 seconds")
      const early = yield* scrape(url)
      assert.strictEqual(early.get("publish_due_targets"), 1)
      assert.strictEqual(early.get("publish_oldest_due_seconds"), 60)
      yield* TestClock.adjust("1 second")
      const later = yield* scrape(url)
      assert.strictEqual(later.get("publish_due_targets"), 2)
      assert.strictEqual(later.get("publish_oldest_due_seconds"), 65)
    }).pipe(Effect.provide(capturedTelemetryLayer))
  )

  it.effect("shows no backlog while the database is away, and everything else", () =>
    Effect.gen(function* () {
      const answers: Array<Targets["backlog"]> = [
        Effect.succeed({ due: 3, oldest: DateTime.makeUnsafe(0) }),
        Effect.fail(away),
        Effect.die("x"),
        Effect.succeed({ due: 0, oldest: null })
      ]
      const backlog = Effect.suspend(() => answers.shift() ?? Effect.die("Asked too often"))
      const url = yield* startServer({ repo: repoWithKey({ targets: { backlog } }) })
      const shown: Array<ReadonlyArray<number | undefined>> = []
      for (let scrapes = 0; scrapes < 4; scrapes++) {
        const figures = yield* scrape(url)
        const names = ["database_up", "publish_due_targets", "publish_oldest_due_seconds", "rate_limit_refusals_total"]
        shown.push(names.map((name) => figures.get(name)))
        yield* TestClock.adjust("5 seconds")
      }
      assert.deepStrictEqual(shown, [
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

  it.effect("takes two seconds at most while the database is frozen, and then lacks only the backlog", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const thawed = yield* Deferred.make<never>()
      const backlog = Effect.uninterruptible(Effect.andThen(Deferred.succeed(asked, undefined), Deferred.await(thawed)))
      const url = yield* startServer({ repo: repoWithKey({ targets: { backlog } }) })
      const scraping = yield* Effect.forkChild(scrape(url))
      yield* Deferred.await(asked)
      yield* TestClock.adjust(Duration.seconds(2))
      const figures = yield* Fiber.join(scraping)
      assert.strictEqual(figures.get("database_up"), 0)
      assert.strictEqual(figures.get("database_answer_seconds"), 2)
      assert.strictEqual(figures.get("rate_limit_refusals_total"), 0)
      assert.isFalse(figures.has("publish_due_targets"))
      assert.isFalse(figures.has("publish_oldest_due_seconds"))
      yield* Deferred.interrupt(thawed)
    }).pipe(Effect.provide(capturedTelemetryLayer))
  )
})
