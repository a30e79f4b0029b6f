import { type DateTime, Duration, Effect, Option, Predicate, Schema } from "effect"
import { counted } from "../../domain/counted.ts"
import { creditsSpent } from "../../domain/publishing/creditsSpent.ts"
import {
  ApplicationRefused,
  NeedsReauthorization,
  Overloaded,
  type PlatformError,
  type RateLimited,
  Rejected,
  Unavailable
} from "../../domain/publishing/platformError.ts"
import { type PlatformResponse, readResponse } from "../call.ts"
import { failAt, foreignAnswer, limitedUntil, refusedPost } from "../outcome.ts"
import { platformDetail } from "../platformText.ts"

/** Any value, because an undocumented value of one member must not make the whole problem unreadable. */
const member = Schema.optionalKey(Schema.Unknown)

const Problem = Schema.Struct({
  title: member,
  detail: member,
  type: member,
  error_description: member,
  errors: member,
  // X sends neither. Gateways put the request's path into `instance`, and `success: false` into errors.
  instance: member,
  success: member
})
const readBody = readResponse(Problem)

const isListed = Schema.is(Schema.Struct({ message: member, detail: member, code: member }))

/** By X's OpenAPI document, a problem has a title and a type, and an error has a code and a message. */
const problemType = /^about:blank$|\/problems\/[\w-]+$/
const isProblem = Schema.is(
  Schema.Struct({ title: Schema.NonEmptyString, type: Schema.String.check(Schema.isPattern(problemType)) })
)
const isError = Schema.is(Schema.Struct({ code: Schema.Int, message: Schema.String }))

/**
 * None if the body is not in X's format, and so perhaps not from X. Every conclusion that X did not publish uses this.
 * Headers prove nothing: X also sends its limit headers with a success, and a gateway that replaces a body may keep
 * them.
 */
const readProblem = (response: PlatformResponse): Option.Option<typeof Problem.Type> =>
  Option.filter(
    readBody(response),
    (body) =>
      body.success === undefined &&
      body.instance === undefined &&
      (isProblem(body) || (Array.isArray(body.errors) && body.errors.some((each) => isError(each) || isProblem(each))))
  )

/** True if X itself sent the answer, which must not be a success. */
export const isOwnAnswer = (response: PlatformResponse): boolean => Option.isSome(readProblem(response))

const listed = ({ errors }: typeof Problem.Type) => {
  const items: ReadonlyArray<unknown> = Array.isArray(errors) ? errors : []
  return items.filter(isListed)
}

const textOf = (...values: ReadonlyArray<unknown>): string => values.find(Predicate.isString) ?? ""

const explain = (problem: typeof Problem.Type): string | null => {
  const messages = listed(problem).flatMap(({ detail, message }) => textOf(message, detail) || [])
  const detail =
    messages.length > 0 ? messages.join("; ") : textOf(problem.detail, problem.error_description, problem.title)
  return platformDetail(detail) || null
}

/** The explanation for people, from X or something in front of X; null if there is none. */
export const problemDetail = (response: PlatformResponse): string | null =>
  Option.getOrNull(Option.map(readBody(response), explain))

/** The explanation for decisions; empty if the response is not X's. */
const ownDetail = (response: PlatformResponse): string =>
  Option.getOrElse(Option.map(readProblem(response), explain), () => null) ?? ""

export const isDuplicate = (response: PlatformResponse): boolean =>
  response.status === 403 && /duplicate content/i.test(ownDetail(response))

/** The code for a reply to a deleted or invisible post. Third parties report it; X does not document it. */
const unseenParent = 385

export const hidesParent = (response: PlatformResponse): boolean =>
  response.status === 403 &&
  (/deleted or not visible/i.test(ownDetail(response)) ||
    Option.exists(readProblem(response), (problem) => listed(problem).some(({ code }) => code === unseenParent)))

const replyProblem = /\/problems\/not-authorized-for-resource$/

/** README.md names the sources: X documents only a part of its rules for replies. */
export const isReplyForbidden = (response: PlatformResponse): boolean =>
  response.status === 403 && Option.exists(readProblem(response), ({ type }) => replyProblem.test(textOf(type)))

/** The period of the `x-rate-limit-…` headers. */
export const limitWindow = Duration.minutes(15)
/** The wait if X does not say when a daily or monthly cap ends. With this wait, a post's attempts last for a day. */
const capWait = Duration.hours(3)
const dailyLimits = ["x-user-limit-24hour", "x-app-limit-24hour"]

/** True for a limit longer than 15 minutes. */
const isCap = (response: PlatformResponse): boolean =>
  Option.exists(readProblem(response), ({ detail, title, type }) =>
    /usage-?cap|monthly|daily|24[ -]?hours?/i.test(`${textOf(type)} ${textOf(title)} ${textOf(detail)}`)
  )

/** The codes of a 403 that ends by itself: the account has posted too much today, or looks automated. */
const dailyPosts = 185
const looksAutomated = 226

const hasCode = (response: PlatformResponse, code: number): boolean =>
  Option.exists(readProblem(response), (problem) => listed(problem).some((error) => error.code === code))

const isDailyRefusal = (response: PlatformResponse): boolean =>
  response.status === 403 &&
  (hasCode(response, dailyPosts) || /over (the )?daily status update limit/i.test(ownDetail(response)))

const isAutomationRefusal = (response: PlatformResponse): boolean =>
  response.status === 403 &&
  (hasCode(response, looksAutomated) || /looks like it might be automated/i.test(ownDetail(response)))

