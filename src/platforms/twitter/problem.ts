import { Duration, Effect, Option, Schema } from "effect"
import {
  NeedsReauthorization,
  OutcomeUnknown,
  type PlatformError,
  RateLimited,
  Rejected,
  Unavailable
} from "../../domain/platformError.ts"
import { type PlatformResponse, readResponse } from "../call.ts"
import { platformDetail } from "../platformDetail.ts"
import { resumeAt } from "../resumeAt.ts"

const Problem = Schema.Struct({
  title: Schema.optionalKey(Schema.String),
  detail: Schema.optionalKey(Schema.String),
  error_description: Schema.optionalKey(Schema.String),
  errors: Schema.optionalKey(Schema.Array(Schema.Struct({ message: Schema.optionalKey(Schema.String) })))
})
const readProblem = readResponse(Problem)

const limitWindow = Duration.minutes(15)
const dailyLimits = ["x-user-limit-24hour", "x-app-limit-24hour"]

/** What X said is wrong; null where it did not say. */
export const problemDetail = (answer: PlatformResponse): string | null =>
  Option.match(readProblem(answer), {
    onNone: () => null,
    onSome: (problem) => {
      const messages = (problem.errors ?? []).flatMap((error) => error.message ?? [])
      const told =
        messages.length > 0 ? messages.join("; ") : (problem.detail ?? problem.error_description ?? problem.title)
      return told === undefined || told.trim() === "" ? null : platformDetail(told)
    }
  })

/** Whether X refused a post because the account has one with the same text. */
export const isDuplicate = (answer: PlatformResponse): boolean =>
  answer.status === 403 && /duplicate content/i.test(problemDetail(answer) ?? "")

/** When X takes requests again, after a 429. */
export const rateLimited = Effect.fnUntraced(function* (answer: PlatformResponse) {
  const spent = dailyLimits
    .filter((limit) => answer.headers[`${limit}-remaining`] === "0")
    .map((limit) => `${limit}-reset`)
  const until = yield* resumeAt(answer.headers, ["x-rate-limit-reset", ...spent], limitWindow)
  return new RateLimited({ message: "X takes no more posts from this account for now", until })
})

/** What it means that a post was answered with anything but success. */
export const refusedPost = (answer: PlatformResponse): Effect.Effect<PlatformError> => {
  const detail = problemDetail(answer)
  const said = detail === null ? "" : `: ${detail}`
  switch (answer.status) {
    case 401:
      return Effect.succeed(
        new NeedsReauthorization({ message: "X no longer accepts this account's access; connect it again" })
      )
    case 402:
      return Effect.succeed(
        new Rejected({
          message: `The X application has no credits left, so its operator has to buy some before anything can be posted${said}`
        })
      )
    case 429:
      return rateLimited(answer)
    case 408:
    case 499:
      return Effect.succeed(new OutcomeUnknown({ message: `X answered ${answer.status}${said}` }))
  }
  if (answer.status < 400 || answer.status >= 500) {
    return Effect.succeed(new OutcomeUnknown({ message: `X answered ${answer.status}${said}` }))
  }
  // Something before X can refuse too, and does not speak as X does: that may pass.
  return Effect.succeed(
    answer.status !== 400 && detail === null
      ? new Unavailable({ message: `X answered ${answer.status} without saying why` })
      : new Rejected({ message: `X refused this post${said === "" ? " as invalid" : said}` })
  )
}
