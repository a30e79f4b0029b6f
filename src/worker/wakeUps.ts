import { type Duration, Effect, FiberHandle, FiberSet, Queue } from "effect"

/** Ends of work that request a tick together. */
export interface Batching {
  readonly endsPerTick: number
  readonly endsDelay: Duration.Input
}

/**
 * Wakes a fiber that claims work for the free slots of a process. Ends of work wake it together, so that one claim fills the
 * slots of many: at once where `endsPerTick` have ended or fewer than that are still in flight, and after `endsDelay` otherwise.
 */
export const makeWakeUps = Effect.fnUntraced(function* (
  inFlight: FiberSet.FiberSet,
  { endsDelay, endsPerTick }: Batching
) {
  const requests = yield* Queue.sliding<void>(1)
  const wake = Effect.asVoid(Queue.offer(requests, undefined))
  const delayedWake = yield* FiberHandle.make<void>()
  const wakeLater = FiberHandle.run(delayedWake, Effect.delay(wake, endsDelay), { onlyIfMissing: true })
  let ended = 0
  return {
    /** Requests a tick. */
    wake,
    /** Waits until a tick was requested, or work has ended. */
    woken: Queue.take(requests),
    /** Begins a tick: what ended before is counted no more. */
    tickBegins: Effect.sync(() => {
      ended = 0
    }),
    /** Counts an end. Each fiber of the set runs it last. */
    workEnds: Effect.flatMap(FiberSet.size(inFlight), (running) => {
      ended += 1
      const others = running - 1
      return ended >= Math.min(endsPerTick, others) ? wake : wakeLater
    })
  }
})
