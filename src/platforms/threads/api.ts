import { Effect, type Redacted, Result, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import type { NeedsReauthorization, PlatformError } from "../../domain/publishing/platformError.ts"
import { type Call, type PlatformResponse, readResponse } from "../call.ts"
import { carryOut } from "../carryOut.ts"
import type { ThreadsConfig } from "./config.ts"
import { isTokenRefused, problemOf } from "../meta/problem.ts"
import { unanswered } from "../outcome.ts"
import type { AccountAccess } from "../PlatformClient.ts"
import { end, fail, type OpenAccess, type RequestStep, type Step } from "../steps.ts"
import { ThreadsId } from "./syntax.ts"
import { readTokens, renewAccess } from "./tokens.ts"

const version = "v1.0"

/** The state of a container has an id too, and a `status`. */
const readId = readResponse(Schema.Struct({ id: ThreadsId, status: Schema.optionalKey(Schema.Never) }))

/** The id in the answer to a request that made something. The status alone proves nothing. */
export const madeId = (response: PlatformResponse): string | undefined => {
  if (response.status !== 200) return undefined
  const made = readId(response)
  return made._tag === "Some" ? made.value.id : undefined
}

/** Forms, because Threads ignores some members of JSON bodies without a word. */
export const formTo = (
  { apiUrl }: Pick<ThreadsConfig, "apiUrl">,
  path: string,
  form: Readonly<Record<string, string>>
) =>
  HttpClientRequest.post(`${apiUrl}/${version}${path}`).pipe(
    HttpClientRequest.acceptJson,
    HttpClientRequest.bodyUrlParams(form)
  )

export const readFrom = (
  { apiUrl }: Pick<ThreadsConfig, "apiUrl">,
  path: string,
  urlParams: Readonly<Record<string, string>>
) => HttpClientRequest.get(`${apiUrl}/${version}${path}`, { acceptJson: true, urlParams })

export const deletion = ({ apiUrl }: Pick<ThreadsConfig, "apiUrl">, id: string) =>
  HttpClientRequest.delete(`${apiUrl}/${version}/${encodeURIComponent(id)}`)

export const sendWith = <A, E>(
  { credentials }: Pick<OpenAccess, "credentials">,
  request: HttpClientRequest.HttpClientRequest,
  shows: RequestStep<A, E>["shows"],
  next: RequestStep<A, E>["next"]
): Step<A, E | NeedsReauthorization> => {
  const tokens = readTokens(credentials)
  if (Result.isFailure(tokens)) return fail(tokens.failure)
  const sent = HttpClientRequest.bearerToken(request, tokens.success.accessToken)
  return { _tag: "Request", request: sent, through: "configured", shows, next }
}

/** True if Threads itself says that the token is invalid, so that it carried nothing out. */
export const refusesToken = (response: PlatformResponse): boolean => {
  const problem = problemOf(response)
  return problem !== undefined && problem.status < 500 && isTokenRefused(problem)
}

/** The functions of an adapter that read from Threads, or make what others can't see. */
export const makeThreadsApi = (config: ThreadsConfig, call: Call) => {
  const transport = {
    calls: { configured: call, guarded: call },
    renew: (_account: Pick<AccountAccess, "accountId" | "serviceUrl">, stale: Redacted.Redacted) =>
      renewAccess(config, call, stale)
  }

  /** A request that shows nothing. Its access is renewed once. */
  const ask = (account: AccountAccess, request: HttpClientRequest.HttpClientRequest) =>
    carryOut(transport, account, (access) =>
      sendWith<PlatformResponse, PlatformError>(access, request, "nothing", (answer) => {
        if (Result.isFailure(answer)) return fail(unanswered(answer.failure))
        if (!refusesToken(answer.success)) return end(Result.succeed(answer.success))
        return {
          _tag: "Renew",
          next: (renewed) =>
            sendWith<PlatformResponse, PlatformError>(renewed, request, "nothing", (again) =>
              end(Result.mapError(again, unanswered))
            )
        }
      })
    ).pipe(Effect.withSpan("Threads.ask"))

  return { ask, ...transport }
}

export type ThreadsApi = ReturnType<typeof makeThreadsApi>
