import { Clock, Effect } from "effect"

/** Milliseconds, with fractions. */
export const toMillis = (nanos: bigint): number => Number(nanos) / 1e6

export const monotonicMillis = Effect.map(Clock.monotonicTimeNanos, toMillis)

export interface Moment {
  readonly monotonic: bigint
  readonly millis: number
}

export const momentOf = (clock: Clock.Clock): Moment => ({
  monotonic: clock.monotonicTimeNanosUnsafe(),
  millis: clock.currentTimeMillisUnsafe()
})

export const moment = Effect.map(Clock.Clock, momentOf)

/**
 * The longer of both times, because the monotonic clock stops while the machine sleeps, and the wall clock can be set
 * back.
 */
export const longestTime = (start: Moment, end: Moment): number =>
  Math.max(toMillis(end.monotonic - start.monotonic), end.millis - start.millis)

/**
 * Sleeps until a monotonic time. Looks at the clock after each sleep, because a timer can fire a fraction of a
 * millisecond early.
 */
export const sleepUntil = Effect.fnUntraced(function* (time: number) {
  for (let left = time - (yield* monotonicMillis); left > 0; left = time - (yield* monotonicMillis)) {
    yield* Effect.sleep(Math.ceil(left))
  }
})
