import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect, Layer } from "effect"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import { OutcomeUnknown, Unavailable } from "../../src/domain/publishing/platformError.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { makeWorkspace, plan } from "../support/database/fixtures.ts"
import { capturedTelemetryLayer, Log, readMetrics } from "../support/telemetry/capturedTelemetry.ts"
import { after, notYet, part, states, threadInAMinute, ThreadScript, threadWorld, tick } from "./threadWorld.ts"
import { publisherLayer } from "./publisherLayer.ts"
import { planPublish } from "../support/plans.ts"

const three = [part("two"), part("three")]

/** Replaces X's known limit: X accepts `remaining` more posts for a time. */
const limit = Effect.fnUntraced(function* (remaining: number, lasts: Duration.Input = "15 minutes") {
  const { limits } = yield* ThreadScript
  const until = DateTime.addDuration(yield* DateTime.now, lasts)
  limits.splice(0, limits.length, { message: `X takes ${remaining} more`, remaining, limit: 100, until })
})

/** Forgets X's known limit. */
const unlimited = Effect.map(ThreadScript, ({ limits }) => void limits.splice(0))

/** Runs a test with its own publisher, metrics and log. */
const observed = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  Effect.provide(test, Layer.provideMerge(Layer.fresh(publisherLayer), Layer.fresh(capturedTelemetryLayer)), {
    local: true
  })

