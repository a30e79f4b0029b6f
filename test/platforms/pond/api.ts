import { type DateTime, Duration, Effect, Option, type Redacted, Result, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import {
  NeedsReauthorization,
  Overloaded,
  Unavailable,
  UploadsGone
} from "../../../src/domain/publishing/platformError.ts"
import { type Call, type PlatformResponse, readResponse } from "../../../src/platforms/call.ts"
import { credentialsCodec } from "../../../src/platforms/credentials.ts"
import { foreignAnswer, limitedUntil, orUnavailable, refusedPost } from "../../../src/platforms/outcome.ts"
import type { PlatformAdapter, SendFailure } from "../../../src/platforms/PlatformClient.ts"
import { fail, type OpenAccess, type RequestStep, type Step } from "../../../src/platforms/steps.ts"
import { Token } from "../../../src/platforms/syntax.ts"

export interface PondConfig {
  readonly apiUrl: string
  readonly webUrl: string
  readonly clientId: string
}

const Tokens = Schema.Struct({ access: Token, refresh: Token })
export const { encode: encodeTokens, read: readTokens } = credentialsCodec("Pond", Tokens)

const readGranted = readResponse(Tokens)

const readRefusal = readResponse(Schema.Struct({ croak: Schema.NonEmptyString, because: Schema.String }))

/** Reads the pond's reason for a refusal. Undefined if the response is not in the pond's own format. */
export const croakOf = (response: PlatformResponse) => {
  const read = readRefusal(response)
  return read._tag === "Some" ? read.value : undefined
}

/** The failure that a response to a drop means. */
export const refusedDrop = (response: PlatformResponse, now: DateTime.Utc): SendFailure => {
  const refusal = croakOf(response)
  if (refusal === undefined) return foreignAnswer("Pond", response)
  const { because: detail, croak } = refusal
  if (response.status === 429) {
    return limitedUntil({ platform: "Pond", response, resetHeaders: [], defaultWait: Duration.minutes(5), detail }, now)
  }
  if (croak === "full") return new Overloaded({ message: `Pond is full: ${detail}` })
  if (response.status === 400 && croak === "no_net") return new UploadsGone({ message: detail })
  const special = response.status === 401 ? new NeedsReauthorization({ message: detail }) : undefined
  return refusedPost({ platform: "Pond", response, detail, special })
}

/**
 * The steps of a request with the account's token. If the pond calls the token stale, it has not carried out the
 * request.
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
  ): Step<A, E | NeedsReauthorization> => {
    const tokens = readTokens(credentials)
    if (Result.isFailure(tokens)) return fail(tokens.failure)
    const sent = HttpClientRequest.bearerToken(request, tokens.success.access)
    return { _tag: "Request", request: sent, through: "configured", shows, next: then }
  }
  return sendWith(access, (answer, now) => {
    const isStale = Result.isSuccess(answer) && croakOf(answer.success)?.croak === "stale"
    return isStale ? { _tag: "Renew", next: (renewed) => sendWith(renewed, next) } : next(answer, now)
  })
}

/** Reads the tokens from a response of the pond. */
export const grantedBy = Effect.fnUntraced(function* (response: PlatformResponse) {
  const tokens = response.status === 200 ? readGranted(response) : Option.none()
  if (Option.isSome(tokens)) return encodeTokens(tokens.value)
  return croakOf(response)?.croak === "ended"
    ? yield* new NeedsReauthorization({ message: "Pond does not renew this access; connect the account again" })
    : yield* new Unavailable({ message: "Pond gave no access" })
})

/** Requests tokens for an authorization code or a refresh token. */
export const requestTokens = Effect.fnUntraced(function* (
  config: PondConfig,
  call: Call,
  form: Record<string, string>
) {
  const request = HttpClientRequest.post(`${config.apiUrl}/tokens`).pipe(
    HttpClientRequest.bodyUrlParams({ client_id: config.clientId, ...form })
  )
  return yield* grantedBy(yield* orUnavailable(call(request)))
})

export const renewWith =
  (config: PondConfig, call: Call): PlatformAdapter["renew"] =>
  (_account, stale: Redacted.Redacted) =>
    Effect.fromResult(readTokens(stale)).pipe(
      Effect.flatMap(({ refresh }) => requestTokens(config, call, { refresh })),
      Effect.map((credentials) => ({ credentials }))
    )
