import { DateTime, Duration, Effect, Option, Redacted, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import {
  NeedsReauthorization,
  type PlatformError,
  Rejected,
  Unavailable
} from "../../domain/publishing/platformError.ts"
import type { RenewedAccess } from "../../domain/accounts/integration.ts"
import { type Call, type PlatformResponse, readResponse } from "../call.ts"
import type { ThreadsConfig } from "./config.ts"
import { credentialsCodec } from "../credentials.ts"
import { threads } from "./facts.ts"
import { isTokenRefused, problemOf } from "../meta/problem.ts"
import { foreignAnswer, orUnavailable } from "../outcome.ts"
import { Token } from "../syntax.ts"
import { refusedIdly } from "./problem.ts"

/** Threads are chains of replies, which have scopes of their own. The last scope lets a trial delete its posts. */
export const requestedScopes = [
  "threads_basic",
  "threads_content_publish",
  "threads_manage_replies",
  "threads_read_replies",
  "threads_delete"
]

const ThreadsTokens = Schema.Struct({
  accessToken: Schema.NonEmptyString,
  /** The time at which Threads issued or renewed the token. */
  obtainedAt: Schema.DateTimeUtcFromString
})
type ThreadsTokens = typeof ThreadsTokens.Type

export const {
  decode: decodeTokens,
  encode: encodeTokens,
  read: readTokens
} = credentialsCodec("Threads", ThreadsTokens)

const readAccess = readResponse(Schema.Struct({ access_token: Token }))

const refusedTokens = (response: PlatformResponse, now: DateTime.Utc): PlatformError => {
  const problem = problemOf(response)
  if (problem === undefined) return new Unavailable({ message: foreignAnswer("Threads", response).message })
  if (isTokenRefused(problem)) return refusedIdly(response, now)
  return new Unavailable({ message: `Threads did not give access to this account (${problem.detail})` })
}

const requestAccess = Effect.fnUntraced(function* (
  call: Call,
  request: HttpClientRequest.HttpClientRequest
): Effect.fn.Return<ThreadsTokens, PlatformError> {
  // Not traced: Threads takes tokens and secrets in the URL here, and a trace would have it.
  const response = yield* orUnavailable(call(HttpClientRequest.acceptJson(request))).pipe(
    Effect.withTracerEnabled(false)
  )
  const obtainedAt = yield* DateTime.now
  const access = response.status === 200 ? readAccess(response) : Option.none()
  return Option.isSome(access)
    ? { accessToken: access.value.access_token, obtainedAt }
    : yield* refusedTokens(response, obtainedAt)
})

const requireSecret = ({ clientSecret }: ThreadsConfig) =>
  clientSecret === null
    ? Effect.fail(new Rejected({ message: "THREADS_CLIENT_SECRET: required to connect Threads accounts" }))
    : Effect.succeed(Redacted.value(clientSecret))

/** Exchanges a code for a token of an hour, and that for a token of 60 days. */
export const tokensForCode = Effect.fnUntraced(function* (
  config: ThreadsConfig,
  call: Call,
  { code, redirectUri }: { readonly code: string; readonly redirectUri: string }
) {
  const secret = yield* requireSecret(config)
  const short = yield* requestAccess(
    call,
    HttpClientRequest.post(`${config.apiUrl}/oauth/access_token`).pipe(
      HttpClientRequest.bodyUrlParams({
        client_id: config.clientId,
        client_secret: secret,
        grant_type: "authorization_code",
        redirect_uri: redirectUri,
        code
      })
    )
  )
  return yield* requestAccess(
    call,
    HttpClientRequest.get(`${config.apiUrl}/access_token`, {
      urlParams: { grant_type: "th_exchange_token", client_secret: secret, access_token: short.accessToken }
    })
  )
})

const untilRenewal = Duration.hours(threads.limits.renewalHours)

/** The shortest lifetime that `accessLifetime.ts` accepts. */
const soon = Duration.minutes(10)

/**
 * Renews a token from its second day on, for another 60 days. The stated lifetime is the time until the next renewal,
 * so that access never comes near its end. Threads refuses to renew a younger token, so it is returned as it is.
 */
export const renewAccess = Effect.fnUntraced(function* (
  config: Pick<ThreadsConfig, "apiUrl">,
  call: Call,
  stale: Redacted.Redacted
): Effect.fn.Return<RenewedAccess, PlatformError> {
  const tokens = yield* decodeTokens(stale)
  const age = DateTime.distance(tokens.obtainedAt, yield* DateTime.now)
  if (Duration.isLessThan(age, untilRenewal)) {
    const rest = Duration.subtract(untilRenewal, Duration.max(age, Duration.zero))
    return { credentials: stale, lifetime: Duration.max(rest, soon) }
  }
  if (Duration.isGreaterThan(age, Duration.days(threads.limits.accessDays))) {
    return yield* new NeedsReauthorization({ message: "This Threads account's access has expired; connect it again" })
  }
  const renewed = yield* requestAccess(
    call,
    HttpClientRequest.get(`${config.apiUrl}/refresh_access_token`, {
      urlParams: { grant_type: "th_refresh_token", access_token: tokens.accessToken }
    })
  )
  return { credentials: encodeTokens(renewed), lifetime: untilRenewal }
})
