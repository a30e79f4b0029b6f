import { Effect, type Redacted, Result, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import type { NeedsReauthorization, PlatformError } from "../../domain/publishing/platformError.ts"
import { type Call, type PlatformResponse, readResponse } from "../call.ts"
import { carryOut } from "../carryOut.ts"
import { unanswered } from "../outcome.ts"
import type { AccountAccess } from "../PlatformClient.ts"
import { end, fail, type OpenAccess, type RequestStep, type Step } from "../steps.ts"
import { isTokenRefused, problemOf } from "./problem.ts"
import type { Dialect, Form } from "./dialect.ts"
import { MetaId } from "./syntax.ts"
import type { Usage } from "./usage.ts"

/** The state of a container has an id too, and a status under one of these names. */
const readId = readResponse(
  Schema.Struct({
    id: MetaId,
    status: Schema.optionalKey(Schema.Never),
    status_code: Schema.optionalKey(Schema.Never)
  })
)

/** The id in the answer to a request that made something. The status alone proves nothing. */
export const madeId = (response: PlatformResponse): string | undefined => {
  if (response.status !== 200) return undefined
  const made = readId(response)
  return made._tag === "Some" ? made.value.id : undefined
}

/** Forms, because Meta ignores some members of JSON bodies without a word. The account's access tells the address. */
export const formTo = (path: string, form: Form) =>
  HttpClientRequest.post(path).pipe(HttpClientRequest.acceptJson, HttpClientRequest.bodyUrlParams(form))

export const readFrom = (path: string, urlParams: Form) => HttpClientRequest.get(path, { acceptJson: true, urlParams })

export const deletion = (id: string) => HttpClientRequest.delete(`/${encodeURIComponent(id)}`)

/** Uploads need another scheme than everything else, and have an address of their own. */
type Scheme = "Bearer" | "OAuth"

/** A request with a path alone goes to the API of the account's access. */
export const sendWith = <A, E>(
  { readAccess }: Pick<Dialect, "readAccess">,
  { credentials }: Pick<OpenAccess, "credentials">,
  request: HttpClientRequest.HttpClientRequest,
  shows: RequestStep<A, E>["shows"],
  next: RequestStep<A, E>["next"],
  scheme: Scheme = "Bearer"
): Step<A, E | NeedsReauthorization> => {
  const read = readAccess(credentials)
  if (Result.isFailure(read)) return fail(read.failure)
  const { accessToken, baseUrl } = read.success
  const sent = (request.url.startsWith("/") ? HttpClientRequest.prependUrl(request, baseUrl) : request).pipe(
    HttpClientRequest.setHeader("authorization", `${scheme} ${accessToken}`)
  )
  return { _tag: "Request", request: sent, through: "configured", shows, next }
}

/** True if Meta itself says that the token is invalid, so that it carried nothing out. */
export const refusesToken = (response: PlatformResponse): boolean => {
  const problem = problemOf(response)
  return problem !== undefined && problem.status < 500 && isTokenRefused(problem)
}

/** The functions of an adapter that read from a platform, or make what others can't see. */
export const makeMetaApi = (dialect: Dialect, call: Call, usage?: Pick<Usage, "note">) => {
  const transport = {
    calls: { configured: call, guarded: call },
    postLimits: usage === undefined ? undefined : { note: usage.note, of: () => [] },
    renew: (_account: Pick<AccountAccess, "accountId" | "serviceUrl">, stale: Redacted.Redacted) =>
      dialect.renew(call, stale)
  }

  /** A request that shows nothing. Its access is renewed once. */
  const ask = (account: AccountAccess, request: HttpClientRequest.HttpClientRequest, scheme?: Scheme) => {
    const asked = (access: OpenAccess, next: RequestStep<PlatformResponse, PlatformError>["next"]) =>
      sendWith(dialect, access, request, "nothing", next, scheme)
    return carryOut(transport, account, (access) =>
      asked(access, (answer) => {
        if (Result.isFailure(answer)) return fail(unanswered(answer.failure))
        if (!refusesToken(answer.success)) return end(Result.succeed(answer.success))
        return {
          _tag: "Renew",
          next: (renewed) => asked(renewed, (again) => end(Result.mapError(again, unanswered)))
        }
      })
    ).pipe(
      Effect.tap((response) => Effect.sync(() => usage?.note(account, response))),
      Effect.withSpan(`${dialect.name}.ask`)
    )
  }

  return { ask, ...transport }
}

export type MetaApi = ReturnType<typeof makeMetaApi>
