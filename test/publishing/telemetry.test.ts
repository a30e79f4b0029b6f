import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect, Layer, Tracer } from "effect"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import { TestClock } from "effect/testing"
import { ApplicationRefused, RateLimited, Rejected, Unavailable } from "../../src/domain/publishing/platformError.ts"
import { LastCall } from "../../src/platforms/lastCall.ts"
import { Publisher } from "../../src/publishing/Publisher.ts"
import { ahead } from "../../src/publishing/timing.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { repoLayer } from "../support/database/testDatabase.ts"
import { makeWorkspace, plan } from "../support/database/fixtures.ts"
import { ok, Script, scriptedPlatform } from "./scriptedPlatform.ts"
import { part } from "./threadWorld.ts"
import {
  capturedTelemetryLayer,
  Log,
  makeRecordingTracer,
  readMetrics
} from "../support/telemetry/capturedTelemetry.ts"
import { publisherLayer } from "./publisherLayer.ts"
import { idleBySteps } from "./sendBatchWorld.ts"

const text = "Only for our followers"

const metrics = Effect.map(PrometheusMetrics.format(), readMetrics)

/** Ticks after a duration, and waits for the attempts. */
const later = (duration: Duration.Input) =>
  Effect.gen(function* () {
    yield* TestClock.adjust(duration)
    const publisher = yield* Publisher
    yield* publisher.tick
    yield* publisher.idle
  })

/** A post to X that is due in a minute. */
const dueInAMinute = Effect.gen(function* () {
  const at = DateTime.addDuration(yield* DateTime.now, "1 minute")
  const workspace = yield* makeWorkspace()
  const { id } = yield* (yield* Repo).posts.create(workspace, { ...plan(at), content: text })
  return { workspace, id }
})

/** Runs a test with its own publisher, metrics and log. */
const observed = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  Effect.provide(test, Layer.provideMerge(Layer.fresh(publisherLayer), Layer.fresh(capturedTelemetryLayer)), {
    local: true
  })

