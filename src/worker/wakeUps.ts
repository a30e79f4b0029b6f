import { type Duration, Effect, FiberHandle, FiberSet, Queue } from "effect"

/** Ends of work that request a tick together. */
export interface Batching {
  readonly endsPerTick: number
  readonly endsDelay: Duration.Input
}

/**
 * Wakes a fiber that claims work for the free slots of a process. Ends of work wake it together, so that one claim fills the
 * slots of many: at once where `endsPerTick` have ended or fewer than that are still in flight, and after `endsDelay` otherwise.
 *
 * An end that only frees its slot does not wake it if nothing waits for one: if a look after the last tick has found nothing due
 * that the tick left. What falls due later has a wake-up of its own.
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
  /** Ends since the last tick began. */
  let ended = 0
  /** Whether the last tick may have left something due. */
  let isAnyLeft = true
  /** Whether that is being found out, and the ends that free slots wait for the answer. */
  let isLooking = false

  /** Wakes the fiber for what has ended, while so many others are in flight. */
  const wakeForEnds = (others: number) => (ended >= Math.min(endsPerTick, others) ? wake : wakeLater)

  return {
    /** Requests a tick. */
    wake,
    /** Waits until a tick was requested, or work has ended. */
    woken: Queue.take(requests),
    /** Begins a tick: what ended before is counted no more. */
    tickBegins: Effect.sync(() => {
      ticks += 1
      ended = 0
      isAnyLeft = true
    }),
    /** Counts an end. Each fiber of the set runs it last. Where it has freed more than its slot, work may be due that no look has seen. */
    workEnds: (freedMore: boolean) =>
      Effect.flatMap(FiberSet.size(inFlight), (running) => {
        ended += 1
        return freedMore || (isAnyLeft && !isLooking) ? wakeForEnds(running - 1) : Effect.void
      }),
    /** Runs a tick and then `look`, which finds out whether something is due that was left. One at a time. */
    tickAndLook: <E, R, E2, R2>(tick: Effect.Effect<unknown, E, R>, look: Effect.Effect<boolean, E2, R2>) =>
      Effect.gen(function* () {
        isLooking = true
        yield* tick
        const looked = ticks
        const found = yield* look
        // What a tick has left that began meanwhile is not known.
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
