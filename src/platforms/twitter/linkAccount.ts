import { Effect, Option, Redacted, Schema } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { HttpClient, HttpClientRequest } from "effect/http"
import { type PlatformError, Unavailable } from "../../domain/platformError.ts"
import { makeCall, readResponse } from "../call.ts"
import type { ConnectedAccount } from "../PlatformClient.ts"
import { orUnavailable } from "../unanswered.ts"
import type { TwitterConfig } from "./config.ts"
import { problemDetail } from "./problem.ts"
import { decodeTokens, encodeTokens, tokensForCode } from "./tokens.ts"

/** What one connection needs to be finished after X has sent the person back. */
export interface AuthorizationRequest {
  /** Comes back with the code, and has to be the same. */
  readonly state: string
  /** Stays here until the code is exchanged (PKCE). */
  readonly verifier: Redacted.Redacted
  readonly challenge: string
}

/** Starts a connection: fresh for each, used once. */
export const newAuthorizationRequest = Effect.fn("Twitter.newAuthorizationRequest")(function* () {
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

/** The address that the person opens to let this application post. */
export const authorizeUrl = (
  config: TwitterConfig,
  request: { readonly redirectUri: string; readonly state: string; readonly challenge: string }
): string => {
  const query = new URLSearchParams({
    response_type: "code",
    client_id: config.clientId,
    redirect_uri: request.redirectUri,
    scope: "tweet.read tweet.write users.read offline.access",
    state: request.state,
    code_challenge: request.challenge,
    code_challenge_method: "S256"
  })
  return `${config.webUrl}/i/oauth2/authorize?${query.toString()}`
}

/** Exchanges the code that X sent the person back with for credentials. `redirectUri` is the one that was asked with. */
export const exchangeCode = Effect.fn("Twitter.exchangeCode")(function* (
  config: TwitterConfig,
  grant: { readonly code: string; readonly verifier: Redacted.Redacted; readonly redirectUri: string }
) {
  const call = makeCall(yield* HttpClient.HttpClient, "X")
  return encodeTokens(yield* tokensForCode(config, call, grant))
})

const readMe = readResponse(
  Schema.Struct({
    data: Schema.Struct({
      id: Schema.NonEmptyString,
      name: Schema.String,
      username: Schema.NonEmptyString,
      profile_image_url: Schema.optionalKey(Schema.String)
    })
  })
)

/** The account that credentials belong to. */
export const whoAmI = Effect.fn("Twitter.whoAmI")(function* (
  config: TwitterConfig,
  credentials: Redacted.Redacted
): Effect.fn.Return<ConnectedAccount, PlatformError, HttpClient.HttpClient> {
  const call = makeCall(yield* HttpClient.HttpClient, "X")
  const { accessToken } = yield* decodeTokens(credentials)
  const answer = yield* call(
    HttpClientRequest.get(`${config.apiUrl}/2/users/me`, {
      acceptJson: true,
      urlParams: { "user.fields": "profile_image_url" }
    }).pipe(HttpClientRequest.bearerToken(accessToken))
  ).pipe(orUnavailable)
  const me = answer.status === 200 ? readMe(answer) : Option.none()
  if (Option.isNone(me)) {
    return yield* new Unavailable({
      message: `X did not say whose account this is: ${problemDetail(answer) ?? `answer ${answer.status}`}`
    })
  }
  const { id, name, profile_image_url, username } = me.value.data
  return {
    accountId: id,
    username,
    displayName: name.trim() === "" ? null : name,
    avatarUrl: profile_image_url ?? null,
    serviceUrl: null,
    credentials
  }
})
