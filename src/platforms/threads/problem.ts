import { type DateTime, Duration } from "effect"
import {
  NeedsReauthorization,
  OutcomeUnknown,
  type PlatformError,
  type RateLimited,
  Rejected,
  TooEarly,
  Unavailable
} from "../../domain/publishing/platformError.ts"
import type { PlatformResponse } from "../call.ts"
import {
  isAccountBlocked,
  isOverLimit,
  isPermissionMissing,
  isTheirFault,
  isTokenRefused,
  type Problem,
  problemOf
} from "../meta/problem.ts"
import { foreignAnswer, limitedUntil } from "../outcome.ts"

/** Threads does not find a container or post, often because it is new. Reads say so at random too (100/33). */
export const isNotFound = ({ code, subcode }: Problem) =>
  code === 24 || (code === 100 && subcode === 33) || subcode === 4279009

const isNotReady = ({ code, subcode }: Problem) => (code === 9007 && subcode === 2207027) || subcode === 4279004

/** Meta fetches files unreliably. */
const isFetchFailed = ({ subcode }: Problem) => subcode === 2207052 || subcode === 2207003

/** Threads does not say when a limit ends. */
const limitWait = Duration.minutes(30)

const limited = (response: PlatformResponse, detail: string, now: DateTime.Utc): RateLimited =>
  limitedUntil({ platform: "Threads", response, resetHeaders: [], defaultWait: limitWait, detail }, now)

const reconnect = (detail: string) =>
  new NeedsReauthorization({ message: `Threads does not accept this account's access (${detail}); connect it again` })

const blocked = (detail: string) =>
  new NeedsReauthorization({
    message: `Threads restricts this account (${detail}); open the Threads app, do what it asks for, and connect the account again`
  })

/** The error of a request that publishes nothing, such as the creation of a container. */
export const refusedIdly = (response: PlatformResponse, now: DateTime.Utc): PlatformError => {
  const problem = problemOf(response)
  if (problem === undefined) return new Unavailable({ message: foreignAnswer("Threads", response).message })
  const { detail } = problem
  if (isTokenRefused(problem)) return reconnect(detail)
  if (isOverLimit(problem)) return limited(response, detail, now)
  if (isAccountBlocked(problem)) return blocked(detail)
  if (isTheirFault(problem)) return new Unavailable({ message: `Threads answered ${problem.status}: ${detail}` })
  if (isNotFound(problem) || isNotReady(problem)) {
    return new TooEarly({ message: `Threads does not find what it has just made: ${detail}` })
  }
  if (isPermissionMissing(problem)) return reconnect(detail)
  if (isFetchFailed(problem)) {
    return new Unavailable({ message: `Threads could not fetch a file of this post from PUBLIC_URL: ${detail}` })
  }
  return new Rejected({ message: `Threads refused this post: ${detail}` })
}

/**
 * The error of a request that publishes a container. Few errors prove that nothing was published: posts were out
 * although Threads answered with a 500 of code 10, or with 4/2207051. All others are OutcomeUnknown, and the state of
 * the container decides.
 */
export const refusedPublish = (response: PlatformResponse, now: DateTime.Utc): PlatformError => {
  const problem = problemOf(response)
  if (problem === undefined) return foreignAnswer("Threads", response)
  const { detail, status } = problem
  if (status < 500) {
    if (isTokenRefused(problem)) return reconnect(detail)
    if (isOverLimit(problem)) return limited(response, detail, now)
    if (isNotFound(problem) || isNotReady(problem)) {
      return new TooEarly({ message: `Threads can't publish what it has just made yet: ${detail}` })
    }
  }
  return new OutcomeUnknown({ message: `Threads answered ${status}: ${detail}` })
}
