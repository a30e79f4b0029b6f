import { Effect, Option, Redacted, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import {
  NeedsReauthorization,
  type PlatformError,
  Rejected,
  Unavailable
} from "../../domain/publishing/platformError.ts"
import type { RenewedAccess } from "../../domain/accounts/integration.ts"
import { lifetimeOf } from "../accessLifetime.ts"
import { type Call, type PlatformResponse, readResponse } from "../call.ts"
import { credentialsCodec } from "../credentials.ts"
import { foreignAnswer, orUnavailable } from "../outcome.ts"
import { platformDetail } from "../platformText.ts"
import { Token } from "../syntax.ts"
import type { TiktokConfig } from "./config.ts"

export const requestedScopes = ["user.info.basic", "user.info.profile", "video.publish"]

const TiktokTokens = Schema.Struct({
  accessToken: Schema.NonEmptyString,
  refreshToken: Schema.NonEmptyString,
  scopes: Schema.Array(Schema.String)
})
type TiktokTokens = typeof TiktokTokens.Type

export const { decode: decodeTokens, encode: encodeTokens, read: readTokens } = credentialsCodec("TikTok", TiktokTokens)

/** Empty for unreadable credentials. */
export const missingScopes = (credentials: Redacted.Redacted): Effect.Effect<ReadonlyArray<string>> =>
  Effect.match(decodeTokens(credentials), {
    onFailure: () => [],
    onSuccess: ({ scopes }) => requestedScopes.filter((wanted) => !scopes.includes(wanted))
  })

/** An unusable optional member counts as absent, because a failure would lose the result of a single-use token. */
const TokenResponse = Schema.Struct({
  access_token: Token,
  refresh_token: Schema.optionalKey(Schema.Unknown),
  scope: Schema.optionalKey(Schema.Unknown),
  expires_in: Schema.optionalKey(Schema.Unknown)
})
const readTokenResponse = readResponse(TokenResponse)
const isToken = Schema.is(Token)
const isScope = Schema.is(Schema.String.check(Schema.isPattern(/^[\x20-\x7e]{1,1000}$/)))

/** Errors of this address are flat. Some come with the status 200. */
const readError = readResponse(
  Schema.Struct({
    error: Schema.String.check(Schema.isPattern(/^[a-z][a-z_]{1,99}$/)),
    error_description: Schema.String,
    log_id: Schema.String
  })
)

const refusedTokens = (response: PlatformResponse): PlatformError => {
  const error = Option.getOrUndefined(readError(response))
  if (error === undefined) return new Unavailable({ message: foreignAnswer("TikTok", response).message })
  const detail = platformDetail(error.error_description) || error.error
  switch (error.error) {
    case "invalid_grant":
    case "invalid_request":
      return new NeedsReauthorization({
        message: `TikTok no longer accepts this account's access (${detail}); connect it again`
      })
    case "invalid_client":
    case "unauthorized_client":
      return new Unavailable({
        message: `TikTok does not accept this application (${detail}); check TIKTOK_CLIENT_KEY and TIKTOK_CLIENT_SECRET`
      })
    default:
      return new Unavailable({ message: `TikTok did not give access to this account (${detail})` })
  }
}

const postForm = Effect.fnUntraced(function* (
  { apiUrl, clientKey, clientSecret }: TiktokConfig,
  call: Call,
  path: string,
  params: Readonly<Record<string, string>>
) {
  if (clientSecret === null) {
    return yield* new Rejected({ message: "TIKTOK_CLIENT_SECRET: required to connect TikTok accounts" })
  }
  const form = { client_key: clientKey, client_secret: Redacted.value(clientSecret), ...params }
  const request = HttpClientRequest.post(`${apiUrl}${path}`, { acceptJson: true })
  return yield* orUnavailable(call(HttpClientRequest.bodyUrlParams(request, form)))
})

const requestTokens = Effect.fnUntraced(function* (
  config: TiktokConfig,
  call: Call,
  params: Readonly<Record<string, string>>
): Effect.fn.Return<typeof TokenResponse.Type, PlatformError> {
  const response = yield* postForm(config, call, "/v2/oauth/token/", params)
  const tokens = response.status === 200 ? readTokenResponse(response) : Option.none()
  return Option.isSome(tokens) ? tokens.value : yield* refusedTokens(response)
})

const scopesOf = (scope: unknown, before: ReadonlyArray<string>): ReadonlyArray<string> =>
  isScope(scope) ? scope.split(/[, ]+/).filter((each) => each !== "") : before

/** People may allow a part of the scopes, without which nothing can be published. */
export const tokensForCode = Effect.fnUntraced(function* (
  config: TiktokConfig,
  call: Call,
  { code, redirectUri }: { readonly code: string; readonly redirectUri: string }
) {
  const response = yield* requestTokens(config, call, {
    grant_type: "authorization_code",
    code,
    redirect_uri: redirectUri
  })
  const scopes = scopesOf(response.scope, requestedScopes)
  const missing = requestedScopes.filter((wanted) => !scopes.includes(wanted))
  if (missing.length > 0) {
    return yield* new Rejected({
      message: `TikTok was asked for more than the person allowed (${missing.join(", ")} is missing); begin again, and allow everything`
    })
  }
  if (!isToken(response.refresh_token))
    return yield* new Unavailable({ message: "TikTok's response has no refresh token" })
  return { accessToken: response.access_token, refreshToken: response.refresh_token, scopes }
})

/** The refresh token works only once, so the result must be stored before it is used. */
export const renewTokens = Effect.fnUntraced(function* (
  config: TiktokConfig,
  call: Call,
  { refreshToken, scopes }: TiktokTokens
): Effect.fn.Return<RenewedAccess, PlatformError> {
  const response = yield* requestTokens(config, call, { grant_type: "refresh_token", refresh_token: refreshToken })
  const credentials = encodeTokens({
    accessToken: response.access_token,
    refreshToken: isToken(response.refresh_token) ? response.refresh_token : refreshToken,
    scopes: scopesOf(response.scope, scopes)
  })
  return { credentials, ...lifetimeOf(response.expires_in) }
})

/** Ends all access that the person gave to the application. */
export const revokeTokens = Effect.fnUntraced(function* (
  config: TiktokConfig,
  call: Call,
  { accessToken }: TiktokTokens
): Effect.fn.Return<void, PlatformError> {
  const response = yield* postForm(config, call, "/v2/oauth/revoke/", { token: accessToken })
  if (response.status !== 200 || Option.isSome(readError(response))) return yield* refusedTokens(response)
})
