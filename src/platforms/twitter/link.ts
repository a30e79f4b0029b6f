import { Effect, Option, type Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { Unavailable } from "../../domain/publishing/platformError.ts"
import { makeCall, readResponse } from "../call.ts"
import type { TwitterConfig } from "./config.ts"
import type { ConsentLink } from "../Link.ts"
import { orUnavailable } from "../outcome.ts"
import { displayName } from "../platformText.ts"
import { webAddress } from "../syntax.ts"
import { problemDetail } from "./problem.ts"
import { Username, XId } from "./syntax.ts"
import { decodeTokens, encodeTokens, requestedScope, revokeTokens, tokensForCode } from "./tokens.ts"

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

const makeXCall = Effect.map(HttpClient.HttpClient, (client) => makeCall(client, "X"))

const fetchAccount = Effect.fn("Twitter.fetchAccount")(function* (
  config: TwitterConfig,
  credentials: Redacted.Redacted
) {
  const call = yield* makeXCall
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
  return { accountId: id, username, displayName: displayName(name), avatarUrl: webAddress(profile_image_url) }
})

export const makeTwitterLink = (config: TwitterConfig): ConsentLink => ({
  kind: "consent",
  hasApplication: config.clientId !== "",
  authorizeUrl: ({ challenge, redirectUri, state }) => {
    const query = new URLSearchParams({
      response_type: "code",
      client_id: config.clientId,
      redirect_uri: redirectUri,
      scope: requestedScope,
      state,
      code_challenge: challenge,
      code_challenge_method: "S256"
    })
    return `${config.webUrl}/i/oauth2/authorize?${query.toString()}`
  },
  finish: Effect.fn("Twitter.finishLink")(function* (grant) {
    const credentials = encodeTokens(yield* tokensForCode(config, yield* makeXCall, grant))
    return { accounts: [{ ...(yield* fetchAccount(config, credentials)), serviceUrl: null, credentials }] }
  }),
  profile: ({ credentials }) =>
    Effect.map(fetchAccount(config, credentials), ({ accountId: _, ...profile }) => profile),
  /** A failed revocation is logged. The access then ends when its tokens expire. */
  revoke: Effect.fn("Twitter.revokeAccess")(function* ({ credentials }) {
    const call = yield* makeXCall
    yield* decodeTokens(credentials).pipe(
      Effect.flatMap((tokens) => revokeTokens(config, call, tokens)),
      Effect.catch(({ message }) => Effect.logWarning(`Access to an X account could not be revoked: ${message}`))
    )
  })
})
