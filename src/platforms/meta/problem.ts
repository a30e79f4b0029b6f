import { type DateTime, Duration, Option, Schema } from "effect"
import {
  NeedsReauthorization,
  OutcomeUnknown,
  type PlatformError,
  type RateLimited,
  Rejected,
  TooEarly,
  Unavailable
} from "../../domain/publishing/platformError.ts"
import { type PlatformResponse, readResponse } from "../call.ts"
import { foreignAnswer, limitedUntil } from "../outcome.ts"
import { platformDetail } from "../platformText.ts"

const readProblem = readResponse(
  Schema.Struct({
    error: Schema.Struct({
      message: Schema.String,
      type: Schema.NonEmptyString,
      code: Schema.Int,
      error_subcode: Schema.optionalKey(Schema.Int),
      error_user_msg: Schema.optionalKey(Schema.Unknown)
    })
  })
)

export interface Problem {
  readonly status: number
  readonly code: number
  readonly subcode: number | undefined
  readonly detail: string
}

/** Undefined if the response is not an error in the format of Meta's Graph API. */
export const problemOf = (response: PlatformResponse): Problem | undefined => {
  const read = response.status >= 400 ? readProblem(response) : Option.none()
  if (Option.isNone(read)) return undefined
  const { code, error_subcode, error_user_msg, message } = read.value.error
  const detail = platformDetail(typeof error_user_msg === "string" && error_user_msg !== "" ? error_user_msg : message)
  return { status: response.status, code, subcode: error_subcode, detail }
}

const is =
  (...codes: ReadonlyArray<number>) =>
  ({ code }: Problem) =>
    codes.includes(code)

/** The access token is invalid: Meta checks it before anything else. */
export const isTokenRefused = is(190, 102)

/** The account's permission for something is missing, or was not used for 90 days. */
const isPermissionMissing = ({ code }: Problem) => code === 3 || code === 10 || (code >= 200 && code <= 299)

/** Meta blocks the account until a person acts in the app. */
const isAccountBlocked = ({ code, subcode }: Problem) =>
  code === 368 || subcode === 2207050 || subcode === 4279013 || code === 4279013

const isOverLimit = ({ code, subcode }: Problem) =>
  ([4, 17, 32, 341, 613, 80001, 80002].includes(code) && subcode !== 2207051) ||
  code === 1390008 ||
  (code === 9 && subcode === 2207042)

/** Meta does not find a container or post, often because it is new. Reads say so at random too (100/33). */
export const isNotFound = ({ code, subcode }: Problem) =>
  code === 24 || (code === 100 && subcode === 33) || subcode === 4279009

const isNotReady = ({ code, subcode }: Problem) => (code === 9007 && subcode === 2207027) || subcode === 4279004

/** Meta fetches files unreliably. */
const isFetchFailed = ({ subcode = 0 }: Problem) => [2207003, 2207052, 2207077, 2207082].includes(subcode)

/** Meta's own fault. */
const isTheirFault = ({ code, status }: Problem) =>
  status >= 500 || status === 408 || code === 1 || code === 2 || code < 0

/** Meta does not say when a limit ends. */
const limitWait = Duration.minutes(30)

/** The errors of one platform, by its name. */
export const makeRefusals = (platform: string) => {
  const limited = (response: PlatformResponse, detail: string, now: DateTime.Utc): RateLimited =>
    limitedUntil({ platform, response, resetHeaders: [], defaultWait: limitWait, detail }, now)

  const reconnect = (detail: string) =>
    new NeedsReauthorization({
      message: `${platform} does not accept this account's access (${detail}); connect it again`
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
    if (isTokenRefused(problem)) return reconnect(detail)
    if (isOverLimit(problem)) return limited(response, detail, now)
    if (isAccountBlocked(problem)) return blocked(detail)
    if (isTheirFault(problem)) return new Unavailable({ message: `${platform} answered ${problem.status}: ${detail}` })
    if (isNotFound(problem) || isNotReady(problem)) {
      return new TooEarly({ message: `${platform} does not find what it has just made: ${detail}` })
    }
    if (isPermissionMissing(problem)) return reconnect(detail)
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
      if (isTokenRefused(problem)) return reconnect(detail)
      if (isOverLimit(problem)) return limited(response, detail, now)
      if (isNotFound(problem) || isNotReady(problem)) {
        return new TooEarly({ message: `${platform} can't publish what it has just made yet: ${detail}` })
      }
    }
    return new OutcomeUnknown({ message: `${platform} answered ${status}: ${detail}` })
  }

  return { refusedIdly, refusedPublish }
}
