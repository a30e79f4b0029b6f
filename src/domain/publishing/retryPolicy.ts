import { Duration } from "effect"

export const maxAttempts = 12

/** A target is attempted for this long after its due time. */
export const attemptWindow = Duration.hours(24)

/** The last hour is for a thread's attempts. */
export const longestThreadWait = Duration.subtract(attemptWindow, Duration.hours(1))

/** The post could not be sent any more when the limit ends. */
export const withTooLongLimit = (message: string): string =>
  `${message}, and the limit lasts longer than the post may be late`

/** The longest delay between searches after the window: `maxAttempts` of them fit into its length. */
export const longestSearchDelay = Duration.divideUnsafe(attemptWindow, maxAttempts)

const firstDelay = Duration.seconds(30)
const maxDelay = Duration.minutes(15)

/** Exponential backoff from the first attempt on; `jitter` in [0, 1) varies it by up to a fifth either way. */
export const retryDelay = (attempts: number, jitter: number): Duration.Duration => {
  const exponential = Duration.min(Duration.times(firstDelay, 2 ** (attempts - 1)), maxDelay)
  return Duration.times(exponential, 0.8 + 0.4 * jitter)
}

/** The delay while the platform does not show the replied-to post: five seconds, doubled up to five minutes. */
export const replyDelay = (attempts: number): Duration.Duration =>
  Duration.min(Duration.times(Duration.seconds(5), 2 ** (attempts - 1)), Duration.minutes(5))

/**
 * The delay while the platform refuses the application: 15 minutes, doubled up to two hours. So the attempts last until
 * the operator has acted.
 */
export const applicationDelay = (attempts: number): Duration.Duration =>
  Duration.min(Duration.times(maxDelay, 2 ** (attempts - 1)), Duration.hours(2))

/** Timelines show posts late, so it grows fourfold: 15 seconds, one minute, four, then 15. */
export const reconcileDelay = (reconcileAttempt: number): Duration.Duration =>
  Duration.min(Duration.times(Duration.seconds(15), 4 ** (reconcileAttempt - 1)), maxDelay)

/** The service sends a post again only after this many looks. A person who orders it has looked: one more is enough. */
export const looksBeforeResend = 3

/**
 * The delay for a post that an overloaded platform may have kept: as after an unknown outcome, but at least half of the
 * delay after as many other failures, so that the attempts outlast a long overload.
 */
export const resendDelay = (look: number, attempts: number, jitter: number): Duration.Duration =>
  Duration.max(reconcileDelay(look), retryDelay(attempts - 1, jitter))

/** The posts of deleted targets are remembered this long; looks must not rely on it for older posts. */
export const deletedTargetRetention = Duration.days(90)
