import { Clock, type DateTime, Effect } from "effect"
import { IdGenerator, makeIdGenerator } from "../domain/ids.ts"

/** A clock that stays at `time`. Sleeps and durations use the real clock. */
const clockAt = (time: DateTime.Utc, real: Clock.Clock): Clock.Clock => {
  const millis = time.epochMilliseconds
  const nanos = BigInt(millis) * 1_000_000n
  return {
    currentTimeMillisUnsafe: () => millis,
    currentTimeMillis: Effect.succeed(millis),
    currentTimeNanosUnsafe: () => nanos,
    currentTimeNanos: Effect.succeed(nanos),
    monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: real.monotonicTimeNanos,
    sleep: (duration) => real.sleep(duration)
  }
}

/** Runs an effect whose new rows and ids have `time`. */
export const atTime =
  (time: DateTime.Utc) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.clockWith((real) =>
      effect.pipe(
        Effect.provideService(Clock.Clock, clockAt(time, real)),
        Effect.provideService(IdGenerator, makeIdGenerator())
      )
    )
