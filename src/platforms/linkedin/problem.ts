import { DateTime, Duration, Option, Schema } from "effect"
import {
  ApplicationRefused,
  DuplicateRefused,
  NeedsReauthorization,
  OutcomeUnknown,
  type RateLimited,
  Rejected,
  UploadsGone
} from "../../domain/publishing/platformError.ts"
import { type PlatformResponse, readResponse } from "../call.ts"
import { foreignAnswer, limitedUntil, refusedPost } from "../outcome.ts"
import type { SendFailure } from "../PlatformClient.ts"
import { platformDetail } from "../platformText.ts"

const code = Schema.String.check(Schema.isPattern(/^[A-Z][A-Z0-9_]*$/))

/** LinkedIn's errors repeat the status, and have a code in capitals or a number. Gateways send neither. */
const readError = readResponse(
  Schema.Struct({
    status: Schema.Int,
    message: Schema.String,
    code: Schema.optionalKey(Schema.Unknown),
    serviceErrorCode: Schema.optionalKey(Schema.Unknown),
    errorDetails: Schema.optionalKey(Schema.Unknown)
  })
)
const isCode = Schema.is(code)
const isInt = Schema.is(Schema.Int)
const isDetailed = Schema.is(
  Schema.Struct({ inputErrors: Schema.Array(Schema.Struct({ code: Schema.optionalKey(Schema.Unknown) })) })
)

export interface LinkedinError {
  readonly codes: ReadonlyArray<string>
  readonly serviceErrorCode: number | undefined
  readonly detail: string
}

/** Undefined if the response is not in LinkedIn's own format. Every conclusion that nothing was published uses this. */
export const errorOf = (response: PlatformResponse): LinkedinError | undefined => {
  const error = Option.getOrUndefined(readError(response))
  if (error === undefined || error.status !== response.status) return undefined
  if (!isCode(error.code) && !isInt(error.serviceErrorCode)) return undefined
  const inputs = isDetailed(error.errorDetails) ? error.errorDetails.inputErrors.map((input) => input.code) : []
  return {
    codes: [error.code, ...inputs].filter(isCode),
    serviceErrorCode: isInt(error.serviceErrorCode) ? error.serviceErrorCode : undefined,
    detail: platformDetail(error.message)
  }
}

export const detailOf = (response: PlatformResponse): string => errorOf(response)?.detail ?? `status ${response.status}`

/** LinkedIn answers so for a while after a consent. The token works all the same. */
const revoked = 65_601
const settles = Duration.minutes(10)

export const isRevoked = (response: PlatformResponse): boolean =>
  response.status === 401 && errorOf(response)?.serviceErrorCode === revoked

/** True if this refusal may be one of those that LinkedIn gives by mistake right after a consent. */
export const isTooFresh = (response: PlatformResponse, grantedAt: DateTime.Utc, now: DateTime.Utc): boolean =>
  isRevoked(response) && DateTime.isLessThan(now, DateTime.addDuration(grantedAt, settles))

export const isRefusedToken = (response: PlatformResponse): boolean =>
  response.status === 401 && errorOf(response) !== undefined

/** The limits end at midnight UTC. A 429 also protects LinkedIn for a shorter time, and no header says which it is. */
const limitWait = Duration.hours(1)

const limited = (response: PlatformResponse, detail: string, now: DateTime.Utc): RateLimited => {
  const midnight = DateTime.startOf(DateTime.add(now, { days: 1 }), "day")
  const defaultWait = Duration.min(limitWait, DateTime.distance(now, midnight))
  return limitedUntil({ platform: "LinkedIn", response, resetHeaders: [], defaultWait, detail }, now)
}

const lacksPermission = (error: LinkedinError) => /not enough permissions to access/i.test(error.detail)

/** LinkedIn refuses the application, not this post or its account. */
const refusedApplication = (response: PlatformResponse): ApplicationRefused | undefined => {
  const error = errorOf(response)
  if (error === undefined) return undefined
  const { status } = response
  const refuse = (step: string) =>
    new ApplicationRefused({ message: `LinkedIn refuses the application: ${error.detail}. ${step}`, reason: "access" })
  if (status === 426 || (status === 400 && error.codes.includes("VERSION_MISSING"))) {
    return refuse("Its operator has to set LINKEDIN_VERSION to a version that LinkedIn still serves")
  }
  return status === 403 && lacksPermission(error)
    ? refuse("Its operator has to check the products of the LinkedIn application")
    : undefined
}

const limitOf = (response: PlatformResponse, now: DateTime.Utc): RateLimited | undefined => {
  const error = response.status === 429 ? errorOf(response) : undefined
  return error && limited(response, error.detail, now)
}

const reconnect = (detail: string) =>
  new NeedsReauthorization({
    message: `LinkedIn no longer accepts this account's access (${detail}); connect the account again`
  })

/** The errors of any refused request, whatever it asked for. */
export const refusedAccess = (response: PlatformResponse, now: DateTime.Utc) => {
  const error = errorOf(response)
  if (error === undefined) return undefined
  return (
    refusedApplication(response) ??
    limitOf(response, now) ??
    (response.status === 401 ? reconnect(error.detail) : undefined)
  )
}

const lostMedia = new Set(["MEDIA_ASSET_WAITING_UPLOAD", "MEDIA_ASSET_PROCESSING_FAILED"])

const isDuplicate = ({ codes, detail }: LinkedinError) =>
  codes.includes("DUPLICATE_POST") || /content is a duplicate of urn:li:/i.test(detail)

/** The failure that an answer to a post means if it is not a success. */
export const refusedPostOf = (
  { hasMedia, isPage }: { readonly hasMedia: boolean; readonly isPage: boolean },
  response: PlatformResponse,
  now: DateTime.Utc
): SendFailure => {
  const error = errorOf(response)
  if (error === undefined) return foreignAnswer("LinkedIn", response)
  const { codes, detail } = error
  const { status } = response
  const refused = refusedAccess(response, now)
  if (refused !== undefined) return refused
  if (status === 409) return new OutcomeUnknown({ message: `LinkedIn answered 409: ${detail}` })
  if (status === 422 && isDuplicate(error)) {
    return new DuplicateRefused({ message: `LinkedIn refused this post: ${detail}` })
  }
  if (hasMedia && (status === 400 || status === 422) && codes.some((each) => lostMedia.has(each))) {
    return new UploadsGone({ message: `LinkedIn can't use a file of this post: ${detail}` })
  }
  const special =
    status === 403 && isPage
      ? new NeedsReauthorization({
          message: `LinkedIn does not let this person post for the page (${detail}). Ask an administrator of the page for the role, or connect the page as somebody who has it`
        })
      : undefined
  return refusedPost({ platform: "LinkedIn", response, detail, special })
}

export const refusedFile = (response: PlatformResponse, now: DateTime.Utc) => {
  const refused = refusedAccess(response, now)
  if (refused !== undefined) return refused
  const error = errorOf(response)
  return error !== undefined && [400, 403, 413, 422].includes(response.status)
    ? new Rejected({ message: `LinkedIn refused a file of this post: ${error.detail}` })
    : undefined
}
