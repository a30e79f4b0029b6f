import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, FiberSet } from "effect"
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
        yield* workEnds
        yield* TestClock.adjust(30)
        yield* workEnds
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
      yield* workEnds
      yield* workEnds
      assert.isFalse(yield* isWoken)
      yield* workEnds
      assert.isTrue(yield* isWoken)
      yield* tickBegins
      yield* workEnds
      yield* workEnds
      assert.isFalse(yield* isWoken)
    })
  )

  it.effect.each([1, 2])(
    "Work that ends wakes it at once where no more is in flight than has ended: %i before",
    (inFlight) =>
      Effect.gen(function* () {
        const { isWoken, workEnds } = yield* start(inFlight)
        yield* workEnds
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
