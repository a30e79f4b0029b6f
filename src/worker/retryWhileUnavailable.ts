import { Duration, Effect, Predicate, Schedule } from "effect"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import { withGrace } from "../domain/grace.ts"

const isUnavailable = Predicate.isTagged("DatabaseUnavailable")

/**
 * A stopping process waits this long for an unresponsive database. If a claim's outcome is not written in time, others
 * can take the claim once its lease ends.
 */
export const writeGrace = Duration.seconds(2)

/** Writes even if an interruption is pending. Otherwise the platform's answer would be lost. */
export const writeOnce = withGrace(writeGrace)

/**
 * Repeats a write every second for about `duration` while the database is unavailable. The first try runs even if an
 * interruption is pending, because `write` protects itself. Later tries are interruptible outside of that protection,
 * so that a stopping process does not wait for the database.
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

/** For a write that `writeOnce` protects. */
export const retryWhileUnavailable = <A, E, R>(
  write: Effect.Effect<A, E | DatabaseUnavailable, R>
): Effect.Effect<A, E | DatabaseUnavailable, R> => repeatWhileUnavailable(writeOnce(write))
