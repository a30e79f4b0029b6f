import { Effect, Result } from "effect"
import { HttpClientRequest } from "effect/http"
import type { NeedsReauthorization } from "../../domain/publishing/platformError.ts"
import type { Answer, Call } from "../call.ts"
import { carryOut } from "../carryOut.ts"
import type { TwitterConfig } from "./config.ts"
import type { AccountAccess, PlatformAdapter } from "../PlatformClient.ts"
import { end, fail, type OpenAccess, type RequestStep, type Step } from "../steps.ts"
import { isOwnAnswer } from "./problem.ts"
import { decodeTokens, readTokens, renewTokens } from "./tokens.ts"

const isRefusedToken = (answer: Answer): boolean =>
  Result.isSuccess(answer) && answer.success.status === 401 && isOwnAnswer(answer.success)

/**
 * If X itself refuses the access token, it has not carried out the request, which is then sent again with renewed
 * access. A 401 from something in front of X says nothing about the token.
 */
export const authorized = <A, E>(
  access: OpenAccess,
  request: HttpClientRequest.HttpClientRequest,
  shows: RequestStep<A, E>["shows"],
  next: RequestStep<A, E>["next"]
): Step<A, E | NeedsReauthorization> => {
  const sendWith = (
    { credentials }: OpenAccess,
    then: RequestStep<A, E | NeedsReauthorization>["next"]
  ): Step<A, E | NeedsReauthorization> =>
    Result.match(readTokens(credentials), {
      onFailure: fail,
      onSuccess: ({ accessToken }) => ({
        _tag: "Request",
        request: HttpClientRequest.bearerToken(request, accessToken),
        through: "configured",
        shows,
        next: then
      })
    })
  return sendWith(access, (answer, now) =>
    isRefusedToken(answer) ? { _tag: "Renew", next: (renewed) => sendWith(renewed, next) } : next(answer, now)
  )
}

export const makeTwitterApi = (config: TwitterConfig, call: Call) => {
  // X has one address, which only the operator can change, so no call needs the guard against private addresses.
  const calls = { configured: call, guarded: call }
  const renew: PlatformAdapter["renew"] = (_account, stale) =>
    Effect.flatMap(decodeTokens(stale), (tokens) => renewTokens(config, call, tokens))
  return {
    send: (account: AccountAccess, request: HttpClientRequest.HttpClientRequest) =>
      carryOut({ calls, renew }, account, (access) => authorized(access, request, "nothing", (answer) => end(answer))),
    calls,
    renew
  }
}

export type TwitterApi = ReturnType<typeof makeTwitterApi>
