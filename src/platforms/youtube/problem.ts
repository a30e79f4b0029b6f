import { DateTime, Duration, Option, Schema } from "effect"
import {
  ApplicationRefused,
  NeedsReauthorization,
  type OutcomeUnknown,
  type PlatformError,
  RateLimited,
  Rejected,
  TooEarly,
  Unavailable
} from "../../domain/publishing/platformError.ts"
import { type PlatformResponse, readResponse } from "../call.ts"
import { foreignAnswer, limitedUntil, refusedPost } from "../outcome.ts"
import { platformDetail } from "../platformText.ts"
import { nextDay } from "./quota.ts"

const readProblem = readResponse(
  Schema.Struct({
    error: Schema.Struct({
      code: Schema.Int,
      message: Schema.optionalKey(Schema.Unknown),
      errors: Schema.NonEmptyArray(Schema.Struct({ reason: Schema.String, domain: Schema.String }))
    })
  })
)

interface Problem {
  readonly status: number
  readonly reason: string
  readonly detail: string
}

/** Undefined if the answer is not an error in the format of Google's APIs. */
export const problemOf = (response: PlatformResponse): Problem | undefined => {
  const read = Option.getOrUndefined(readProblem(response))
  if (read?.error.code !== response.status) return undefined
  const { errors, message } = read.error
  const [{ reason }] = errors
  const text = typeof message === "string" ? platformDetail(message) : ""
  return { status: response.status, reason, detail: text === "" ? reason : `${text} (${reason})` }
}

export const refusesToken = (response: PlatformResponse): boolean =>
  response.status === 401 && ["authError", "unauthorized"].includes(problemOf(response)?.reason ?? "")

export const isUnknownVideo = (response: PlatformResponse): boolean => problemOf(response)?.reason === "videoNotFound"

/** A channel's own limit of uploads ends after about a day, and nobody says when. */
const channelWait = Duration.hours(6)

const overQuota = new Set(["quotaExceeded", "dailyLimitExceeded"])
const overRate = new Set(["rateLimitExceeded", "userRateLimitExceeded", "uploadRateLimitExceeded"])
const withoutAccess = new Set(["insufficientPermissions", "youtubeSignupRequired", "authError", "unauthorized"])
const closed = new Set(["accountClosed", "accountSuspended", "authenticatedUserAccountClosed", "channelSuspended"])
const withoutApi = new Set(["accessNotConfigured", "ipRefererBlocked", "keyInvalid"])

/** The error if YouTube refuses whatever the video is. */
const special = (
  { detail, reason }: Problem,
  response: PlatformResponse,
  now: DateTime.Utc
): PlatformError | undefined => {
  if (overQuota.has(reason)) {
    return new RateLimited({
      message: `YouTube accepts no more requests from this application until midnight in California, because its quota of the day is used up (${detail}). The operator can ask Google for more`,
      until: nextDay(now)
    })
  }
  if (reason === "uploadLimitExceeded") {
    return new RateLimited({
      message: `YouTube accepts no more videos on this channel for now: ${detail}`,
      until: DateTime.addDuration(now, channelWait)
    })
  }
  if (overRate.has(reason) || response.status === 429) {
    return limitedUntil(
      { platform: "YouTube", response, resetHeaders: [], defaultWait: Duration.minutes(5), detail },
      now
    )
  }
  if (reason === "youtubeSignupRequired") {
    return new NeedsReauthorization({
      message: `This Google account has no YouTube channel (${detail}); create one, and connect it again`
    })
  }
  if (withoutAccess.has(reason)) {
    return new NeedsReauthorization({
      message: `YouTube does not accept the access to this channel (${detail}); connect it again, and allow everything that Google asks for`
    })
  }
  if (closed.has(reason)) {
    return new NeedsReauthorization({ message: `YouTube has closed or suspended this channel (${detail})` })
  }
  return withoutApi.has(reason)
    ? new ApplicationRefused({ message: `YouTube refuses this application: ${detail}`, reason: "access" })
    : undefined
}

/** The error of a request that others see nothing of. */
export const refusedIdly = (response: PlatformResponse, now: DateTime.Utc): PlatformError => {
  const problem = problemOf(response)
  if (problem === undefined) return new Unavailable({ message: foreignAnswer("YouTube", response).message })
  const { detail, status } = problem
  const known = special(problem, response, now)
  if (known !== undefined) return known
  return status >= 500 || status === 408 || status === 409
    ? new Unavailable({ message: `YouTube answered ${status}: ${detail}` })
    : new Rejected({ message: `YouTube refused this video: ${detail}` })
}

/** The error of the request that makes a video visible. */
export const refusedUpdate = (response: PlatformResponse, now: DateTime.Utc): PlatformError | OutcomeUnknown => {
  const problem = problemOf(response)
  if (problem === undefined || response.status === 409) return foreignAnswer("YouTube", response)
  const { detail } = problem
  if (isUnknownVideo(response))
    return new TooEarly({ message: `YouTube does not find the video of this post: ${detail}` })
  return refusedPost({ platform: "YouTube", response, detail, special: special(problem, response, now) })
}
