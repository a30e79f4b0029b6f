import { type DateTime, Effect, Result } from "effect"
import { HttpClientRequest } from "effect/http"
import type { NeedsReauthorization, PlatformError } from "../../domain/publishing/platformError.ts"
import type { Answer, Call, PlatformResponse } from "../call.ts"
import { carryOut } from "../carryOut.ts"
import { unanswered } from "../outcome.ts"
import type { AccountAccess, PlatformAdapter } from "../PlatformClient.ts"
import { end, fail, type OpenAccess, type RequestStep, type Step } from "../steps.ts"
import type { YoutubeConfig } from "./config.ts"
import { refusesToken } from "./problem.ts"
import { decodeTokens, readTokens, renewTokens } from "./tokens.ts"

/** If YouTube itself refuses the token, it has not carried out the request, which is sent again with renewed access. */
export const authorized = <A, E>(
  access: OpenAccess,
  request: HttpClientRequest.HttpClientRequest,
  shows: RequestStep<A, E>["shows"],
  next: (answer: Answer, now: DateTime.Utc, access: OpenAccess) => Step<A, E>
): Step<A, E | NeedsReauthorization> => {
  const sendWith = (current: OpenAccess, renews: boolean): Step<A, E | NeedsReauthorization> => {
    const read = readTokens(current.credentials)
    if (Result.isFailure(read)) return fail(read.failure)
    return {
      _tag: "Request",
      request: HttpClientRequest.bearerToken(request, read.success.accessToken),
      through: "configured",
      shows,
      next: (answer, now) =>
        renews && Result.isSuccess(answer) && refusesToken(answer.success)
          ? { _tag: "Renew", next: (renewed) => sendWith(renewed, false) }
          : next(answer, now, current)
    }
  }
  return sendWith(access, true)
}

export const readFrom = (
  { apiUrl }: Pick<YoutubeConfig, "apiUrl">,
  path: string,
  urlParams: Readonly<Record<string, string>>
) => HttpClientRequest.get(`${apiUrl}/youtube/v3${path}`, { acceptJson: true, urlParams })

export const makeYoutubeApi = (config: YoutubeConfig, call: Call) => {
  const transport = {
    calls: { configured: call, guarded: call },
    renew: (_account, stale) => Effect.flatMap(decodeTokens(stale), (tokens) => renewTokens(config, call, tokens))
  } satisfies Pick<PlatformAdapter, "calls" | "renew">

  /** A request that others see nothing of, and that can be repeated. */
  const ask = (account: AccountAccess, request: HttpClientRequest.HttpClientRequest) =>
    carryOut(transport, account, (access) =>
      authorized<PlatformResponse, PlatformError>(access, request, "nothing", (answer) =>
        end(Result.mapError(answer, unanswered))
      )
    ).pipe(Effect.withSpan("Youtube.ask"))

  return { ask, ...transport }
}

export type YoutubeApi = ReturnType<typeof makeYoutubeApi>
