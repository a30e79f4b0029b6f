import { Effect, Option, Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { Unavailable } from "../../../src/domain/publishing/platformError.ts"
import { makeCall, readResponse } from "../../../src/platforms/call.ts"
import type { ConsentLink } from "../../../src/platforms/Link.ts"
import { orUnavailable } from "../../../src/platforms/outcome.ts"
import { type PondConfig, readTokens, requestTokens } from "./api.ts"

const readFrog = readResponse(Schema.Struct({ id: Schema.String, username: Schema.String }))

/** Links accounts by the pond's consent page. */
export const makePondLink = (config: PondConfig): ConsentLink => {
  const pondCall = Effect.map(HttpClient.HttpClient, (client) => makeCall(client, "Pond"))

  const ask = Effect.fnUntraced(function* (credentials: Redacted.Redacted, path: string, method: "GET" | "POST") {
    const { access } = yield* Effect.fromResult(readTokens(credentials))
    const request = HttpClientRequest.make(method)(`${config.apiUrl}${path}`).pipe(
      HttpClientRequest.bearerToken(access)
    )
    return yield* orUnavailable((yield* pondCall)(request))
  })

  const profile = Effect.fnUntraced(function* (credentials: Redacted.Redacted) {
    const frog = readFrog(yield* ask(credentials, "/me", "GET"))
    if (Option.isNone(frog)) return yield* new Unavailable({ message: "Pond did not say whose account this is" })
    return { accountId: frog.value.id, username: frog.value.username, displayName: null, avatarUrl: null }
  })

  return {
    kind: "consent",
    hasApplication: config.clientId !== "",
    authorizeUrl: ({ challenge, redirectUri, state }) => {
      const query = { response_type: "code", client_id: config.clientId, code_challenge_method: "S256" }
      const asked = { ...query, code_challenge: challenge, redirect_uri: redirectUri, state }
      return `${config.webUrl}/consent?${new URLSearchParams(asked).toString()}`
    },
    finish: Effect.fnUntraced(function* ({ code, redirectUri, verifier }) {
      const grant = { code, verifier: Redacted.value(verifier), redirect_uri: redirectUri }
      const credentials = yield* requestTokens(config, yield* pondCall, grant)
      return { ...(yield* profile(credentials)), serviceUrl: null, credentials }
    }),
    profile: ({ credentials }) => Effect.map(profile(credentials), ({ accountId: _, ...shown }) => shown),
    revoke: ({ credentials }) => Effect.asVoid(ask(credentials, "/revoke", "POST"))
  }
}