layer(threadWorld)("A thread that the last seen limit can't hold", (it) => {
  it.effect("It waits until the limit is reset and says why, and then all of it goes out in order", () =>
    Effect.gen(function* () {
      const { takeCalls } = yield* ThreadScript
      const { posts } = yield* Repo
      const thread = yield* threadInAMinute("one", three)
      yield* after("1 minute", 0)
      yield* limit(2)
      yield* tick
      assert.deepStrictEqual(yield* states(thread), [
        "publishing",
        "twitter pending: pending(rate_limited) pending pending"
      ])
      const [target] = (yield* posts.get(thread.workspace, thread.id)).post_targets
      assert.deepStrictEqual(target?.error, {
        code: "rate_limited",
        message: "Part 1 of 3: X takes 2 more, and this thread has 3. It begins once that limit resets",
        retryable: true,
        facts: {
          may_be_published: false,
          part: 1,
          reason: "X takes 2 more, and this thread has 3. It begins once that limit resets"
        }
      })
      yield* after(Duration.subtract(Duration.minutes(15), notYet))
      assert.deepStrictEqual(takeCalls(), [])
      yield* after(notYet)
      yield* after("2 seconds")
      yield* after("2 seconds")
      assert.deepStrictEqual(takeCalls(), [
        "twitter publish one",
        "twitter publish two <- twitter-one",
        "twitter publish three <- twitter-two"
      ])
      assert.deepStrictEqual(yield* states(thread), ["published", "twitter published: published published published"])
    })
  )

  it.effect("What goes on is a thread whose beginning is out, also where it is refused on the way", () =>
    Effect.gen(function* () {
      const { sends, takeCalls } = yield* ThreadScript
      const thread = yield* threadInAMinute("one", three)
      yield* after("1 minute")
      yield* limit(0)
      sends.twitter.push(Effect.fail(new Unavailable({ message: "Down" })))
      yield* after("2 seconds")
      yield* after("1 minute")
      yield* after("2 seconds")
      assert.deepStrictEqual(takeCalls(), [
        "twitter publish one",
        "twitter publish two <- twitter-one",
        "twitter publish two <- twitter-one",
        "twitter publish three <- twitter-two"
      ])
      assert.deepStrictEqual(yield* states(thread), ["published", "twitter published: published published published"])
      yield* unlimited
    })
  )

  it.effect("A first part whose outcome is unknown is looked for and not held", () =>
    Effect.gen(function* () {
      const { sends, takeCalls } = yield* ThreadScript
      const thread = yield* threadInAMinute("one", [part("two")])
      sends.twitter.push(Effect.fail(new OutcomeUnknown({ message: "The connection was lost" })))
      yield* after("1 minute")
      yield* limit(0)
      yield* after("15 seconds")
      yield* after("2 seconds")
      assert.deepStrictEqual(takeCalls(), [
        "twitter publish one",
        "twitter reconcile one",
        "twitter publish two <- twitter-one"
      ])
      assert.deepStrictEqual(yield* states(thread), ["published", "twitter published: published published"])
      yield* unlimited
    })
  )

  it.effect("A first part that X did not take at first waits before its second attempt", () =>
    Effect.gen(function* () {
      const { sends, takeCalls } = yield* ThreadScript
      yield* threadInAMinute("one", [part("two")])
      sends.twitter.push(Effect.fail(new Unavailable({ message: "Down" })))
      yield* after("1 minute")
      yield* limit(1)
      yield* after("14 minutes")
      assert.deepStrictEqual(takeCalls(), ["twitter publish one"])
      yield* after("1 minute")
      yield* after("2 seconds")
      assert.deepStrictEqual(takeCalls(), ["twitter publish one", "twitter publish two <- twitter-one"])
    })
  )

  it.effect("Other posts of the account and the thread's own posts on other platforms go out meanwhile", () =>
    Effect.gen(function* () {
      const { takeCalls } = yield* ThreadScript
      const { posts } = yield* Repo
      const thread = yield* threadInAMinute("one", [part("two")], { platforms: ["twitter", "bluesky"] })
      yield* after("1 minute", 0)
      yield* limit(1)
      yield* tick
      yield* posts.create(thread.workspace, { ...plan(yield* DateTime.now), content: "apart" })
      yield* after("1 second", 2)
      assert.sameMembers(
        [...takeCalls()],
        ["bluesky publish one", "twitter publish apart", "bluesky publish two <- bluesky-one"]
      )
      assert.deepStrictEqual(yield* states(thread), [
        "publishing",
        "twitter pending: pending(rate_limited) pending",
        "bluesky published: published published"
      ])
      yield* unlimited
      yield* after("15 minutes")
      yield* after("2 seconds")
      takeCalls()
    })
  )

  it.effect("A thread that a person publishes at once waits too", () =>
    Effect.gen(function* () {
      const { takeCalls } = yield* ThreadScript
      const { posts } = yield* Repo
      const workspace = yield* makeWorkspace()
      const { id } = yield* posts.create(workspace, { ...plan(null), content: "one", thread: [part("two")] })
      yield* limit(1)
      yield* posts.publish(workspace, id, planPublish)
      yield* tick
      assert.deepStrictEqual(yield* states({ workspace, id }), [
        "publishing",
        "twitter pending: pending(rate_limited) pending"
      ])
      yield* after("15 minutes")
      yield* after("2 seconds")
      assert.deepStrictEqual(takeCalls(), ["twitter publish one", "twitter publish two <- twitter-one"])
    })
  )

  it.effect("A thread that waits can be deleted, and nothing of it goes out", () =>
    Effect.gen(function* () {
      const { takeCalls } = yield* ThreadScript
      const { posts } = yield* Repo
      const thread = yield* threadInAMinute("one", [part("two")])
      yield* after("1 minute", 0)
      yield* limit(1)
      yield* tick
      yield* posts.remove(thread.workspace, thread.id)
      yield* after("15 minutes")
      assert.deepStrictEqual(takeCalls(), [])
    })
  )

  it.effect("Waiting is no attempt, however often it waits, and in the last hour of its day it waits no longer", () =>
    Effect.gen(function* () {
      const { sends, takeCalls } = yield* ThreadScript
      const thread = yield* threadInAMinute("one", [part("two")])
      yield* after("1 minute", 0)
      for (let waits = 0; waits < 20; waits++) {
        yield* limit(1)
        yield* tick
        yield* after("15 minutes", 0)
      }
      yield* limit(1, "18 hours")
      yield* tick
      yield* after("18 hours", 0)
      assert.deepStrictEqual(takeCalls(), [])
      yield* limit(1)
      sends.twitter.push(Effect.fail(new Unavailable({ message: "Down" })))
      yield* tick
      assert.deepStrictEqual(takeCalls(), ["twitter publish one"])
      // The first retry comes after 30 s plus at most a fifth.
      yield* after("36 seconds")
      yield* after("2 seconds")
      assert.deepStrictEqual(takeCalls(), ["twitter publish one", "twitter publish two <- twitter-one"])
      assert.deepStrictEqual(yield* states(thread), ["published", "twitter published: published published"])
      yield* unlimited
    })
  )

  it.effect("Its lateness is measured once, when it fell due, and the log says that it waits, which is no retry", () =>
    observed(
      Effect.gen(function* () {
        const { takeCalls } = yield* ThreadScript
        yield* threadInAMinute("one", [part("two")])
        yield* after("61 seconds", 0)
        yield* limit(1)
        yield* tick
        yield* after("15 minutes")
        yield* after("2 seconds")
        assert.lengthOf(takeCalls(), 2)
        const values = yield* Effect.map(PrometheusMetrics.format(), readMetrics)
        const value = (name: string) => values.get(`${name}{platform="twitter"}`)
        assert.strictEqual(value("publish_lateness_seconds_count"), 1)
        assert.strictEqual(value("publish_lateness_seconds_sum"), 1)
        assert.strictEqual(values.get(`publish_retries_total{platform="twitter",reason="rate_limited"}`), 0)
        const log = yield* Log
        assert.deepStrictEqual(
          log.filter(({ level }) => level === "Warn"),
          []
        )
        assert.deepInclude(
          log.map(({ level, message }) => [level, message]),
          ["Info", "The twitter target waits: rate_limited"]
        )
      })
    )
  )
})
