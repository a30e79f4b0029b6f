import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer, Option, Result } from "effect"
import { Headers } from "effect/http"
import { TestClock } from "effect/testing"
import type { ProcessId } from "../../src/domain/ids.ts"
import { Unavailable } from "../../src/domain/publishing/platformError.ts"
import { NoResponse } from "../../src/platforms/call.ts"
import { type CallState, LastCall } from "../../src/platforms/lastCall.ts"
import { encodeTokens } from "../../src/platforms/twitter/tokens.ts"
import { attempt } from "../../src/publishing/attempt.ts"
import { ProcessLease } from "../../src/publishing/ProcessLease.ts"
import { sendTimeout } from "../../src/publishing/timing.ts"
import { capturedTelemetryLayer } from "../support/telemetry/capturedTelemetry.ts"
import { claimed, settled } from "./claimed.ts"
import {
  text,
  claimOf,
  created,
  answerOf,
  makeWorld,
  attemptOf,
  interruptibleAttempt,
  attemptAll,
  kindOf
} from "./sendsWorld.ts"

describe("What comes of a send", () => {
  it.effect.each([
    ["a refusal", answerOf(403), "Rejected"],
    ["a success without an id", Result.succeed({ status: 201, headers: Headers.empty, body: "{}" }), "OutcomeUnknown"],
    ["a lost response", Result.fail(new NoResponse({ message: "Lost", maybeSent: true })), "OutcomeUnknown"],
    ["no connection", Result.fail(new NoResponse({ message: "None", maybeSent: false })), "Unavailable"],
    ["a server error", answerOf(500), "OutcomeUnknown"]
  ] as const)("After %s nothing is sent again, and the adapter reads what came", ([, came, kind]) => {
    const { answer, layer, sent } = makeWorld()
    return Effect.gen(function* () {
      const [own, other] = yield* attemptAll(claimOf(1), claimOf(2))
      if (own === undefined || other === undefined) return assert.fail()
      yield* settled
      yield* answer(1, came)
      yield* answer(2, created("2"))
      assert.deepStrictEqual([kindOf(yield* Fiber.join(own)), kindOf(yield* Fiber.join(other))], [kind, "Published"])
      assert.deepStrictEqual(sent, [text(1), text(2)])
    }).pipe(Effect.provide(layer))
  })

  it.effect.each([
    ["a refusal", answerOf(403), "Rejected"],
    ["a lost response", Result.fail(new NoResponse({ message: "Lost", maybeSent: true })), "OutcomeUnknown"]
  ] as const)("What comes once the leases have ended counts all the same: %s", ([, came, kind]) => {
    let owner: Option.Option<ProcessId> = Option.fromNullOr(claimed().ownerId)
    const lease = Layer.mock(ProcessLease, { current: Effect.sync(() => owner) })
    const { answer, layer, sent } = makeWorld({ lease })
    return Effect.gen(function* () {
      const own = yield* attemptOf(claimOf(1))
      yield* settled
      owner = Option.none()
      yield* answer(1, came)
      assert.strictEqual(kindOf(yield* Fiber.join(own)), kind)
      assert.deepStrictEqual(sent, [text(1)])
    }).pipe(Effect.provide(layer))
  })

  it.effect("An adapter that fails unexpectedly once it has an answer leaves the outcome unknown", () => {
    const { answer, layer } = makeWorld({
      adapt: (adapter) => ({
        ...adapter,
        send: (...args) => {
          const step = adapter.send(...args)
          const next = () => {
            throw new Error("A mistake")
          }
          return step._tag === "Request" ? { ...step, next } : step
        }
      })
    })
    return Effect.gen(function* () {
      const own = yield* attemptOf(claimOf(1))
      yield* settled
      yield* answer(1, answerOf(403))
      assert.strictEqual(kindOf(yield* Fiber.join(own)), "OutcomeUnknown")
    }).pipe(Effect.provide(Layer.merge(layer, Layer.fresh(capturedTelemetryLayer))))
  })

  it.effect("A post whose access X refuses is sent again with renewed access, under the same intent", () => {
    const renewed = encodeTokens({ accessToken: "renewed", refreshToken: null })
    const { answer, batches, layer, sent } = makeWorld({ refreshed: Effect.succeed(renewed) })
    return Effect.gen(function* () {
      const own = yield* attemptOf(claimOf(1))
      yield* settled
      yield* answer(1, answerOf(401))
      yield* settled
      yield* answer(1, created("1"))
      assert.strictEqual(kindOf(yield* Fiber.join(own)), "Published")
      assert.deepStrictEqual([batches, sent], [[[text(1)]], [text(1), text(1)]])
    }).pipe(Effect.provide(layer))
  })

  it.effect.each([
    ["fails", Effect.fail(new Unavailable({ message: "Not now" })), "Unavailable"],
    ["takes too long", Effect.never, "Unavailable"]
  ] as const)("A renewal that %s sends nothing again, and nothing is out", ([, refreshed, kind]) => {
    const { answer, layer, sent } = makeWorld({ refreshed })
    return Effect.gen(function* () {
      const own = yield* attemptOf(claimOf(1))
      yield* settled
      yield* TestClock.adjust("10 seconds")
      yield* answer(1, answerOf(401))
      yield* settled
      yield* TestClock.adjust(Duration.subtract(sendTimeout, Duration.seconds(10)))
      assert.strictEqual(kindOf(yield* Fiber.join(own)), kind)
      assert.deepStrictEqual(sent, [text(1)])
    }).pipe(Effect.provide(layer))
  })

  it.effect(
    "An attempt that is interrupted while its request is under way gives it up, and its outcome is open",
    () => {
      const { aborted, layer } = makeWorld()
      return Effect.gen(function* () {
        const own = yield* interruptibleAttempt(claimOf(1))
        yield* settled
        yield* own.interrupt
        assert.strictEqual(kindOf(yield* own.outcome), "CutOff")
        assert.deepStrictEqual(aborted, [text(1)])
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect("A post whose repetition with renewed access is not answered in time is unknown", () => {
    const renewed = encodeTokens({ accessToken: "renewed", refreshToken: null })
    const { answer, layer, sent } = makeWorld({ refreshed: Effect.succeed(renewed) })
    return Effect.gen(function* () {
      const own = yield* attemptOf(claimOf(1))
      yield* settled
      yield* answer(1, answerOf(401))
      yield* settled
      yield* TestClock.adjust(sendTimeout)
      assert.strictEqual(kindOf(yield* Fiber.join(own)), "OutcomeUnknown")
      assert.deepStrictEqual(sent, [text(1), text(1)])
    }).pipe(Effect.provide(layer))
  })

  it.effect("An attempt that is interrupted while refused access is renewed is released, as nothing is out", () => {
    const { answer, layer, sent } = makeWorld({ refreshed: Effect.never })
    return Effect.gen(function* () {
      const own = yield* interruptibleAttempt(claimOf(1))
      yield* settled
      yield* answer(1, answerOf(401))
      yield* settled
      yield* own.interrupt
      assert.strictEqual(kindOf(yield* own.outcome), "Released")
      assert.deepStrictEqual(sent, [text(1)])
    }).pipe(Effect.provide(layer))
  })

  it.effect("A defect of an adapter while it sends leaves that post's outcome unknown, and the others go on", () => {
    const { layer, sent } = makeWorld({
      adapt: (adapter) => ({
        ...adapter,
        calls: {
          ...adapter.calls,
          configured: (request) => {
            if (JSON.stringify(request).includes(text(1))) throw new Error("A mistake")
            return adapter.calls.configured(request)
          }
        }
      })
    })
    return Effect.gen(function* () {
      const [own] = yield* attemptAll(claimOf(1), claimOf(2))
      if (own === undefined) return assert.fail()
      assert.strictEqual(kindOf(yield* Fiber.join(own)), "OutcomeUnknown")
      yield* settled
      assert.deepStrictEqual(sent, [text(2)])
    }).pipe(Effect.provide(Layer.merge(layer, Layer.fresh(capturedTelemetryLayer))))
  })

  it.effect("The state of the last call says whether the platform responded", () => {
    const { answer, layer } = makeWorld()
    return Effect.gen(function* () {
      const state: CallState = { state: "none" }
      const own = yield* Effect.forkChild(
        Effect.provideService(Effect.uninterruptible(attempt(claimOf(1))), LastCall, state)
      )
      yield* settled
      assert.strictEqual(state.state, "waiting")
      yield* answer(1, created("1"))
      yield* Fiber.join(own)
      assert.strictEqual(state.state, "answered")
    }).pipe(Effect.provide(layer))
  })
})
