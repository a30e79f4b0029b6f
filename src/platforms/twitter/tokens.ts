import { Effect, Option, Redacted, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { NeedsReauthorization, type PlatformError, Unavailable } from "../../domain/publishing/platformError.ts"
import type { RenewedAccess } from "../../domain/accounts/integration.ts"
import { lifetimeOf } from "../accessLifetime.ts"
import { type Call, type PlatformResponse, readResponse } from "../call.ts"
import type { TwitterConfig } from "./config.ts"
import { credentialsCodec } from "../credentials.ts"
import { orUnavailable } from "../outcome.ts"
import { Token } from "../syntax.ts"
import { isOwnAnswer, problemDetail, rateLimited } from "./problem.ts"

export const requestedScope = "tweet.read tweet.write users.read media.write offline.access"

/** Without a refresh token, access ends with the access token. */
const TwitterTokens = Schema.Struct({
  accessToken: Schema.NonEmptyString,
  refreshToken: Schema.NullOr(Schema.NonEmptyString),
  /** The previous version stored no scope, and did not request `media.write`. */
  scope: Schema.optionalKey(Schema.String)
})
type TwitterTokens = typeof TwitterTokens.Type

export const { decode: decodeTokens, encode: encodeTokens, read: readTokens } = credentialsCodec("X", TwitterTokens)

const mediaScope = "media.write"

/** The scope that an earlier version requested, but did not store. */
const earlierScope = requestedScope.replace(` ${mediaScope}`, "")

/** Empty for unreadable credentials. */
export const missingScopes = (credentials: Redacted.Redacted): Effect.Effect<ReadonlyArray<string>> =>
  Effect.match(decodeTokens(credentials), {
    onFailure: () => [],
    onSuccess: ({ scope = earlierScope }) => {
      const allowed = scope.split(" ")
      return requestedScope.split(" ").filter((wanted) => !allowed.includes(wanted))
    }
  })

export const lacksMedia = (credentials: Redacted.Redacted): Effect.Effect<boolean> =>
  Effect.map(missingScopes(credentials), (missing) => missing.includes(mediaScope))

/** An unusable optional member counts as absent, because a failure would lose the result of a single-use token. */
const TokenResponse = Schema.Struct({
  access_token: Token,
  refresh_token: Schema.optionalKey(Schema.Unknown),
  /** X omits the scope if it is as requested, or as before. */
  scope: Schema.optionalKey(Schema.Unknown),
  expires_in: Schema.optionalKey(Schema.Unknown)
})
const readTokenResponse = readResponse(TokenResponse)
const isToken = Schema.is(Token)
const isScope = Schema.is(Schema.String.check(Schema.isPattern(/^[\x20-\x7e]{1,1000}$/)))

/** `before` supplies the values that X leaves out. */
const tokensOf = (
  { access_token, refresh_token, scope }: typeof TokenResponse.Type,
  before: Pick<TwitterTokens, "refreshToken" | "scope">
): TwitterTokens => {
  const granted = isScope(scope) ? scope : before.scope
  return {
    accessToken: access_token,
    refreshToken: isToken(refresh_token) ? refresh_token : before.refreshToken,
    ...(granted !== undefined && { scope: granted })
  }
}
const readError = readResponse(Schema.Struct({ error: Schema.String }))

const refusedTokens = (response: PlatformResponse): Effect.Effect<never, PlatformError> => {
  const { status } = response
  // A 429 that is not X's own says nothing about X's limits, and may end a day later.
  if (status === 429 && isOwnAnswer(response)) return rateLimited(response)
  const detail = problemDetail(response) ?? `status ${status}`
  const error = Option.match(readError(response), { onNone: () => "", onSome: (body) => body.error })
  if (status === 400 && (error === "invalid_grant" || error === "invalid_request")) {
    return Effect.fail(
      new NeedsReauthorization({ message: `X no longer accepts this account's access (${detail}); connect it again` })
    )
  }
  // Other errors concern the application or are temporary, so accounts need not be connected again.
  return Effect.fail(
    new Unavailable({
      message:
        status === 400 || status === 401
          ? `X does not accept this application (${detail}); check TWITTER_CLIENT_ID and TWITTER_CLIENT_SECRET`
          : `X did not give access to this account (${detail})`
    })
  )
}

const postForm = (config: TwitterConfig, call: Call, path: string, params: Readonly<Record<string, string>>) => {
  const secret = config.clientSecret
  const form = HttpClientRequest.post(`${config.apiUrl}${path}`).pipe(
    HttpClientRequest.acceptJson,
    HttpClientRequest.bodyUrlParams(secret === null ? { ...params, client_id: config.clientId } : params)
  )
  return call(secret === null ? form : HttpClientRequest.basicAuth(form, config.clientId, secret)).pipe(orUnavailable)
}

const requestTokens = Effect.fnUntraced(function* (
  config: TwitterConfig,
  call: Call,
  params: Readonly<Record<string, string>>
): Effect.fn.Return<typeof TokenResponse.Type, PlatformError> {
  const response = yield* postForm(config, call, "/2/oauth2/token", params)
  if (response.status !== 200) return yield* refusedTokens(response)
  return yield* Effect.mapError(
    Effect.fromOption(readTokenResponse(response)),
    () => new Unavailable({ message: "X's response has no tokens" })
  )
})

/** Revoking either token should revoke both. Both are sent in case X does not do so. */
export const revokeTokens = (
  config: TwitterConfig,
  call: Call,
  { accessToken, refreshToken }: TwitterTokens
): Effect.Effect<void, PlatformError> =>
  Effect.forEach(
    [
      ...(refreshToken === null ? [] : [{ token: refreshToken, token_type_hint: "refresh_token" }]),
      { token: accessToken, token_type_hint: "access_token" }
    ],
    (params) =>
      Effect.flatMap(postForm(config, call, "/2/oauth2/revoke", params), (response) =>
        response.status === 200 ? Effect.void : refusedTokens(response)
      ),
    { discard: true }
  )

export const tokensForCode = (
  config: TwitterConfig,
  call: Call,
  grant: { readonly code: string; readonly verifier: Redacted.Redacted; readonly redirectUri: string }
): Effect.Effect<TwitterTokens, PlatformError> =>
  Effect.map(
    requestTokens(config, call, {
      grant_type: "authorization_code",
      code: grant.code,
      code_verifier: Redacted.value(grant.verifier),
      redirect_uri: grant.redirectUri
    }),
    (tokens) => tokensOf(tokens, { refreshToken: null, scope: requestedScope })
  )

/** The refresh token works only once, so the result must be stored before it is used. */
export const renewTokens = (
  config: TwitterConfig,
  call: Call,
  stale: TwitterTokens
): Effect.Effect<RenewedAccess, PlatformError> =>
  stale.refreshToken === null
    ? Effect.fail(new NeedsReauthorization({ message: "This X account's access has expired; connect it again" }))
    : Effect.map(
        requestTokens(config, call, { grant_type: "refresh_token", refresh_token: stale.refreshToken }),
        (response) => ({ credentials: encodeTokens(tokensOf(response, stale)), ...lifetimeOf(response.expires_in) })
      )
