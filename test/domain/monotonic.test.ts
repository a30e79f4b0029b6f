import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect } from "effect"
import { sleepUntil } from "../../src/domain/monotonic.ts"

/** A clock whose timers fire half a millisecond too soon. Returns how long each sleep was meant to be. */
const hastyClock = (nanos: bigint) => {
  let now = nanos
  const sleeps: Array<number> = []
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => 0,
    currentTimeMillis: Effect.succeed(0),
    currentTimeNanosUnsafe: () => 0n,
    currentTimeNanos: Effect.succeed(0n),
    monotonicTimeNanosUnsafe: () => now,
    monotonicTimeNanos: Effect.sync(() => now),
    sleep: (duration) =>
      Effect.sync(() => {
        sleeps.push(Duration.toMillis(duration))
        now += BigInt(Duration.toMillis(duration)) * 1_000_000n - 500_000n
      })
  }
  return { clock, now: () => now, sleeps }
}

describe("sleepUntil", () => {
  it.effect("A wait ends at its time or later, where a timer fires too soon", () =>
    Effect.gen(function* () {
      const hasty = hastyClock(1_000_000n)
      yield* Effect.provideService(sleepUntil(9), Clock.Clock, hasty.clock)
      assert.deepStrictEqual(hasty.sleeps, [8, 1])
      assert.isTrue(hasty.now() >= 9_000_000n)
    })
  )

  it.effect("A wait for a fraction of a millisecond is one for the whole, and for a time that has passed none", () =>
    Effect.gen(function* () {
      const hasty = hastyClock(8_600_000n)
      yield* Effect.provideService(sleepUntil(9), Clock.Clock, hasty.clock)
      assert.deepStrictEqual(hasty.sleeps, [1])
      yield* Effect.provideService(sleepUntil(9), Clock.Clock, hasty.clock)
      assert.deepStrictEqual(hasty.sleeps, [1])
    })
  )
})
