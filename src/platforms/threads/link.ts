import { Effect, Option, type Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { Unavailable } from "../../domain/publishing/platformError.ts"
import { makeCall, readResponse } from "../call.ts"
import type { ThreadsConfig } from "./config.ts"
import type { ConsentLink } from "../Link.ts"
import { problemOf } from "../meta/problem.ts"
import { orUnavailable } from "../outcome.ts"
import { displayName } from "../platformText.ts"
import { webAddress } from "../syntax.ts"
import { readFrom } from "./api.ts"
import { ThreadsId } from "./syntax.ts"
import { decodeTokens, encodeTokens, requestedScopes, tokensForCode } from "./tokens.ts"

const readMe = readResponse(
  Schema.Struct({
    id: ThreadsId,
    username: Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_.]{1,64}$/, { expected: "a name on Threads" })),
    name: Schema.optionalKey(Schema.Unknown),
    threads_profile_picture_url: Schema.optionalKey(Schema.Unknown)
  })
)

const makeThreadsCall = Effect.map(HttpClient.HttpClient, (client) => makeCall(client, "Threads"))

const fetchAccount = Effect.fn("Threads.fetchAccount")(function* (
  config: ThreadsConfig,
  credentials: Redacted.Redacted
) {
  const call = yield* makeThreadsCall
  const { accessToken } = yield* decodeTokens(credentials)
  const request = readFrom(config, "/me", { fields: "id,username,name,threads_profile_picture_url" })
  const response = yield* orUnavailable(call(HttpClientRequest.bearerToken(request, accessToken)))
  const me = response.status === 200 ? readMe(response) : Option.none()
  if (Option.isNone(me)) {
    return yield* new Unavailable({
      message: `Threads did not say whose account this is: ${problemOf(response)?.detail ?? `status ${response.status}`}`
    })
  }
  const { id, name, threads_profile_picture_url, username } = me.value
  return { accountId: id, username, displayName: displayName(name), avatarUrl: webAddress(threads_profile_picture_url) }
})

export const makeThreadsLink = (config: ThreadsConfig): ConsentLink => ({
  kind: "consent",
  hasApplication: config.clientId !== "",
  authorizeUrl: ({ challenge, redirectUri, state }) => {
    const query = new URLSearchParams({
      response_type: "code",
      client_id: config.clientId,
      redirect_uri: redirectUri,
      scope: requestedScopes.join(","),
      state,
      // Threads documents no PKCE. A server ignores the parameters that it does not know (RFC 6749, section 3.1).
      code_challenge: challenge,
      code_challenge_method: "S256"
    })
    return `${config.authorizeUrl}?${query.toString()}`
  },
  finish: Effect.fn("Threads.finishLink")(function* (grant) {
    const credentials = encodeTokens(yield* tokensForCode(config, yield* makeThreadsCall, grant))
    return { ...(yield* fetchAccount(config, credentials)), serviceUrl: null, credentials }
  }),
  profile: ({ credentials }) =>
    Effect.map(fetchAccount(config, credentials), ({ accountId: _, ...profile }) => profile),
  // Threads has no request that ends access. The token is forgotten here; a person can remove the app on Threads.
  revoke: () => Effect.void
})
