import { Duration } from "effect"

/** Attempts after which the service gives up on a target. */
export const maxAttempts = 12

/** How long after its due time a target is still attempted. */
export const attemptWindow = Duration.hours(24)

/** How long after its time a thread may wait to begin. What is left of its day is for its attempts. */
export const longestThreadWait = Duration.subtract(attemptWindow, Duration.hours(1))

/** Says why nothing waits for the end of a rate limit: the post could not be sent any more by then. */
export const withTooLongLimit = (message: string): string =>
  `${message}, and the limit lasts longer than the post may be late`

/** The longest delay between two searches that are made later than that: as many as there are attempts fit into the window. */
export const longestSearchDelay = Duration.divideUnsafe(attemptWindow, maxAttempts)

const firstDelay = Duration.seconds(30)
const maxDelay = Duration.minutes(15)

/**
 * The delay after the given number of attempts (1 or more): exponential backoff with jitter. It doubles with each attempt,
 * and `jitter` in [0, 1) varies it by up to a fifth either way.
 */
export const retryDelay = (attempts: number, jitter: number): Duration.Duration => {
  const exponential = Duration.min(Duration.times(firstDelay, 2 ** (attempts - 1)), maxDelay)
  return Duration.times(exponential, 0.8 + 0.4 * jitter)
}

/**
 * The delay after the given number of attempts (1 or more) while the platform does not show the post that a part replies to: five
 * seconds, doubled each time up to five minutes.
 */
export const replyDelay = (attempts: number): Duration.Duration =>
  Duration.min(Duration.times(Duration.seconds(5), 2 ** (attempts - 1)), Duration.minutes(5))

/**
 * The delay after the given number of attempts (1 or more) while the platform refuses the service's application: a quarter of
 * an hour, doubled each time up to two hours, so that the attempts last until the operator has acted.
 */
export const applicationDelay = (attempts: number): Duration.Duration =>
  Duration.min(Duration.times(maxDelay, 2 ** (attempts - 1)), Duration.hours(2))

/**
 * The delay before the given reconciliation attempt (1 or more). Timelines show a post some time after it was sent, so it
 * grows fourfold: 15 seconds, a minute, four minutes, then 15.
 */
export const reconcileDelay = (reconcileAttempt: number): Duration.Duration =>
  Duration.min(Duration.times(Duration.seconds(15), 4 ** (reconcileAttempt - 1)), maxDelay)

/**
 * The service sends a post again by itself only after this many looks have not found it. A person who orders that has
 * looked, so that one more look is enough.
 */
export const looksBeforeResend = 3

/**
 * The delay before the given look (1 or more) for a post that an overloaded platform may have kept: as after an unknown
 * outcome, but never less than half of the delay after the same number of other failures, so that the attempts outlast
 * a long overload.
 */
export const resendDelay = (look: number, attempts: number, jitter: number): Duration.Duration =>
  Duration.max(reconcileDelay(look), retryDelay(attempts - 1, jitter))

/** How long it is known which posts of a platform belong to targets that were deleted. Looks must not rely on it for older ones. */
export const deletedTargetRetention = Duration.days(90)
