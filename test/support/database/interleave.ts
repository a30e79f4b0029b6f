import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { lockWaitsUntil } from "./programs.ts"

/** Waits until this number of statements wait for another transaction's lock, or `fiber` has ended. */
export const waitingOrEnded = (fiber: Fiber.Fiber<unknown, unknown>, statements: number) =>
  lockWaitsUntil((count) => count >= statements || fiber.pollUnsafe() !== undefined)

/**
 * Runs `first` in a transaction and `second` concurrently. Commits the transaction once `second` waits for one of its
 * locks or has ended. Returns both results. Needs a database that no concurrent test uses.
 */
export const interleave = Effect.fnUntraced(function* <A, E, R, B, E2, R2>(
  first: Effect.Effect<A, E, R>,
  second: Effect.Effect<B, E2, R2>
) {
  const sql = yield* SqlClient.SqlClient
  const done = yield* Deferred.make<void>()
  const mayCommit = yield* Deferred.make<void>()
  const holder = yield* Effect.forkChild(
    sql.withTransaction(
      Effect.tap(first, () => Effect.andThen(Deferred.succeed(done, undefined), Deferred.await(mayCommit)))
    )
  )
  yield* Effect.raceFirst(Deferred.await(done), Fiber.join(holder))
  const acting = yield* Effect.forkChild(second)
  yield* waitingOrEnded(acting, 1)
  yield* Deferred.succeed(mayCommit, undefined)
  return [yield* Fiber.join(holder), yield* Fiber.await(acting)] as const
})
