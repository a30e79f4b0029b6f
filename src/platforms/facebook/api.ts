import { type DateTime, Effect, Option, Result, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { NeedsReauthorization, type PlatformError } from "../../domain/publishing/platformError.ts"
import { type Answer, type Call, type PlatformResponse, readResponse } from "../call.ts"
import { carryOut } from "../carryOut.ts"
import * as meta from "../meta/api.ts"
import type { Form } from "../meta/dialect.ts"
import type { Usage } from "../meta/usage.ts"
import { unanswered } from "../outcome.ts"
import type { AccountAccess, PlatformAdapter } from "../PlatformClient.ts"
import { end, fail, type OpenAccess, type RequestStep, type Step } from "../steps.ts"
import type { FacebookConfig } from "./config.ts"
import { readAccess } from "./credentials.ts"

type Address = Pick<FacebookConfig, "apiUrl" | "version">

const readSuccess = readResponse(Schema.Struct({ success: Schema.Literal(true) }))

/** Facebook's answer to a change. The status alone proves nothing. */
export const isDone = (response: PlatformResponse): boolean =>
  response.status === 200 && Option.isSome(readSuccess(response))

const at = ({ apiUrl, version }: Address) => HttpClientRequest.prependUrl(`${apiUrl}/${version}`)

export const formTo = (address: Address, path: string, form: Form) => at(address)(meta.formTo(path, form))

export const readFrom = (address: Address, path: string, urlParams: Form) => at(address)(meta.readFrom(path, urlParams))

export const deletion = (address: Address, id: string) => at(address)(meta.deletion(id))

/** Uploads need another scheme than everything else. */
type Scheme = "Bearer" | "OAuth"

/** If the token is refused, a person may have connected the account again in the meantime. */
export const authorized = <A, E>(
  access: OpenAccess,
  request: HttpClientRequest.HttpClientRequest,
  shows: RequestStep<A, E>["shows"],
  next: (answer: Answer, now: DateTime.Utc, access: OpenAccess) => Step<A, E>,
  scheme: Scheme = "Bearer"
): Step<A, E | NeedsReauthorization> => {
  const sendWith = (current: OpenAccess, renews: boolean): Step<A, E | NeedsReauthorization> => {
    const read = readAccess(current.credentials)
    if (Result.isFailure(read)) return fail(read.failure)
    return {
      _tag: "Request",
      request: HttpClientRequest.setHeader(request, "authorization", `${scheme} ${read.success.accessToken}`),
      through: "configured",
      shows,
      next: (answer, now) =>
        renews && Result.isSuccess(answer) && meta.refusesToken(answer.success)
          ? { _tag: "Renew", next: (renewed) => sendWith(renewed, false) }
          : next(answer, now, current)
    }
  }
  return sendWith(access, true)
}

/** A Page's token has no end. Once it is refused, only a person can get another one. */
const renew: PlatformAdapter["renew"] = () =>
  new NeedsReauthorization({
    message:
      "Facebook no longer accepts the access to this Page: a password was changed, a role was lost, or the access was withdrawn; connect it again"
  })

export const makeFacebookApi = (call: Call, usage: Pick<Usage, "note">) => {
  const transport = {
    calls: { configured: call, guarded: call },
    renew,
    postLimits: { note: usage.note, of: () => [] }
  } satisfies Partial<PlatformAdapter>

  /** A request that shows nothing and can be repeated. */
  const ask = (account: AccountAccess, request: HttpClientRequest.HttpClientRequest, scheme?: Scheme) =>
    carryOut(transport, account, (access) =>
      authorized<PlatformResponse, PlatformError>(
        access,
        request,
        "nothing",
        (answer) => end(Result.mapError(answer, unanswered)),
        scheme
      )
    ).pipe(
      Effect.tap((response) => Effect.sync(() => usage.note(account, response))),
      Effect.withSpan("Facebook.ask")
    )

  return { ask, ...transport }
}

export type FacebookApi = ReturnType<typeof makeFacebookApi>
