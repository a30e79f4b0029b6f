import { Cause, Effect } from "effect"

/**
 * What is done besides and may be left out while the database is away: that is worth a line only to who looks for it. A
 * defect always is one.
 */
export const bestEffort =
  (message: string) =>
  <E, R>(effect: Effect.Effect<unknown, E, R>): Effect.Effect<unknown, never, R> =>
    Effect.catchCause(effect, (cause) =>
      Cause.hasDies(cause) ? Effect.logError(message, cause) : Effect.logDebug(message, cause)
    )
