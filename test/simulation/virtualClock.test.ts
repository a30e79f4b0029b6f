import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Queue, Random, Scheduler } from "effect"
import { TestClock } from "effect/testing"
import { makePrng } from "./prng.ts"
import { makeVirtualClock } from "./virtualClock.ts"

const steps = Array.from({ length: 40 }, (_, index) => (index + 1) * 7)

/** Runs fibers that sleep, fork and wake each other while a clock moves. Returns their actions in order. */
const runFibers = (advanceTo: (millis: number) => Effect.Effect<void>) =>
  Effect.gen(function* () {
    const prng = yield* makePrng
    const queue = yield* Queue.unbounded<string>()
    const events: Array<string> = []
    const log = (what: string) => Effect.map(Clock.currentTimeMillis, (now) => void events.push(`${now} ${what}`))
    const sleeper = (name: string, depth: number): Effect.Effect<void> =>
      Effect.gen(function* () {
        for (let round = 1; round <= 5; round++) {
          yield* Effect.sleep(prng.between(0, 60) / 2)
          yield* log(`${name}, round ${round}`)
          if (prng.chance(0.5)) yield* Queue.offer(queue, name)
          if (depth > 0 && prng.chance(0.5)) yield* Effect.forkDetach(sleeper(`${name}.${round}`, depth - 1))
          if (prng.chance(0.3)) yield* Effect.timeoutOption(Effect.never, prng.between(1, 20))
        }
      })
    for (let number = 1; number <= 5; number++) yield* Effect.forkDetach(sleeper(`fiber ${number}`, 2))
    yield* Effect.forkDetach(Effect.forever(Effect.flatMap(Queue.take(queue), (name) => log(`woken by ${name}`))))
    for (const step of steps) {
      yield* advanceTo(step)
      yield* log("step")
    }
    return events
  })

describe("The virtual clock", () => {
  it.live.each([1, 2, 3, 4, 5])("Fibers run in the same order as under TestClock (seed %i)", (seed) =>
    Effect.gen(function* () {
      const expected = yield* runFibers(TestClock.setTime).pipe(
        Effect.provide(TestClock.layer()),
        Random.withSeed(seed)
      )
      const clock = makeVirtualClock(0)
      const actual = yield* runFibers(clock.advanceTo).pipe(
        Effect.provideService(Clock.Clock, clock),
        Effect.provideService(Scheduler.Scheduler, clock.scheduler),
        Random.withSeed(seed)
      )
      assert.deepStrictEqual(actual, expected)
      assert.isAbove(actual.length, steps.length + 25)
    })
  )
})
