import { Effect, Latch } from "effect"

/** The most settlements of a transaction. A kill leaves each outcome unknown. */
const gathered = 32
const gatherTime = "20 millis"
/** No more posts are sent then, as a kill leaves each outcome unknown. */
const mostUnwritten = 48

/** Gathers settlements while outcomes are expected. */
export const makeGathering = () => {
  const isEnough = Latch.makeUnsafe(true)
  const isCaughtUp = Latch.makeUnsafe(true)
  let expected = 0
  let waiting = 0
  let unwritten = 0
  const update = () => {
    if (expected === 0 || waiting >= gathered) isEnough.openUnsafe()
    else isEnough.closeUnsafe()
    if (unwritten < mostUnwritten) isCaughtUp.openUnsafe()
    else isCaughtUp.closeUnsafe()
  }

  /** Announces an outcome. Returns how to take that back. */
  const expect = () => {
    let isExpected = true
    expected += 1
    update()
    return () => {
      if (!isExpected) return
      isExpected = false
      expected -= 1
      update()
    }
  }

  const gather = Effect.andThen(
    Effect.timeoutOption(isEnough.await, gatherTime),
    Effect.sync(() => {
      waiting = 0
      update()
    })
  )

  const add = Effect.sync(() => {
    waiting += 1
    update()
  })

  /** Counts an outcome until it is written or given up. */
  const whileUnwritten = <A, E, R>(write: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      unwritten += 1
      update()
      return Effect.ensuring(
        write,
        Effect.sync(() => {
          unwritten -= 1
          update()
        })
      )
    })

  return { expect, gather, add, whileUnwritten, caughtUp: isCaughtUp.await }
}
