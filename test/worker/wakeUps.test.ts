import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, FiberSet } from "effect"
import { TestClock } from "effect/testing"
import { makeWakeUps } from "../../src/worker/wakeUps.ts"

const batching = { endsPerTick: 3, endsDelay: 50 }

/** Wake-ups of a worker with so much work in flight, and a way to see whether it is woken, at most once for each wake-up. */
const start = Effect.fnUntraced(function* (inFlight: number) {
  const fibers = yield* FiberSet.make()
  for (let begun = 0; begun < inFlight; begun++) yield* FiberSet.run(fibers, Effect.never)
  const wakeUps = yield* makeWakeUps(fibers, batching)
  const isWoken = Effect.gen(function* () {
    const waiting = yield* Effect.forkChild(wakeUps.woken, { startImmediately: true })
    yield* Effect.yieldNow
    const woken = waiting.pollUnsafe() !== undefined
    yield* Fiber.interrupt(waiting)
    return woken
  })
  return { ...wakeUps, isWoken }
})

describe("makeWakeUps", () => {
  it.effect(
    "Work that ends while much is in flight wakes the worker after the delay, together with what ends meanwhile",
    () =>
      Effect.gen(function* () {
        const { isWoken, workEnds } = yield* start(10)
        yield* workEnds(false)
        yield* TestClock.adjust(30)
        yield* workEnds(false)
        yield* TestClock.adjust(19)
        assert.isFalse(yield* isWoken)
        yield* TestClock.adjust(1)
        assert.isTrue(yield* isWoken)
        yield* TestClock.adjust(50)
        assert.isFalse(yield* isWoken)
      })
  )

  it.effect("Enough ends wake it at once, and those before a tick are counted no more", () =>
    Effect.gen(function* () {
      const { isWoken, tickBegins, workEnds } = yield* start(10)
      yield* workEnds(false)
      yield* workEnds(false)
      assert.isFalse(yield* isWoken)
      yield* workEnds(false)
      assert.isTrue(yield* isWoken)
      yield* tickBegins
      yield* workEnds(false)
      yield* workEnds(false)
      assert.isFalse(yield* isWoken)
    })
  )

  it.effect.each([1, 2])(
    "Work that ends wakes it at once where no more is in flight than has ended: %i before",
    (inFlight) =>
      Effect.gen(function* () {
        const { isWoken, workEnds } = yield* start(inFlight)
        yield* workEnds(false)
        assert.isTrue(yield* isWoken)
      })
  )

  it.effect("Once a look has found nothing left, an end wakes it only where it has freed more than its slot", () =>
    Effect.gen(function* () {
      const { isWoken, tickAndLookAhead, tickBegins, workEnds } = yield* start(1)
      yield* tickAndLookAhead(tickBegins, Effect.succeed(false))
      yield* workEnds(false)
      yield* TestClock.adjust(50)
      assert.isFalse(yield* isWoken)
      yield* workEnds(true)
      assert.isTrue(yield* isWoken)
    })
  )

  it.effect.each([
    ["a look has found something left", Effect.void, Effect.succeed(true)],
    ["a look has failed", Effect.void, Effect.fail("unavailable")],
    ["a tick has failed", Effect.fail("unavailable"), Effect.succeed(false)]
  ] as const)("Once %s, each end wakes it", ([_, claim, look]) =>
    Effect.gen(function* () {
      const { isWoken, tickAndLookAhead, tickBegins, workEnds } = yield* start(1)
      yield* tickAndLookAhead(tickBegins, Effect.succeed(false))
      yield* Effect.ignore(tickAndLookAhead(Effect.andThen(tickBegins, claim), look))
      assert.isFalse(yield* isWoken)
      yield* workEnds(false)
      assert.isTrue(yield* isWoken)
    })
  )

  it.effect("A tick without a look may have left something, so that each end wakes it again", () =>
    Effect.gen(function* () {
      const { isWoken, tickAndLookAhead, tickBegins, workEnds } = yield* start(1)
      yield* tickAndLookAhead(tickBegins, Effect.succeed(false))
      yield* tickBegins
      yield* workEnds(false)
      assert.isTrue(yield* isWoken)
    })
  )

  it.effect.each([
    ["does not wake it if nothing is left", false],
    ["wakes it once something is found left", true]
  ] as const)("Work that ends between a tick and the answer of its look %s", ([_, isAnyLeft]) =>
    Effect.gen(function* () {
      const { isWoken, tickAndLookAhead, tickBegins, workEnds } = yield* start(1)
      const answer = yield* Deferred.make<boolean>()
      const round = yield* Effect.forkChild(tickAndLookAhead(tickBegins, Deferred.await(answer)), {
        startImmediately: true
      })
      yield* workEnds(false)
      yield* TestClock.adjust(50)
      assert.isFalse(yield* isWoken)
      yield* Deferred.succeed(answer, isAnyLeft)
      yield* Fiber.join(round)
      assert.strictEqual(yield* isWoken, isAnyLeft)
    })
  )

  it.effect("Work that has freed more than its slot wakes it while a look has not answered yet", () =>
    Effect.gen(function* () {
      const { isWoken, tickAndLookAhead, tickBegins, workEnds } = yield* start(1)
      yield* Effect.forkChild(tickAndLookAhead(tickBegins, Effect.never), { startImmediately: true })
      yield* workEnds(true)
      assert.isTrue(yield* isWoken)
    })
  )

  it.effect("The answer of a look says nothing of a tick that began meanwhile, so that ends wake it", () =>
    Effect.gen(function* () {
      const { isWoken, tickAndLookAhead, tickBegins, workEnds } = yield* start(1)
      const answer = yield* Deferred.make<boolean>()
      const round = yield* Effect.forkChild(tickAndLookAhead(tickBegins, Deferred.await(answer)), {
        startImmediately: true
      })
      yield* tickBegins
      yield* Deferred.succeed(answer, false)
      yield* Fiber.join(round)
      assert.isFalse(yield* isWoken)
      yield* workEnds(false)
      assert.isTrue(yield* isWoken)
    })
  )

  it.effect("A wake-up that comes while one waits is the same one", () =>
    Effect.gen(function* () {
      const { isWoken, wake } = yield* start(0)
      yield* wake
      yield* wake
      assert.isTrue(yield* isWoken)
      assert.isFalse(yield* isWoken)
    })
  )
})
