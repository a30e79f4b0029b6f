import { Duration } from "effect"

export const maxAttempts = 12

/** A target is attempted for this long after its due time. */
export const attemptWindow = Duration.hours(24)

/** The longest time that a thread waits for a limit to reset. The last hour of the window is for attempts. */
export const longestThreadWait = Duration.subtract(attemptWindow, Duration.hours(1))

export const withTooLongLimit = (message: string): string =>
  `${message}, and the limit lasts longer than the post may be late`

/** The longest delay between searches after the window: `maxAttempts` of them fit into another window. */
export const longestSearchDelay = Duration.divideUnsafe(attemptWindow, maxAttempts)

const firstDelay = Duration.seconds(30)
const maxDelay = Duration.minutes(15)

/** Exponential backoff, beginning after the first attempt; `jitter` in [0, 1) varies it by up to a fifth either way. */
export const retryDelay = (attempts: number, jitter: number): Duration.Duration => {
  const exponential = Duration.min(Duration.times(firstDelay, 2 ** (attempts - 1)), maxDelay)
  return Duration.times(exponential, 0.8 + 0.4 * jitter)
}

/** The delay while the platform does not show the replied-to post: five seconds, doubled up to five minutes. */
export const replyDelay = (attempts: number): Duration.Duration =>
  Duration.min(Duration.times(Duration.seconds(5), 2 ** (attempts - 1)), Duration.minutes(5))

/**
 * The delay while the platform refuses the application: 15 minutes, doubled up to two hours, so that the operator has
 * time to act.
 */
export const applicationDelay = (attempts: number): Duration.Duration =>
  Duration.min(Duration.times(maxDelay, 2 ** (attempts - 1)), Duration.hours(2))

/**
 * The delay before the service looks for a post: 15 seconds, one minute, four, then 15, because timelines show posts
 * late.
 */
export const reconcileDelay = (reconcileAttempt: number): Duration.Duration =>
  Duration.min(Duration.times(Duration.seconds(15), 4 ** (reconcileAttempt - 1)), maxDelay)

/**
 * If only time can tell whether a post is out, a person is told after these looks: about 20 minutes after the send, and
 * once more in case the first was lost with its process.
 */
export const toldAtLooks: ReadonlyArray<number> = [4, 16]

/**
 * The number of looks before the service sends a post again. If a person orders the resend, one more look is enough,
 * because the person has checked.
 */
export const looksBeforeResend = 3

/**
 * The delay for a post that an overloaded platform may have kept: the delay before a look, but at least half of the
 * usual retry delay, so that the attempts outlast a long overload.
 */
export const resendDelay = (look: number, attempts: number, jitter: number): Duration.Duration =>
  Duration.max(reconcileDelay(look), retryDelay(attempts - 1, jitter))

/**
 * The service remembers the published posts of deleted targets this long. A search for an older post can't rely on it.
 */
export const deletedTargetRetention = Duration.days(90)
