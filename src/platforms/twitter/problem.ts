import { Duration, Effect, Option, Schema } from "effect"
import { NeedsReauthorization, type PlatformError, type RateLimited, Rejected } from "../../domain/platformError.ts"
import { type PlatformResponse, readResponse } from "../call.ts"
import { failRateLimited, platformDetail, refusedPost } from "../outcome.ts"

const Problem = Schema.Struct({
  title: Schema.optionalKey(Schema.String),
  detail: Schema.optionalKey(Schema.String),
  error_description: Schema.optionalKey(Schema.String),
  errors: Schema.optionalKey(Schema.Array(Schema.Struct({ message: Schema.optionalKey(Schema.String) })))
})
const readProblem = readResponse(Problem)

const limitWindow = Duration.minutes(15)
const dailyLimits = ["x-user-limit-24hour", "x-app-limit-24hour"]

/** X's explanation of an error response; null if it has none. */
export const problemDetail = (response: PlatformResponse): string | null =>
  Option.match(readProblem(response), {
    onNone: () => null,
    onSome: (problem) => {
      const messages = (problem.errors ?? []).flatMap((error) => error.message ?? [])
      const detail =
        messages.length > 0 ? messages.join("; ") : (problem.detail ?? problem.error_description ?? problem.title)
      return detail === undefined || detail.trim() === "" ? null : platformDetail(detail)
    }
  })

/** Whether X refused a post because the account has one with the same text. */
export const isDuplicate = (response: PlatformResponse): boolean =>
  response.status === 403 && /duplicate content/i.test(problemDetail(response) ?? "")

/** Fails with what a 429 means. */
export const rateLimited = (response: PlatformResponse): Effect.Effect<never, RateLimited> => {
  const spent = dailyLimits
    .filter((limit) => response.headers[`${limit}-remaining`] === "0")
    .map((limit) => `${limit}-reset`)
  return failRateLimited("X", response, ["x-rate-limit-reset", ...spent], limitWindow)
}

/** Refusals that only X has. */
const specialRefusal = (status: number, detail: string | null): PlatformError | undefined => {
  if (status === 401) {
    return new NeedsReauthorization({ message: "X no longer accepts this account's access; connect it again" })
  }
  return status === 402
    ? new Rejected({
        message: `The X application has no credits left, so its operator has to buy some before anything can be posted${detail === null ? "" : `: ${detail}`}`
      })
    : undefined
}

/** Fails with what a response other than success to a post means. */
export const refusedTweet = (response: PlatformResponse): Effect.Effect<never, PlatformError> => {
  if (response.status === 429) return rateLimited(response)
  const detail = problemDetail(response)
  return Effect.fail(
    refusedPost({
      platform: "X",
      response,
      detail,
      rejections: [400],
      special: specialRefusal(response.status, detail)
    })
  )
}
