import { Clock, Effect } from "effect"

/** Runs an effect with its wall clock `skew` milliseconds ahead. Its monotonic clock is unchanged. */
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

/** Runs an effect in a process that pauses for `millis` after each clock read. */
export const withPausesAfterReads =
  (millis: number) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Clock.clockWith((clock) => {
      let paused = 0
      const thenPause = <T>(read: (millis: number) => T): T => {
        const time = read(paused)
        paused += millis
        return time
      }
      const inMillis = () => thenPause((ahead) => clock.currentTimeMillisUnsafe() + ahead)
      const inNanos = () => thenPause((ahead) => clock.currentTimeNanosUnsafe() + BigInt(ahead) * 1_000_000n)
      const monotonic = () => thenPause((ahead) => clock.monotonicTimeNanosUnsafe() + BigInt(ahead) * 1_000_000n)
      return Effect.provideService(effect, Clock.Clock, {
        currentTimeMillisUnsafe: inMillis,
        currentTimeMillis: Effect.sync(inMillis),
        currentTimeNanosUnsafe: inNanos,
        currentTimeNanos: Effect.sync(inNanos),
        monotonicTimeNanosUnsafe: monotonic,
        monotonicTimeNanos: Effect.sync(monotonic),
        sleep: (duration) => clock.sleep(duration)
      })
    })
