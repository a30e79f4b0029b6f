import { Effect, Option, type Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { Unavailable } from "../../domain/publishing/platformError.ts"
import { makeCall, readResponse } from "../call.ts"
import type { ConsentLink } from "../Link.ts"
import { orUnavailable } from "../outcome.ts"
import { displayName } from "../platformText.ts"
import { webAddress } from "../syntax.ts"
import type { TiktokConfig } from "./config.ts"
import { answerOf } from "./problem.ts"
import { OpenId, TiktokUsername } from "./syntax.ts"
import { decodeTokens, encodeTokens, requestedScopes, revokeTokens, tokensForCode } from "./tokens.ts"

const readUser = readResponse(
  Schema.Struct({
    data: Schema.Struct({
      user: Schema.Struct({
        open_id: OpenId,
        username: TiktokUsername,
        display_name: Schema.optionalKey(Schema.Unknown),
        avatar_url: Schema.optionalKey(Schema.Unknown)
      })
    })
  })
)

const tiktokCall = Effect.map(HttpClient.HttpClient, (client) => makeCall(client, "TikTok"))

const fetchAccount = Effect.fn("Tiktok.fetchAccount")(function* (
  { apiUrl }: TiktokConfig,
  credentials: Redacted.Redacted
) {
  const call = yield* tiktokCall
  const { accessToken } = yield* decodeTokens(credentials)
  const request = HttpClientRequest.get(`${apiUrl}/v2/user/info/`, {
    acceptJson: true,
    urlParams: { fields: "open_id,username,display_name,avatar_url" }
  })
  const response = yield* orUnavailable(call(HttpClientRequest.bearerToken(request, accessToken)))
  const read = response.status === 200 ? readUser(response) : Option.none()
  if (Option.isNone(read)) {
    return yield* new Unavailable({
      message: `TikTok did not say whose account this is: ${answerOf(response)?.detail ?? `status ${response.status}`}`
    })
  }
  const { avatar_url, display_name, open_id, username } = read.value.data.user
  return {
    accountId: open_id,
    username,
    displayName: displayName(display_name),
    avatarUrl: webAddress(avatar_url)
  }
})

/** TikTok's login for the web. It takes no challenge (PKCE), and separates scopes with commas. */
export const makeTiktokLink = (config: TiktokConfig): ConsentLink => ({
  kind: "consent",
  hasApplication: config.clientKey !== "",
  authorizeUrl: ({ redirectUri, state }) => {
    const query = new URLSearchParams({
      response_type: "code",
      client_key: config.clientKey,
      redirect_uri: redirectUri,
      scope: requestedScopes.join(","),
      state
    })
    return `${config.authorizeUrl}?${query.toString()}`
  },
  finish: Effect.fn("Tiktok.finishLink")(function* (grant) {
    const credentials = encodeTokens(yield* tokensForCode(config, yield* tiktokCall, grant))
    return { accounts: [{ ...(yield* fetchAccount(config, credentials)), serviceUrl: null, credentials }] }
  }),
  profile: ({ credentials }) =>
    Effect.map(fetchAccount(config, credentials), ({ accountId: _, ...profile }) => profile),
  /** A failed revocation is logged. The access then ends when its tokens do. */
  revoke: Effect.fn("Tiktok.revokeAccess")(function* ({ credentials }) {
    const call = yield* tiktokCall
    yield* decodeTokens(credentials).pipe(
      Effect.flatMap((tokens) => revokeTokens(config, call, tokens)),
      Effect.catch(({ message }) => Effect.logWarning(`Access to a TikTok account could not be revoked: ${message}`))
    )
  })
})
