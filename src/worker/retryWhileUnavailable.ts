import { Duration, Effect, Predicate, Schedule } from "effect"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import { withGrace } from "../domain/grace.ts"

const isUnavailable = Predicate.isTagged("DatabaseUnavailable")

/** A process that stops waits shortly where the database does not respond, and the claim is free once its lease has ended. */
export const writeGrace = Duration.seconds(2)

/** Writes although an interruption may be pending already: what a platform answered would be lost. */
export const writeOnce = withGrace(writeGrace)

/**
 * Repeats a write while the database is away, every second for about `duration`. The first try is made even if an
 * interruption is pending, as `write` protects itself. The others are interruptible, except for what `write` protects:
 * a process that stops does not wait for the database.
 */
export const repeatWhileUnavailableFor =
  (duration: Duration.Duration) =>
  <A, E, R>(write: Effect.Effect<A, E | DatabaseUnavailable, R>): Effect.Effect<A, E | DatabaseUnavailable, R> =>
    Effect.catchIf(write, isUnavailable, () =>
      Effect.interruptible(
        Effect.delay(
          Effect.retry(write, {
            schedule: Schedule.spaced("1 second"),
            times: Duration.toSeconds(duration) - 1,
            while: isUnavailable
          }),
          "1 second"
        )
      )
    )

export const repeatWhileUnavailable = repeatWhileUnavailableFor(Duration.minutes(1))

/** The same for a write that `writeOnce` protects. */
export const retryWhileUnavailable = <A, E, R>(
  write: Effect.Effect<A, E | DatabaseUnavailable, R>
): Effect.Effect<A, E | DatabaseUnavailable, R> => repeatWhileUnavailable(writeOnce(write))
