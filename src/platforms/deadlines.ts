import { Cause, Clock, Duration, Effect, Latch } from "effect"
import { monotonicMillis, sleepUntil, toMillis } from "../domain/monotonic.ts"

interface Open {
  /** Milliseconds by the monotonic clock. */
  readonly deadline: number
  readonly timeOut: () => void
}

/** One timer serves all deadlines, because they expire in the order in which they were added. */
export const makeDeadlines = Effect.fnUntraced(function* (time: Duration.Duration) {
  const clock = yield* Clock.Clock
  const all = new Set<Open>()
  const isAny = Latch.makeUnsafe(false)

  const giveUp = Effect.gen(function* () {
    yield* isAny.await
    const now = yield* monotonicMillis
    for (const open of all) {
      if (open.deadline > now) return yield* sleepUntil(open.deadline)
      all.delete(open)
      open.timeOut()
    }
    isAny.closeUnsafe()
  })

  yield* Effect.forkScoped(
    Effect.forever(
      Effect.catchDefect(giveUp, (defect) => Effect.logError("A request could not be given up", Cause.die(defect)))
    )
  )
  return {
    /** Calls `timeOut` after `time`. The returned function cancels that. */
    add: (timeOut: () => void) => {
      const open = { deadline: toMillis(clock.monotonicTimeNanosUnsafe()) + Duration.toMillis(time), timeOut }
      all.add(open)
      isAny.openUnsafe()
      return () => {
        all.delete(open)
      }
    }
  }
})