layer(Layer.provideMerge(scriptedPlatform, repoLayer))("The publisher's telemetry", (it) => {
  it.effect("Every counter is zero before anything is published", () =>
    observed(
      Effect.gen(function* () {
        const values = yield* metrics
        for (const platform of ["twitter", "bluesky"]) {
          for (const outcome of ["published", "rejected", "gave_up", "outcome_unknown", "missed", "needs_reconnect"]) {
            assert.strictEqual(values.get(`publish_targets_total{platform="${platform}",outcome="${outcome}"}`), 0)
          }
          for (const reason of ["rate_limited", "unavailable", "outcome_unknown"]) {
            assert.strictEqual(values.get(`publish_retries_total{platform="${platform}",reason="${reason}"}`), 0)
          }
        }
      })
    )
  )

  it.effect("A refused application is counted and logged as an error, without the platform's words", () =>
    observed(
      Effect.gen(function* () {
        const script = yield* Script
        yield* script.respond(
          "twitter",
          Effect.fail(new ApplicationRefused({ message: `No credits for “${text}”`, reason: "credits" }))
        )
        yield* dueInAMinute
        yield* later("64 seconds")
        const refusals = (reason: string) =>
          Effect.map(metrics, (values) =>
            values.get(`publish_application_refusals_total{platform="twitter",reason="${reason}"}`)
          )
        assert.deepStrictEqual([yield* refusals("credits"), yield* refusals("access")], [1, 0])
        const errors = (yield* Log).filter(({ level }) => level === "Error")
        assert.deepStrictEqual(
          errors.map(({ message }) => message),
          [
            "X refuses the service's application: its credits are spent, or it has reached its spending limit. " +
              "Automatic recharge is paused while the balance is zero or negative"
          ]
        )
        yield* later("1 hour")
      })
    )
  )

  it.effect("Every attempt's duration is measured, and the lateness of the first one", () =>
    observed(
      Effect.gen(function* () {
        const script = yield* Script
        const slow = TestClock.adjust("3 seconds")
        yield* script.respond(
          "twitter",
          Effect.andThen(slow, Effect.fail(new Unavailable({ message: "503" }))),
          Effect.andThen(slow, ok)
        )
        yield* dueInAMinute
        yield* later("64 seconds")
        yield* later("1 hour")
        const values = yield* metrics
        const attempts = (outcome: string, part: string) =>
          values.get(`publish_attempt_duration_seconds_${part}{platform="twitter",outcome="${outcome}"}`)
        assert.deepStrictEqual([attempts("retried", "count"), attempts("retried", "sum")], [1, 3])
        assert.deepStrictEqual([attempts("published", "count"), attempts("published", "sum")], [1, 3])
        assert.strictEqual(values.get(`publish_lateness_seconds_count{platform="twitter"}`), 1)
        assert.strictEqual(values.get(`publish_lateness_seconds_sum{platform="twitter"}`), 4)
        assert.strictEqual(values.get(`publish_retries_total{platform="twitter",reason="unavailable"}`), 1)
        assert.strictEqual(values.get(`publish_targets_total{platform="twitter",outcome="published"}`), 1)
      })
    )
  )

  it.effect("The wait of a target that was claimed ahead counts neither as an attempt nor as lateness", () =>
    observed(
      Effect.gen(function* () {
        const publisher = yield* Publisher
        yield* dueInAMinute
        yield* TestClock.adjust(Duration.subtract(Duration.minutes(1), ahead.within))
        assert.strictEqual(yield* publisher.tick, 1)
        yield* TestClock.adjust(ahead.within)
        yield* idleBySteps("1 millis")
        const values = yield* metrics
        for (const name of [
          `attempt_duration_seconds_sum{platform="twitter",outcome="published"}`,
          `lateness_seconds_sum{platform="twitter"}`
        ]) {
          assert.isBelow(values.get(`publish_${name}`) ?? Infinity, Duration.toSeconds(ahead.within))
        }
      })
    )
  )

  it.effect("A host that does not respond is an open circuit, until nothing was attempted on it for ten minutes", () =>
    observed(
      Effect.gen(function* () {
        const script = yield* Script
        const noResponse = Effect.gen(function* () {
          const call = yield* LastCall
          call.state = "waiting"
          return yield* new Rejected({ message: "Not again" })
        })
        const circuits = Effect.map(metrics, (values) => values.get("publish_open_circuits"))
        assert.strictEqual(yield* circuits, 0)
        yield* script.respond("twitter", ...Array.from({ length: 5 }, () => noResponse))
        yield* Effect.replicateEffect(dueInAMinute, 5, { discard: true })
        yield* later("64 seconds")
        assert.strictEqual(yield* circuits, 1)
        yield* TestClock.adjust("10 minutes")
        assert.strictEqual(yield* circuits, 1)
        yield* TestClock.adjust("1 second")
        assert.strictEqual(yield* circuits, 0)
      })
    )
  )

  it.effect("The end of a target is one log line with platform, outcome and lateness, but without the text", () =>
    observed(
      Effect.gen(function* () {
        const { id, workspace } = yield* dueInAMinute
        yield* later("62 seconds")
        const lines = (yield* Log).filter(({ level }) => level !== "Debug")
        assert.lengthOf(lines, 1)
        const { target_id, ...annotations } = lines[0]?.annotations ?? {}
        assert.isString(target_id)
        assert.strictEqual(lines[0]?.level, "Info")
        assert.strictEqual(lines[0]?.message, "The twitter target has ended: published")
        assert.deepStrictEqual(annotations, {
          workspace_id: workspace,
          post_id: id,
          platform: "twitter",
          outcome: "published",
          attempts: 1,
          lateness_seconds: 2
        })
      })
    )
  )

  it.effect("What is logged of a thread names the part, because each has attempts of its own", () =>
    observed(
      Effect.gen(function* () {
        const at = DateTime.addDuration(yield* DateTime.now, "1 minute")
        const workspace = yield* makeWorkspace()
        const thread = [part("Second")]
        yield* (yield* Repo).posts.create(workspace, { ...plan(at, ["bluesky"]), content: text, thread })
        yield* later("62 seconds")
        yield* later("0 seconds")
        const lines = (yield* Log).filter(({ level }) => level !== "Debug")
        assert.deepStrictEqual(
          lines.map(({ annotations, message }) => [message, annotations["part"], annotations["attempts"]]),
          [
            ["Part 1 of 2 of the bluesky target is out", 1, 1],
            ["The bluesky target has ended: published", 2, 1]
          ]
        )
      })
    )
  )

  it.effect(
    "A retry is a warning with its reason and time, but without the platform's message, which may repeat the text",
    () =>
      observed(
        Effect.gen(function* () {
          const script = yield* Script
          yield* dueInAMinute
          const until = DateTime.addDuration(yield* DateTime.now, "1 hour")
          yield* script.respond("twitter", Effect.fail(new RateLimited({ message: `Too often: ${text}`, until })))
          yield* later("1 minute")
          const warning = (yield* Log).find(({ level }) => level === "Warn")
          assert.strictEqual(warning?.message, "The twitter target will be retried: rate_limited")
          assert.strictEqual(warning?.annotations["reason"], "rate_limited")
          assert.strictEqual(warning?.annotations["next_attempt"], DateTime.formatIso(until))
          yield* script.respond("twitter", Effect.fail(new Rejected({ message: `Not allowed: ${text}` })))
          yield* later("1 hour")
          assert.include(JSON.stringify(yield* Log), "The twitter target has ended: rejected")
          assert.notInclude(JSON.stringify(yield* Log), text)
        })
      )
  )

  it.effect("A defect of an adapter is logged with its cause", () =>
    observed(
      Effect.gen(function* () {
        const script = yield* Script
        yield* script.respond("twitter", Effect.die(new Error("a mistake in an adapter")))
        const { id } = yield* dueInAMinute
        yield* later("1 minute")
        const error = (yield* Log).find(({ level }) => level === "Error")
        assert.include(error?.cause, "a mistake in an adapter")
        assert.strictEqual(error?.annotations["post_id"], id)
      })
    )
  )

  it.effect("The span of an attempt has the platform and the outcome", () =>
    Effect.gen(function* () {
      const { spans, tracer } = yield* makeRecordingTracer
      const { id } = yield* dueInAMinute
      yield* observed(later("1 minute")).pipe(Effect.provideService(Tracer.Tracer, tracer))
      const span = spans.find(({ attributes }) => attributes.get("publish.post_id") === id)
      assert.strictEqual(span?.name, "publishTarget")
      assert.deepStrictEqual(Object.fromEntries(span?.attributes ?? []), {
        "publish.platform": "twitter",
        "publish.post_id": id,
        "publish.attempt": 1,
        "publish.outcome": "published"
      })
    })
  )
})
