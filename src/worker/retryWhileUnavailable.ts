import { Effect, Predicate, Schedule } from "effect"
import type { DatabaseUnavailable } from "../domain/errors.ts"

const isUnavailable = Predicate.isTagged("DatabaseUnavailable")

/**
 * Repeats a write for about a minute while the database is away. The first try is not interruptible: an interruption may be
 * pending already, and what a platform answered would be lost. The others are, except for what `write` itself protects: a
 * process that stops does not wait for the database, and the claim is left to its lease.
 */
export const retryWhileUnavailable = <A, E, R>(
  write: Effect.Effect<A, E | DatabaseUnavailable, R>
): Effect.Effect<A, E | DatabaseUnavailable, R> =>
  Effect.catchIf(write, isUnavailable, () =>
    Effect.interruptible(
      Effect.delay(
        Effect.retry(write, { schedule: Schedule.spaced("1 second"), times: 59, while: isUnavailable }),
        "1 second"
      )
    )
  )