/** True for limits that X does not answer with a 429. */
const isLimitRefusal = (response: PlatformResponse): boolean =>
  isDailyRefusal(response) || isAutomationRefusal(response)

const limited = (response: PlatformResponse, now: DateTime.Utc): RateLimited => {
  const { headers } = response
  const spent = dailyLimits.filter((limit) => headers[`${limit}-remaining`] === "0")
  const cap = spent.length > 0 || isCap(response) || isDailyRefusal(response)
  // With another limit, the 15-minute headers count only if that limit is used up too.
  const isOther = cap || response.status === 403
  const window = isOther && headers["x-rate-limit-remaining"] !== "0" ? [] : ["x-rate-limit-reset"]
  const resetHeaders = [...window, ...spent.map((limit) => `${limit}-reset`)]
  const defaultWait = cap ? capWait : limitWindow
  return limitedUntil({ platform: "X", response, resetHeaders, defaultWait, detail: problemDetail(response) }, now)
}

export const rateLimited = (response: PlatformResponse) => failAt((now) => limited(response, now))

export const closedAccount = (response: PlatformResponse): NeedsReauthorization | undefined => {
  const detail = ownDetail(response)
  return /\b(account|user)\b.*\b(suspended|locked|deactivated)\b/i.test(detail)
    ? new NeedsReauthorization({ message: `X has closed this account (${detail}); open it there and connect it again` })
    : undefined
}

const creditProblem = /\/problems\/credits$/
const applicationProblems = /\/problems\/(client-forbidden|oauth1-permissions|unsupported-authentication)$/
/** X's code for an endpoint that the application's plan lacks. */
const someEndpoints = 453

/**
 * X refuses the application, not this post or its account: nothing was carried out. Spent credits are a 402. A spending
 * cap is a 403 that differs from other 403s by its type alone.
 */
export const refusedApplication = (response: PlatformResponse): ApplicationRefused | undefined => {
  const { status } = response
  const problem = Option.getOrUndefined(readProblem(response))
  if (status < 400 || status >= 500 || problem === undefined) return undefined
  const detail = explain(problem)
  const because = detail === null ? "" : `: ${detail}`
  const type = textOf(problem.type)
  if (status === 402 || creditProblem.test(type)) {
    return new ApplicationRefused({
      message: `The X application ${creditsSpent}, so its operator has to act before anything can be posted${because}`,
      reason: "credits"
    })
  }
  const lacksEndpoint = listed(problem).some(({ code }) => code === someEndpoints)
  return status === 403 && (lacksEndpoint || applicationProblems.test(type))
    ? new ApplicationRefused({
        message: `X refuses the application, so its operator has to act before anything can be posted${because}`,
        reason: "access"
      })
    : undefined
}

const longVideo = /not allowed to post a video longer than (\d{1,4}) minutes?/i

/** The longest video of an account depends on its subscription. No endpoint tells it before. */
const refusedVideo = (response: PlatformResponse): Rejected | undefined => {
  const minutes = longVideo.exec(ownDetail(response))?.[1]
  return minutes === undefined
    ? undefined
    : new Rejected({
        message: `X does not let this account post videos of more than ${counted(Number(minutes), "minute")}. Copy the post with a shorter one, or subscribe to X Premium with this account and publish the post again`
      })
}

const specialRefusal = (response: PlatformResponse): PlatformError | undefined => {
  switch (response.status) {
    case 401:
      if (!isOwnAnswer(response)) return undefined
      return new NeedsReauthorization({ message: "X no longer accepts this account's access; connect it again" })
    case 403:
      return closedAccount(response) ?? refusedVideo(response)
    default:
      return undefined
  }
}

/** False for another format: such a 503 may come from something in front of X, after it passed the post on. */
const isOverload = (response: PlatformResponse): boolean =>
  response.status === 503 &&
  Option.exists(readProblem(response), ({ title, type }) => textOf(title) !== "" && textOf(type) !== "")

export const refusedTweet = (response: PlatformResponse, now: DateTime.Utc): PlatformError => {
  if (!isOwnAnswer(response)) return foreignAnswer("X", response)
  const refused = refusedApplication(response)
  if (refused !== undefined) return refused
  if (response.status === 429 || isLimitRefusal(response)) return limited(response, now)
  const detail = ownDetail(response)
  if (isOverload(response)) return new Overloaded({ message: `X answered 503: ${detail}` })
  return refusedPost({ platform: "X", response, detail, special: specialRefusal(response) })
}

/** A refused upload publishes nothing, so it can be repeated. */
export const refusedMedia = (response: PlatformResponse): Effect.Effect<never, PlatformError> => {
  const refused = refusedApplication(response)
  if (refused !== undefined) return Effect.fail(refused)
  const { status } = response
  const isOwn = isOwnAnswer(response)
  if ((status === 429 && isOwn) || isLimitRefusal(response)) return rateLimited(response)
  const special = specialRefusal(response)
  if (special !== undefined) return Effect.fail(special)
  const detail = problemDetail(response)
  const because = detail === null ? "" : `: ${detail}`
  // A 4xx of a proxy in front of X refuses the file only with the status 400 or 413. Otherwise the upload is repeated.
  const isRefusal = isOwn || status === 400 || status === 413
  if (status < 400 || status >= 500 || status === 408 || !isRefusal) {
    return new Unavailable({ message: `X answered ${status} to an upload${because}` })
  }
  return new Rejected({
    message:
      status === 403
        ? `X does not let this service upload media for this account${because}. Connect the account again to allow it; posts without media still go out.`
        : `X refused a file of this post${because}`
  })
}
