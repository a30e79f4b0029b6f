import { type DateTime, Effect, Result, type Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import type { NeedsReauthorization, PlatformError } from "../../domain/publishing/platformError.ts"
import { type Answer, type Call, type PlatformResponse, readResponse } from "../call.ts"
import { carryOut } from "../carryOut.ts"
import { unanswered } from "../outcome.ts"
import type { AccountAccess, PlatformAdapter } from "../PlatformClient.ts"
import { end, fail, type OpenAccess, type RequestStep, type Step } from "../steps.ts"
import type { TiktokConfig } from "./config.ts"
import { withExactNumbers } from "./exactNumbers.ts"
import { isRefusedToken } from "./problem.ts"
import { decodeTokens, readTokens, renewTokens } from "./tokens.ts"

/** Reads a response whose numbers may be ids above 2^53. Schemas get those as texts. */
export const readExactly = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const read = readResponse(schema)
  return (response: PlatformResponse) =>
    read({ ...response, body: response.body === null ? null : withExactNumbers(response.body) })
}

export const post = (
  { apiUrl }: Pick<TiktokConfig, "apiUrl">,
  path: string,
  body: Schema.Json
): HttpClientRequest.HttpClientRequest =>
  HttpClientRequest.post(`${apiUrl}/v2/post/publish/${path}/`, { acceptJson: true }).pipe(
    HttpClientRequest.bodyJsonUnsafe(body),
    HttpClientRequest.setHeader("content-type", "application/json; charset=UTF-8")
  )

/** A request that shows nothing. If TikTok itself refuses the access token, it has not carried out the request. */
export const authorized = <A, E>(
  access: OpenAccess,
  request: HttpClientRequest.HttpClientRequest,
  next: (answer: Answer, now: DateTime.Utc, access: OpenAccess) => Step<A, E>
): Step<A, E | NeedsReauthorization> => {
  const sendWith = (
    current: OpenAccess,
    then: RequestStep<A, E | NeedsReauthorization>["next"]
  ): Step<A, E | NeedsReauthorization> =>
    Result.match(readTokens(current.credentials), {
      onFailure: fail,
      onSuccess: ({ accessToken }) => ({
        _tag: "Request",
        request: HttpClientRequest.bearerToken(request, accessToken),
        through: "configured",
        shows: "nothing",
        next: then
      })
    })
  return sendWith(access, (answer, now) =>
    Result.isSuccess(answer) && isRefusedToken(answer.success)
      ? {
          _tag: "Renew",
          next: (renewed) => sendWith(renewed, (again, at) => next(again, at, renewed))
        }
      : next(answer, now, access)
  )
}

export const makeTiktokApi = (config: TiktokConfig, call: Call) => {
  const calls = { configured: call, guarded: call }
  const renew: PlatformAdapter["renew"] = (_account, stale) =>
    Effect.flatMap(decodeTokens(stale), (tokens) => renewTokens(config, call, tokens))
  return {
    calls,
    renew,
    /** Sends a request that shows nothing and can be repeated. */
    ask: (
      account: AccountAccess,
      path: string,
      body: Schema.Json
    ): Effect.Effect<PlatformResponse, PlatformError | DatabaseUnavailable> =>
      carryOut({ calls, renew }, account, (access) =>
        authorized(access, post(config, path, body), (answer) => end(Result.mapError(answer, unanswered)))
      )
  }
}

export type TiktokApi = ReturnType<typeof makeTiktokApi>
