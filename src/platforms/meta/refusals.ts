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
import { foreignAnswer, limitedUntil } from "../outcome.ts"
import {
  isAccountBlocked,
  isNotFound,
  isOverLimit,
  isPermissionMissing,
  isTheirFault,
  isTokenRefused,
  type Problem,
  problemOf
} from "./problem.ts"

const isNotReady = ({ code, subcode }: Problem) => (code === 9007 && subcode === 2207027) || subcode === 4279004

/** Known only from tokens of Pages. */
const isRoleLost = (subcode: number | undefined) => subcode === 492

/** Meta fetches files unreliably. */
const isFetchFailed = ({ subcode = 0 }: Problem) => [2207003, 2207052, 2207077, 2207082].includes(subcode)

/** Meta does not say when a limit ends. */
const limitWait = Duration.minutes(30)

/** The errors of a platform that publishes containers, by its name. */
export const makeRefusals = (platform: string) => {
  const limited = (response: PlatformResponse, detail: string, now: DateTime.Utc): RateLimited =>
    limitedUntil({ platform, response, resetHeaders: [], defaultWait: limitWait, detail }, now)

  const reconnect = ({ detail, subcode }: Problem) =>
    new NeedsReauthorization({
      message: isRoleLost(subcode)
        ? `The person who connected this account has no role on its Page any more (${detail}); connect it as somebody who has`
        : `${platform} does not accept this account's access (${detail}); connect it again`
    })

  const blocked = (detail: string) =>
    new NeedsReauthorization({
      message: `${platform} restricts this account (${detail}); open the ${platform} app, do what it asks for, and connect the account again`
    })

  /** The error of a request that publishes nothing, such as the creation of a container. */
  const refusedIdly = (response: PlatformResponse, now: DateTime.Utc): PlatformError => {
    const problem = problemOf(response)
    if (problem === undefined) return new Unavailable({ message: foreignAnswer(platform, response).message })
    const { detail } = problem
    if (isTokenRefused(problem)) return reconnect(problem)
    if (isOverLimit(problem)) return limited(response, detail, now)
    if (isAccountBlocked(problem)) return blocked(detail)
    if (isTheirFault(problem)) return new Unavailable({ message: `${platform} answered ${problem.status}: ${detail}` })
    if (isNotFound(problem) || isNotReady(problem)) {
      return new TooEarly({ message: `${platform} does not find what it has just made: ${detail}` })
    }
    if (isPermissionMissing(problem)) return reconnect(problem)
    if (isFetchFailed(problem)) {
      return new Unavailable({ message: `${platform} could not fetch a file of this post from PUBLIC_URL: ${detail}` })
    }
    return new Rejected({ message: `${platform} refused this post: ${detail}` })
  }

  /**
   * The error of a request that publishes a container. Few errors prove that nothing was published: posts were out
   * although Meta answered with a 500 of code 10, or with 4/2207051. All others are OutcomeUnknown, and the state of
   * the container decides.
   */
  const refusedPublish = (response: PlatformResponse, now: DateTime.Utc): PlatformError => {
    const problem = problemOf(response)
    if (problem === undefined) return foreignAnswer(platform, response)
    const { detail, status } = problem
    if (status < 500) {
      if (isTokenRefused(problem)) return reconnect(problem)
      if (isOverLimit(problem)) return limited(response, detail, now)
      if (isNotFound(problem) || isNotReady(problem)) {
        return new TooEarly({ message: `${platform} can't publish what it has just made yet: ${detail}` })
      }
    }
    return new OutcomeUnknown({ message: `${platform} answered ${status}: ${detail}` })
  }

  return { refusedIdly, refusedPublish }
}
