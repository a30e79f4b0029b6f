import { type Duration, Effect, FiberHandle, FiberSet, Queue } from "effect"

/** Limits for ends of work that share a tick. */
export interface Batching {
  readonly endsPerTick: number
  readonly endsDelay: Duration.Input
}

/**
 * Wakes a fiber that claims work for a process's free slots. Ends of work share a wake-up, so that one claim fills many
 * slots. It comes immediately if `endsPerTick` have ended, or as many as are still in flight; otherwise after
 * `endsDelay`.
 *
 * An end that only frees its slot wakes nothing if the look after the last tick found no due work. Work that becomes
 * due later has its own wake-up.
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
  /** True while a look runs. Ends that only free slots wait for its result. */
  let isLooking = false

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
     * The last step of each fiber in `inFlight`. `freedMore` is true if it freed more than its slot: unseen work may be
     * due.
     */
    workEnds: (freedMore: boolean) =>
      Effect.flatMap(FiberSet.size(inFlight), (running) => {
        ended += 1
        return freedMore || (isAnyLeft && !isLooking) ? wakeForEnds(running - 1) : Effect.void
      }),
    /** Runs one at a time. */
    tickAndLook: <E, R, E2, R2>(tick: Effect.Effect<unknown, E, R>, look: Effect.Effect<boolean, E2, R2>) =>
      Effect.gen(function* () {
        isLooking = true
        yield* tick
        const looked = ticks
        const found = yield* look
        // If another tick has begun since, the look's result is outdated.
        if (ticks === looked) isAnyLeft = found
      }).pipe(
        Effect.ensuring(
          Effect.suspend(() => {
            isLooking = false
            return isAnyLeft && ended > 0 ? Effect.flatMap(FiberSet.size(inFlight), wakeForEnds) : Effect.void
          })
        )
      )
  }
})
