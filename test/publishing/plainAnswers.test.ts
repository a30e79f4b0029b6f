import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Option, Result } from "effect"
import { Headers } from "effect/http"
import { TestClock } from "effect/testing"
import type { ProcessId } from "../../src/domain/ids.ts"
import { Unavailable } from "../../src/domain/publishing/platformError.ts"
import { callTimeout, NoResponse } from "../../src/platforms/call.ts"
import { type CallState, LastCall } from "../../src/platforms/lastCall.ts"
import { attempt } from "../../src/publishing/attempt.ts"
import { ProcessLease } from "../../src/publishing/ProcessLease.ts"
import { capturedTelemetryLayer, Log } from "../support/telemetry/capturedTelemetry.ts"
import { claimed } from "./claimed.ts"
import {
  text,
  claimOf,
  created,
  answerOf,
  makeWorld,
  attemptOf,
  interruptibleAttempt,
  attemptAll,
  settled,
  kindOf
} from "./plainWorld.ts"

describe("What comes of a plain send", () => {
  it.effect.each([
    ["a refusal", answerOf(403), "Rejected"],
    ["a success without an id", Result.succeed({ status: 201, headers: Headers.empty, body: "{}" }), "OutcomeUnknown"],
    ["a lost response", Result.fail(new NoResponse({ message: "Lost", maybeSent: true })), "OutcomeUnknown"],
    ["no connection", Result.fail(new NoResponse({ message: "None", maybeSent: false })), "Unavailable"],
    ["a server error", answerOf(500), "OutcomeUnknown"]
  ] as const)("After %s nothing is sent again, and the adapter reads what came", ([, came, kind]) => {
    const { answer, calls, layer, sent } = makeWorld()
    return Effect.gen(function* () {
      const [own, other] = yield* attemptAll(claimOf(1), claimOf(2))
      if (own === undefined || other === undefined) return assert.fail()
      yield* settled
      yield* answer(1, came)
      yield* answer(2, created("2"))
      assert.deepStrictEqual([kindOf(yield* Fiber.join(own)), kindOf(yield* Fiber.join(other))], [kind, "Published"])
      assert.deepStrictEqual([sent, calls], [[text(1), text(2)], []])
    }).pipe(Effect.provide(layer))
  })

  it.effect.each([
    ["a refusal", answerOf(403), "Rejected"],
    ["a lost response", Result.fail(new NoResponse({ message: "Lost", maybeSent: true })), "OutcomeUnknown"]
  ] as const)("What comes once the leases have ended counts all the same: %s", ([, came, kind]) => {
    let owner: Option.Option<ProcessId> = Option.fromNullOr(claimed().ownerId)
    const lease = Layer.mock(ProcessLease, { current: Effect.sync(() => owner) })
    const { answer, calls, layer } = makeWorld({ lease })
    return Effect.gen(function* () {
      const own = yield* attemptOf(claimOf(1))
      yield* settled
      owner = Option.none()
      yield* answer(1, came)
      assert.strictEqual(kindOf(yield* Fiber.join(own)), kind)
      assert.isEmpty(calls)
    }).pipe(Effect.provide(layer))
  })

  it.effect("An adapter that fails before it reads an answer leaves the outcome unknown", () => {
    const { answer, layer } = makeWorld({
      adapt: (adapter) => ({ ...adapter, publish: () => Effect.fail(new Unavailable({ message: "Not now" })) })
    })
    return Effect.gen(function* () {
      const own = yield* attemptOf(claimOf(1))
      yield* settled
      yield* answer(1, answerOf(403))
      assert.strictEqual(kindOf(yield* Fiber.join(own)), "OutcomeUnknown")
    }).pipe(Effect.provide(layer))
  })

  it.effect(
    "A request without a response is given up after as long as any other call, and its outcome is unknown",
    () => {
      const { aborted, answer, layer } = makeWorld()
      return Effect.gen(function* () {
        const [first, second] = yield* attemptAll(claimOf(1), claimOf(2))
        if (first === undefined || second === undefined) return assert.fail()
        yield* TestClock.adjust("10 seconds")
        const [third] = yield* attemptAll(claimOf(3))
        if (third === undefined) return assert.fail()
        yield* answer(2, created("2"))
        yield* TestClock.adjust("9 seconds")
        assert.isEmpty(aborted)
        yield* TestClock.adjust("1 second")
        const outcome = yield* Fiber.join(first)
        assert.strictEqual(kindOf(outcome), "OutcomeUnknown")
        assert.strictEqual(
          outcome._tag === "Failed" ? outcome.error.message : undefined,
          "X did not answer within 20 seconds"
        )
        assert.deepStrictEqual(aborted, [text(1)])
        yield* TestClock.adjust(callTimeout)
        assert.strictEqual(kindOf(yield* Fiber.join(third)), "OutcomeUnknown")
      }).pipe(Effect.provide(layer))
    }
  )

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

  it.effect("A defect of an adapter while it sends leaves that post's outcome unknown, and the others go on", () => {
    const { layer, sent } = makeWorld({
      adapt: (adapter) => ({
        ...adapter,
        plain: {
          takes: () => true,
          send: (prepared, account, credentials, agent, done) => {
            if (JSON.stringify(prepared).includes(text(1))) throw new Error("A mistake")
            return adapter.plain?.send(prepared, account, credentials, agent, done)
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

  it.effect(
    "A request that can't be given up leaves its outcome unknown, and those after it are given up in time",
    () => {
      const { aborted, layer } = makeWorld({
        adapt: (adapter) => ({
          ...adapter,
          plain: {
            takes: () => true,
            send: (prepared, ...request) => {
              const giveUp = adapter.plain?.send(prepared, ...request)
              return () => {
                if (JSON.stringify(prepared).includes(text(1))) throw new Error("A mistake")
                giveUp?.()
              }
            }
          }
        })
      })
      return Effect.gen(function* () {
        const [first, second] = yield* attemptAll(claimOf(1), claimOf(2))
        if (first === undefined || second === undefined) return assert.fail()
        yield* settled
        yield* TestClock.adjust("1 second")
        const [third] = yield* attemptAll(claimOf(3))
        if (third === undefined) return assert.fail()
        yield* TestClock.adjust(callTimeout)
        const outcomes = yield* Effect.forEach([first, second, third], Fiber.join)
        assert.deepStrictEqual(outcomes.map(kindOf), ["OutcomeUnknown", "OutcomeUnknown", "OutcomeUnknown"])
        assert.deepStrictEqual(aborted, [text(2), text(3)])
        assert.lengthOf(
          (yield* Log).filter(({ level }) => level === "Error"),
          1
        )
      }).pipe(Effect.provide(Layer.provideMerge(layer, Layer.fresh(capturedTelemetryLayer))))
    }
  )
})
