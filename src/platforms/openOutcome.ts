import { DateTime, Duration, Effect } from "effect"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import {
  type Accepted,
  type Dropped,
  OutcomeUnknown,
  type PlatformError,
  type RateLimited,
  type TooEarly,
  type Unavailable
} from "../domain/publishing/platformError.ts"

/** Lists and states are late, so the pause grows with the time since the send. */
const pauseAt = (elapsed: Duration.Duration): Duration.Duration => {
  if (Duration.isLessThan(elapsed, Duration.seconds(30))) return Duration.minutes(1)
  return Duration.isLessThan(elapsed, Duration.minutes(3)) ? Duration.minutes(4) : Duration.minutes(15)
}

/** A limit may last for longer than an outcome may be open. */
const longestWait = Duration.hours(1)

const firstLook = Duration.seconds(15)

/** The outcome of a send that stays open, even if it was the last of a post's attempts. */
export const openSend = ({ message }: OutcomeUnknown) => new OutcomeUnknown({ message, askAfter: firstLook })

/** True once `after` has passed since `time`. */
export const isPast = (time: DateTime.Utc, after: Duration.Duration): Effect.Effect<boolean> =>
  Effect.map(DateTime.now, (now) => DateTime.isGreaterThanOrEqualTo(now, DateTime.addDuration(time, after)))

type LookFailure = Accepted | DatabaseUnavailable | Dropped | PlatformError
type Undecided = OutcomeUnknown | RateLimited | TooEarly | Unavailable

const isDecided = (error: Undecided): boolean =>
  error._tag === "OutcomeUnknown" &&
  (error.conclusive === true || error.unsent === true || error.askAfter !== undefined)

/**
 * Keeps an outcome open until `end`, because the platform tells it whenever it can be asked. A look that the platform
 * does not answer uses up no attempt, so that no outage makes a person decide what the platform knows.
 */
export const openUntil = (end: DateTime.Utc, sentAt: DateTime.Utc) => {
  const keep = (error: Undecided) =>
    Effect.flatMap(DateTime.now, (now) => {
      if (isDecided(error) || DateTime.isGreaterThanOrEqualTo(now, end)) return Effect.fail(error)
      const pause = pauseAt(DateTime.distance(sentAt, now))
      const wait = error._tag === "RateLimited" ? Duration.min(DateTime.distance(now, error.until), longestWait) : pause
      const askAfter = Duration.max(pause, wait)
      return Effect.fail(new OutcomeUnknown({ message: error.message, askAfter }))
    })
  return <A>(look: Effect.Effect<A, LookFailure>): Effect.Effect<A, LookFailure> =>
    Effect.catchTag(look, ["OutcomeUnknown", "RateLimited", "TooEarly", "Unavailable"], keep)
}
