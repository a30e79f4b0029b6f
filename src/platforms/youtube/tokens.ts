import { Effect, Option, Redacted, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import type { RenewedAccess } from "../../domain/accounts/integration.ts"
import {
  NeedsReauthorization,
  type PlatformError,
  Rejected,
  Unavailable
} from "../../domain/publishing/platformError.ts"
import { lifetimeOf } from "../accessLifetime.ts"
import { type Call, type PlatformResponse, readResponse } from "../call.ts"
import { credentialsCodec } from "../credentials.ts"
import { orUnavailable } from "../outcome.ts"
import { platformDetail } from "../platformText.ts"
import { Token } from "../syntax.ts"
import type { YoutubeConfig } from "./config.ts"

const scopeOf = (name: string) => `https://www.googleapis.com/auth/${name}`

/** `youtube.upload` alone does not permit the change that makes a video visible. */
export const requestedScopes = ["youtube.upload", "youtube.readonly", "youtube.force-ssl"].map(scopeOf)

const YoutubeTokens = Schema.Struct({
  accessToken: Schema.NonEmptyString,
  refreshToken: Schema.NonEmptyString,
  scope: Schema.String
})
type YoutubeTokens = typeof YoutubeTokens.Type

export const {
  decode: decodeTokens,
  encode: encodeTokens,
  read: readTokens
} = credentialsCodec("YouTube", YoutubeTokens)

/** The requested scopes that a person did not tick. */
export const lackingIn = (scope: string): ReadonlyArray<string> => {
  const granted = scope.split(" ")
  return requestedScopes.filter((wanted) => !granted.includes(wanted))
}

export const missingScopes = (credentials: Redacted.Redacted): Effect.Effect<ReadonlyArray<string>> =>
  Effect.match(decodeTokens(credentials), { onFailure: () => [], onSuccess: ({ scope }) => lackingIn(scope) })

/** An unusable optional member counts as absent, because a failure would lose the result of a single-use code. */
const TokenResponse = Schema.Struct({
  access_token: Token,
  refresh_token: Schema.optionalKey(Schema.Unknown),
  scope: Schema.optionalKey(Schema.Unknown),
  expires_in: Schema.optionalKey(Schema.Unknown)
})
const readTokenResponse = readResponse(TokenResponse)
const isToken = Schema.is(Token)
const isScope = Schema.is(Schema.String.check(Schema.isPattern(/^[\x20-\x7e]{1,1000}$/)))
const readError = readResponse(
  Schema.Struct({ error: Schema.String, error_description: Schema.optionalKey(Schema.Unknown) })
)

const refused = (response: PlatformResponse): PlatformError => {
  const problem = Option.getOrUndefined(readError(response))
  const detail = platformDetail(
    typeof problem?.error_description === "string" ? problem.error_description : (problem?.error ?? "")
  )
  if (problem?.error === "invalid_grant") {
    return new NeedsReauthorization({
      message: `Google no longer accepts the access to this YouTube channel (${detail}); connect it again`
    })
  }
  return new Unavailable({
    message:
      problem?.error.includes("client") === true
        ? `Google does not accept this application (${detail}); check YOUTUBE_CLIENT_ID and YOUTUBE_CLIENT_SECRET`
        : `Google did not give access to this YouTube channel (status ${response.status})`
  })
}

const requestTokens = Effect.fnUntraced(function* (
  { clientId, clientSecret, oauthUrl }: YoutubeConfig,
  call: Call,
  params: Readonly<Record<string, string>>
): Effect.fn.Return<typeof TokenResponse.Type, PlatformError> {
  if (clientSecret === null) {
    return yield* new Rejected({ message: "YOUTUBE_CLIENT_SECRET: required to connect YouTube channels" })
  }
  const request = HttpClientRequest.post(`${oauthUrl}/token`).pipe(
    HttpClientRequest.acceptJson,
    HttpClientRequest.bodyUrlParams({
      client_id: clientId,
      client_secret: Redacted.value(clientSecret),
      ...params
    })
  )
  const response = yield* orUnavailable(call(request))
  const tokens = response.status === 200 ? readTokenResponse(response) : Option.none()
  return Option.isSome(tokens) ? tokens.value : yield* refused(response)
})

export const tokensForCode = Effect.fn("Youtube.tokensForCode")(function* (
  config: YoutubeConfig,
  call: Call,
  grant: { readonly code: string; readonly verifier: Redacted.Redacted; readonly redirectUri: string }
): Effect.fn.Return<YoutubeTokens, PlatformError> {
  const { access_token, refresh_token, scope } = yield* requestTokens(config, call, {
    grant_type: "authorization_code",
    code: grant.code,
    code_verifier: Redacted.value(grant.verifier),
    redirect_uri: grant.redirectUri
  })
  if (!isToken(refresh_token)) {
    return yield* new Rejected({
      message:
        "Google gave access for an hour only. Remove this application at myaccount.google.com/permissions, and connect the channel again"
    })
  }
  return {
    accessToken: access_token,
    refreshToken: refresh_token,
    scope: isScope(scope) ? scope : requestedScopes.join(" ")
  }
})

/** Google's refresh tokens stay the same, so a renewal whose answer is lost is repeated. */
export const renewTokens = Effect.fn("Youtube.renew")(function* (
  config: YoutubeConfig,
  call: Call,
  stale: YoutubeTokens
): Effect.fn.Return<RenewedAccess, PlatformError> {
  const { access_token, expires_in, refresh_token, scope } = yield* requestTokens(config, call, {
    grant_type: "refresh_token",
    refresh_token: stale.refreshToken
  })
  const credentials = encodeTokens({
    accessToken: access_token,
    refreshToken: isToken(refresh_token) ? refresh_token : stale.refreshToken,
    scope: isScope(scope) ? scope : stale.scope
  })
  return { credentials, ...lifetimeOf(expires_in) }
})
