import { type Duration, Effect, FiberHandle, FiberSet, Queue } from "effect"

/** Limits for ends of work that share a tick. */
export interface Batching {
  readonly endsPerTick: number
  readonly endsDelay: Duration.Input
}

/**
 * Wakes a fiber that claims work for a process's free slots. Ends of work share a wake-up, so that one claim fills many
 * slots. It is immediate once `endsPerTick` have ended, or as many as are still in flight; otherwise it follows after
 * `endsDelay`.
 *
 * An end that only frees its slot wakes nothing if the look-ahead after the last tick found no due work. Work that
 * becomes due later has its own wake-up.
 */
export const makeWakeUps = Effect.fnUntraced(function* (
  inFlight: FiberSet.FiberSet,
  { endsDelay, endsPerTick }: Batching
) {
  const requests = yield* Queue.sliding<void>(1)
  const wake = Effect.asVoid(Queue.offer(requests, undefined))
  const delayedWake = yield* FiberHandle.make<void>()
  const wakeLater = FiberHandle.run(delayedWake, Effect.delay(wake, endsDelay), { onlyIfMissing: true })
  let ticks = 0
  let ended = 0
  /** True if the last tick may have left due work. */
  let isAnyLeft = true
  /** True during a look-ahead. Ends that only free slots wait for its result. */
  let isLookingAhead = false

  const wakeForEnds = (others: number) => (ended >= Math.min(endsPerTick, others) ? wake : wakeLater)

  return {
    wake,
    woken: Queue.take(requests),
    tickBegins: Effect.sync(() => {
      ticks += 1
      ended = 0
      isAnyLeft = true
    }),
    /**
     * The last step of each fiber in `inFlight`. `freedMore` is true if the fiber freed more than its slot: work that a
     * look-ahead has not seen may be due.
     */
    workEnds: (freedMore: boolean) =>
      Effect.flatMap(FiberSet.size(inFlight), (running) => {
        ended += 1
        return freedMore || (isAnyLeft && !isLookingAhead) ? wakeForEnds(running - 1) : Effect.void
      }),
    /** Runs one at a time. */
    tickAndLookAhead: <E, R, E2, R2>(tick: Effect.Effect<unknown, E, R>, lookAhead: Effect.Effect<boolean, E2, R2>) =>
      Effect.gen(function* () {
        isLookingAhead = true
        yield* tick
        const before = ticks
        const found = yield* lookAhead
        // If another tick has begun since, the result is outdated.
        if (ticks === before) isAnyLeft = found
      }).pipe(
        Effect.ensuring(
          Effect.suspend(() => {
            isLookingAhead = false
            return isAnyLeft && ended > 0 ? Effect.flatMap(FiberSet.size(inFlight), wakeForEnds) : Effect.void
          })
        )
      )
  }
})
