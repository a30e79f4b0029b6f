import { Effect, Option, Redacted, Schema } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { HttpClient, HttpClientRequest } from "effect/http"
import type { ConnectedAccount } from "../../domain/accounts/integration.ts"
import { type PlatformError, Unavailable } from "../../domain/publishing/platformError.ts"
import { makeCall, readResponse } from "../call.ts"
import type { TwitterConfig } from "../config.ts"
import { orUnavailable } from "../outcome.ts"
import { displayName } from "../platformText.ts"
import { webAddress } from "../syntax.ts"
import { problemDetail } from "./problem.ts"
import { Username, XId } from "./syntax.ts"
import { decodeTokens, encodeTokens, requestedScope, revokeTokens, tokensForCode } from "./tokens.ts"

/** The random values of one OAuth 2.0 authorization with PKCE. Each is used once. */
export interface AuthorizationRequest {
  /** Prevents CSRF: X sends it back with the code, and it has to be the same. */
  readonly state: string
  /** Stays here until the code is exchanged. */
  readonly verifier: Redacted.Redacted
  /** The verifier's hash, which X gets first. */
  readonly challenge: string
}

export const createAuthorizationRequest = Effect.fn("Twitter.createAuthorizationRequest")(function* () {
  const random = yield* SecureRandom.SecureRandom
  const digest = yield* Digest.Digest
  const state = Base64Url.encode(yield* random.randomBytes(24))
  const verifier = Base64Url.encode(yield* random.randomBytes(48))
  const challenge = yield* digest.digest(Digest.sha256, new TextEncoder().encode(verifier))
  return {
    state,
    verifier: Redacted.make(verifier),
    challenge: Base64Url.encode(challenge)
  } satisfies AuthorizationRequest
})

/** The URL that the person opens to authorize this application. */
export const authorizeUrl = (
  config: TwitterConfig,
  request: { readonly redirectUri: string; readonly state: string; readonly challenge: string }
): string => {
  const query = new URLSearchParams({
    response_type: "code",
    client_id: config.clientId,
    redirect_uri: request.redirectUri,
    scope: requestedScope,
    state: request.state,
    code_challenge: request.challenge,
    code_challenge_method: "S256"
  })
  return `${config.webUrl}/i/oauth2/authorize?${query.toString()}`
}

/** Exchanges the code that X sent the person back with for credentials. `redirectUri` is that of `authorizeUrl`. */
export const exchangeCode = Effect.fn("Twitter.exchangeCode")(function* (
  config: TwitterConfig,
  grant: { readonly code: string; readonly verifier: Redacted.Redacted; readonly redirectUri: string }
) {
  const call = makeCall(yield* HttpClient.HttpClient, "X")
  return encodeTokens(yield* tokensForCode(config, call, grant))
})

/**
 * Ends the application's access to an account, as far as X answers: what can't be revoked is logged, and ends with its tokens.
 */
export const revokeAccess = Effect.fn("Twitter.revokeAccess")(function* (
  config: TwitterConfig,
  credentials: Redacted.Redacted
) {
  const call = makeCall(yield* HttpClient.HttpClient, "X")
  yield* decodeTokens(credentials).pipe(
    Effect.flatMap((tokens) => revokeTokens(config, call, tokens)),
    Effect.catch(({ message }) => Effect.logWarning(`Access to an X account could not be revoked: ${message}`))
  )
})

const readMe = readResponse(
  Schema.Struct({
    data: Schema.Struct({
      id: XId,
      username: Username,
      name: Schema.optionalKey(Schema.Unknown),
      profile_image_url: Schema.optionalKey(Schema.Unknown)
    })
  })
)

/** Fetches the account that the credentials belong to. */
export const fetchAccount = Effect.fn("Twitter.fetchAccount")(function* (
  config: TwitterConfig,
  credentials: Redacted.Redacted
): Effect.fn.Return<ConnectedAccount, PlatformError, HttpClient.HttpClient> {
  const call = makeCall(yield* HttpClient.HttpClient, "X")
  const { accessToken } = yield* decodeTokens(credentials)
  const response = yield* call(
    HttpClientRequest.get(`${config.apiUrl}/2/users/me`, {
      acceptJson: true,
      urlParams: { "user.fields": "profile_image_url" }
    }).pipe(HttpClientRequest.bearerToken(accessToken))
  ).pipe(orUnavailable)
  const me = response.status === 200 ? readMe(response) : Option.none()
  if (Option.isNone(me)) {
    return yield* new Unavailable({
      message: `X did not say whose account this is: ${problemDetail(response) ?? `status ${response.status}`}`
    })
  }
  const { id, name, profile_image_url, username } = me.value.data
  return {
    accountId: id,
    username,
    displayName: displayName(name),
    avatarUrl: webAddress(profile_image_url),
    serviceUrl: null,
    credentials
  }
})
