import { type DateTime, Duration, Option, Schema } from "effect"
import {
  ApplicationRefused,
  NeedsReauthorization,
  type PlatformError,
  RateLimited,
  Rejected,
  Unavailable
} from "../../domain/publishing/platformError.ts"
import { type PlatformResponse, readResponse } from "../call.ts"
import { foreignAnswer, limitedUntil } from "../outcome.ts"
import { platformDetail } from "../platformText.ts"
import * as limits from "./limits.ts"

/** Each answer has an error, whose code is `ok` if there is none. Gateways send no such body. */
const readError = readResponse(
  Schema.Struct({
    error: Schema.Struct({
      code: Schema.String.check(Schema.isPattern(/^[a-z][a-z0-9_]{1,99}$/)),
      message: Schema.String,
      log_id: Schema.String
    })
  })
)

export interface TiktokAnswer {
  readonly code: string
  readonly detail: string
}

/** Undefined if the response is not in TikTok's own format. Some refusals come with the status 200. */
export const answerOf = (response: PlatformResponse): TiktokAnswer | undefined =>
  Option.getOrUndefined(
    Option.map(readError(response), ({ error: { code, message } }) => ({
      code,
      detail: platformDetail(message) || code
    }))
  )

/** True if TikTok itself says that it did what was asked. */
export const isOk = (response: PlatformResponse): boolean =>
  response.status === 200 && answerOf(response)?.code === "ok"

export const isRefusedToken = (response: PlatformResponse): boolean =>
  answerOf(response)?.code === "access_token_invalid"

const limited = (response: PlatformResponse, detail: string, defaultWait: Duration.Duration, now: DateTime.Utc) =>
  limitedUntil({ platform: "TikTok", response, resetHeaders: [], defaultWait, detail }, now)

const reconnect = (detail: string) =>
  new NeedsReauthorization({
    message: `TikTok no longer accepts this account's access (${detail}); connect the account again, and allow everything that the service asks for`
  })

const refusedApplication = (detail: string, step: string) =>
  new ApplicationRefused({ message: `TikTok refuses the application: ${detail}. ${step}`, reason: "access" })

const audit = "Its operator has to pass TikTok's audit; until then, the account has to be private"

/** The codes that don't concern the post itself. */
const refusals: Readonly<Record<string, (detail: string) => PlatformError>> = {
  access_token_invalid: reconnect,
  scope_not_authorized: reconnect,
  scope_permission_missed: reconnect,
  auth_removed: reconnect,
  unaudited_client_can_only_post_to_private_accounts: (detail) => refusedApplication(detail, audit),
  reached_active_user_cap: (detail) =>
    refusedApplication(detail, "Its operator has to ask TikTok for more accounts a day"),
  url_ownership_unverified: (detail) =>
    refusedApplication(detail, "Its operator has to check the application in TikTok's developer portal"),
  app_version_check_failed: (detail) =>
    refusedApplication(detail, "Its operator has to check the application in TikTok's developer portal")
}

/** By the codes of limits for any 24 hours. Room comes as soon as an earlier post is a day old. */
const dailyLimits: Readonly<Record<string, string>> = {
  spam_risk_too_many_posts: `it accepts about ${limits.postsPerDay} in 24 hours, from all applications together`,
  spam_risk_too_many_pending_share:
    "too many videos of the last 24 hours wait in the person's inbox to be finished there"
}

/** All attempts with this pause fit into the day for which a post may be late. */
const dailyWait = Duration.hours(2)

const limitOf = (
  response: PlatformResponse,
  { code, detail }: TiktokAnswer,
  now: DateTime.Utc
): RateLimited | undefined => {
  const reason = dailyLimits[code]
  if (reason !== undefined) {
    const { until } = limited(response, detail, dailyWait, now)
    return new RateLimited({
      message: `TikTok accepts no more posts on this account for now: ${reason} (${code})`,
      until
    })
  }
  return code === "rate_limit_exceeded" || response.status === 429
    ? limited(response, detail, Duration.minutes(1), now)
    : undefined
}

/** The error of a request that can't publish anything. */
export const refusedIdly = (response: PlatformResponse, now: DateTime.Utc): PlatformError => {
  const answer = answerOf(response)
  if (answer === undefined) return new Unavailable({ message: foreignAnswer("TikTok", response).message })
  const { code, detail } = answer
  const refused = limitOf(response, answer, now) ?? refusals[code]?.(detail)
  if (refused !== undefined) return refused
  if (code === "ok" || code === "internal_error" || response.status >= 500) {
    return new Unavailable({ message: `TikTok answered ${response.status}: ${detail}` })
  }
  return code === "privacy_level_option_mismatch"
    ? new Rejected({
        message:
          "TikTok does not let this account choose who can see the video like that. Copy the post with another choice"
      })
    : new Rejected({ message: `TikTok refused this post: ${detail}` })
}
