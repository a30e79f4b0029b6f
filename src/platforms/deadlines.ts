import { Cause, Clock, Duration, Effect, Latch } from "effect"
import { monotonicMillis, sleepUntil, toMillis } from "../domain/monotonic.ts"

/** An item that is given up once its time is over. */
interface Open {
  /** In milliseconds of the monotonic clock. */
  readonly deadline: number
  readonly timeOut: () => void
}

/** Gives up what takes longer than `time`. One timer serves all, as their deadlines come in the order in which they are added. */
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
    /** Calls `timeOut` after the time, unless it was forgotten before. Returns what forgets it. */
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
