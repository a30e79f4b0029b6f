import { Clock, Effect } from "effect"

/** Milliseconds, with fractions. */
export const toMillis = (nanos: bigint): number => Number(nanos) / 1e6

/** Milliseconds of the process's monotonic clock. */
export const monotonicMillis = Effect.map(Clock.monotonicTimeNanos, toMillis)

/** Waits until a time of the monotonic clock. A timer may fire a fraction of a millisecond too soon. */
export const sleepUntil = Effect.fnUntraced(function* (time: number) {
  for (let left = time - (yield* monotonicMillis); left > 0; left = time - (yield* monotonicMillis)) {
    yield* Effect.sleep(Math.ceil(left))
  }
})
