import { Effect, Predicate, Schedule } from "effect"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import { withGrace } from "../domain/grace.ts"

const isUnavailable = Predicate.isTagged("DatabaseUnavailable")

/**
 * Writes although an interruption may be pending already: what a platform answered would be lost. A process that stops waits shortly
 * where the database does not respond, and the claim is free once its lease has ended.
 */
export const writeOnce = withGrace("2 seconds")

/**
 * Repeats a write for about a minute while the database is away. The first try is made even if an interruption is pending. The others
 * are interruptible, except for what `write` itself protects: a process that stops does not wait for the database.
 */
export const retryWhileUnavailable = <A, E, R>(
  write: Effect.Effect<A, E | DatabaseUnavailable, R>
): Effect.Effect<A, E | DatabaseUnavailable, R> =>
  Effect.catchIf(writeOnce(write), isUnavailable, () =>
    Effect.interruptible(
      Effect.delay(
        Effect.retry(writeOnce(write), { schedule: Schedule.spaced("1 second"), times: 59, while: isUnavailable }),
        "1 second"
      )
    )
  )
