import { authorizedBy, type Respond, type RespondTo, type StandInResponse } from "../../../sandbox/endpoint.ts"
import type { ErrorFormat } from "../../../sandbox/outcome.ts"
import type { StandInMemory } from "../../../sandbox/StandIn.ts"
import { limited } from "../../../sandbox/windowLimit.ts"

const usual: Readonly<Record<number, string>> = {
  400: "invalid_param",
  401: "access_token_invalid",
  403: "spam_risk_user_banned_from_posting",
  404: "not_found",
  429: "rate_limit_exceeded"
}

const logId = "202911210805300102440651560E001A2B"

export const tiktokError = (
  status: number,
  code = usual[status] ?? "internal_error",
  message = `It is refused: ${code}`
): StandInResponse => ({ status, body: { data: {}, error: { code, message, log_id: logId } } })

export const tiktokOk = (data: object): StandInResponse => ({
  status: 200,
  body: { data, error: { code: "ok", message: "", log_id: logId } }
})

/** TikTok's ids are numbers above 2^53, which no object of JavaScript has. */
export const withIds = (response: StandInResponse, ids: ReadonlyArray<string>): StandInResponse => ({
  ...response,
  headers: { "content-type": "application/json; charset=utf-8" },
  body: JSON.stringify(response.body).replace('"ids"', `[${ids.join(",")}]`)
})

export const makeAuthorized =
  ({ limit, platform }: Pick<StandInMemory, "limit" | "platform">) =>
  (perMinute: number, respond: RespondTo): Respond =>
    authorizedBy(platform, () => tiktokError(401))(
      limited(
        {
          limit: limit(perMinute),
          windowMillis: 60_000,
          points: 1,
          headers: () => ({}),
          refusal: tiktokError(429)
        },
        (account, request, state) =>
          (account.closed ?? null) === null ? respond(account, request, state) : tiktokError(403)
      )
    )

export const tiktokErrorFormat: ErrorFormat = { error: tiktokError, resetHeaders: () => ({}) }
