import { Duration } from "effect"

/** Attempts after which a target is given up. */
export const maxAttempts = 12

/** How long after its due time a target is still attempted. */
export const attemptWindow = Duration.hours(24)

const firstDelay = Duration.seconds(30)
const longestDelay = Duration.minutes(15)

/** The wait after the given number of attempts (1 or more): doubled each time, within a fifth of it by `jitter` in [0, 1). */
export const retryDelay = (attempts: number, jitter: number): Duration.Duration => {
  const exponential = Duration.min(Duration.times(firstDelay, 2 ** (attempts - 1)), longestDelay)
  return Duration.times(exponential, 0.8 + 0.4 * jitter)
}

/** The wait before the given look (1 or more) whether a post went out. Timelines lag: 15 seconds, a minute, four, then 15. */
export const reconcileDelay = (look: number): Duration.Duration =>
  Duration.min(Duration.times(Duration.seconds(15), 4 ** (look - 1)), longestDelay)
