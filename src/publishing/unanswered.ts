import { Cause, Effect, Latch } from "effect"
import { monotonicMillis, sleepUntil } from "../domain/monotonic.ts"

/** A request that the platform may have. */
export interface PlainRequest {
  /** In milliseconds of the monotonic clock. */
  readonly deadline: number
  readonly timeOut: () => void
  readonly giveUp: () => void
}

/** The requests without an answer, which time out at their deadlines. One timer serves them all, as they are added in that order. */
export const makeUnanswered = Effect.gen(function* () {
  const requests = new Set<PlainRequest>()
  const isAny = Latch.makeUnsafe(false)

  const timeOut = Effect.gen(function* () {
    yield* isAny.await
    const now = yield* monotonicMillis
    for (const request of requests) {
      if (request.deadline > now) return yield* sleepUntil(request.deadline)
      request.timeOut()
    }
    isAny.closeUnsafe()
  })

  yield* Effect.forkScoped(
    Effect.forever(
      Effect.catchDefect(timeOut, (defect) => Effect.logError("A request could not be given up", Cause.die(defect)))
    )
  )
  return {
    add: (request: PlainRequest) => {
      requests.add(request)
      isAny.openUnsafe()
    },
    remove: (request: PlainRequest) => {
      requests.delete(request)
    }
  }
})
