import { Clock, Effect } from "effect"

/** Runs an effect with a wall clock that is `skew` milliseconds ahead of the surrounding one, and the same monotonic clock. */
export const withWallClockAhead =
  (skew: number) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Clock.clockWith((clock) => {
      const millis = () => clock.currentTimeMillisUnsafe() + skew
      const nanos = () => clock.currentTimeNanosUnsafe() + BigInt(skew) * 1_000_000n
      return Effect.provideService(effect, Clock.Clock, {
        currentTimeMillisUnsafe: millis,
        currentTimeMillis: Effect.sync(millis),
        currentTimeNanosUnsafe: nanos,
        currentTimeNanos: Effect.sync(nanos),
        monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
        monotonicTimeNanos: clock.monotonicTimeNanos,
        sleep: (duration) => clock.sleep(duration)
      })
    })
