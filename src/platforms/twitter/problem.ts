import { Duration, Effect, Option, Schema } from "effect"
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
import { failRateLimited, platformDetail, refusedPost } from "../outcome.ts"

const nullableString = Schema.optionalKey(Schema.NullOr(Schema.String))

const Problem = Schema.Struct({
  title: nullableString,
  detail: nullableString,
  type: nullableString,
  error_description: nullableString,
  errors: Schema.optionalKey(
    Schema.NullOr(Schema.Array(Schema.Struct({ message: nullableString, detail: nullableString })))
  )
})
const readProblem = readResponse(Problem)

/** X's explanation of an error response; null if it has none. */
export const problemDetail = (response: PlatformResponse): string | null =>
  Option.match(readProblem(response), {
    onNone: () => null,
    onSome: (problem) => {
      const messages = (problem.errors ?? []).flatMap((error) => error.message ?? error.detail ?? [])
      const detail =
        messages.length > 0 ? messages.join("; ") : (problem.detail ?? problem.error_description ?? problem.title ?? "")
      return detail.trim() === "" ? null : platformDetail(detail)
    }
  })

/** Whether X refused a post because the account has one with the same text. */
export const isDuplicate = (response: PlatformResponse): boolean =>
  response.status === 403 && /duplicate content/i.test(problemDetail(response) ?? "")

const limitWindow = Duration.minutes(15)
/** A cap of a day or a month need not say when it ends. The attempts at one post last for a day with this wait. */
const capWait = Duration.hours(3)
const dailyLimits = ["x-user-limit-24hour", "x-app-limit-24hour"]

/** Whether X limits more than the requests of 15 minutes. */
const isCap = (response: PlatformResponse): boolean =>
  Option.exists(readProblem(response), ({ detail, title, type }) =>
    /usage-?cap|monthly|daily|24[ -]?hours?/i.test(`${type ?? ""} ${title ?? ""} ${detail ?? ""}`)
  )

/** Fails with what a 429 means. */
export const rateLimited = (response: PlatformResponse): Effect.Effect<never, RateLimited> => {
  const { headers } = response
  const spent = dailyLimits.filter((limit) => headers[`${limit}-remaining`] === "0")
  const cap = spent.length > 0 || isCap(response)
  // Where a cap is reached, the headers of the 15 minutes say nothing unless these are used up as well.
  const window = cap && headers["x-rate-limit-remaining"] !== "0" ? [] : ["x-rate-limit-reset"]
  return failRateLimited(
    "X",
    response,
    [...window, ...spent.map((limit) => `${limit}-reset`)],
    cap ? capWait : limitWindow,
    problemDetail(response)
  )
}

/** The account's state, by which X refuses all that the account does until its owner acts; undefined for any other reason. */
export const closedAccount = (response: PlatformResponse): NeedsReauthorization | undefined => {
  const detail = problemDetail(response) ?? ""
  return /\b(account|user)\b.*\b(suspended|locked|deactivated)\b/i.test(detail)
    ? new NeedsReauthorization({ message: `X has closed this account (${detail}); open it there and connect it again` })
    : undefined
}

const applicationProblems = /\/problems\/(client-forbidden|oauth1-permissions|unsupported-authentication)$/

/** Refusals that only X has. */
const specialRefusal = (response: PlatformResponse, detail: string | null): PlatformError | undefined => {
  const because = detail === null ? "" : `: ${detail}`
  switch (response.status) {
    case 401:
      return new NeedsReauthorization({ message: "X no longer accepts this account's access; connect it again" })
    case 402:
      return new ApplicationRefused({
        message: `The X application has no credits left, so its operator has to buy some before anything can be posted${because}`,
        reason: "credits"
      })
    case 403:
      return Option.exists(readProblem(response), ({ type }) => applicationProblems.test(type ?? ""))
        ? new ApplicationRefused({
            message: `X refuses the application, so its operator has to act before anything can be posted${because}`,
            reason: "access"
          })
        : closedAccount(response)
    default:
      return undefined
  }
}

/** A 503 in X's own format is X's answer; without it, it may come from something in front of X that has passed the post on. */
const isOverload = (response: PlatformResponse): boolean =>
  response.status === 503 &&
  Option.exists(readProblem(response), ({ title, type }) => (title ?? "") !== "" && (type ?? "") !== "")

/** Fails with what a response other than success to a post means. */
export const refusedTweet = (response: PlatformResponse): Effect.Effect<never, PlatformError> => {
  if (response.status === 429) return rateLimited(response)
  const detail = problemDetail(response)
  if (isOverload(response)) return new Overloaded({ message: `X answered 503: ${detail}` })
  return Effect.fail(
    refusedPost({
      platform: "X",
      response,
      detail,
      rejections: [400],
      special: specialRefusal(response, detail)
    })
  )
}

/** Fails with what a response other than success to an upload means. Nothing is published by it, so that it can be repeated. */
export const refusedMedia = (response: PlatformResponse): Effect.Effect<never, PlatformError> => {
  if (response.status === 429) return rateLimited(response)
  const { status } = response
  const detail = problemDetail(response)
  const because = detail === null ? "" : `: ${detail}`
  if (status >= 500 || status === 408)
    return new Unavailable({ message: `X answered ${status} to an upload${because}` })
  const special = specialRefusal(response, detail)
  if (special !== undefined) return Effect.fail(special)
  return new Rejected({
    message:
      status === 403
        ? `X does not let this service upload media for this account${because}. Connect the account again to allow it; posts without media go on meanwhile.`
        : `X refused a file of this post${because}`
  })
}
