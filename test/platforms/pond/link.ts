import { Effect, Option, Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { LinkRefused, Unavailable } from "../../../src/domain/publishing/platformError.ts"
import { makeCall, readResponse } from "../../../src/platforms/call.ts"
import type { Link } from "../../../src/platforms/Link.ts"
import { orUnavailable } from "../../../src/platforms/outcome.ts"
import { croakOf, grantedBy, type PondConfig, readTokens, requestTokens } from "./api.ts"

const readFrog = readResponse(Schema.Struct({ id: Schema.String, username: Schema.String }))

/** Links accounts by the pond's consent page, or by a form. */
export const makePondLink = (config: PondConfig, kind: Link["kind"]): Link => {
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
  const accountOf = (credentials: Redacted.Redacted) =>
    Effect.map(profile(credentials), (frog) => ({ ...frog, serviceUrl: null, credentials }))

  const shared: Pick<Link, "profile" | "revoke"> = {
    profile: ({ credentials }) => Effect.map(profile(credentials), ({ accountId: _, ...shown }) => shown),
    revoke: ({ credentials }) => Effect.asVoid(ask(credentials, "/revoke", "POST"))
  }
  if (kind === "form") {
    return {
      ...shared,
      kind,
      logIn: Effect.fnUntraced(function* ({ croak, name }) {
        const login = { name, croak: Redacted.isRedacted(croak) ? Redacted.value(croak) : croak }
        const request = HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post(`${config.apiUrl}/login`), login)
        const response = yield* orUnavailable((yield* pondCall)(request))
        if (croakOf(response)?.croak === "banned") {
          return yield* new LinkRefused({ field: "croak", message: "Pond does not know this frog by this croak" })
        }
        return yield* accountOf(yield* grantedBy(response))
      })
    }
  }
  return {
    ...shared,
    kind,
    hasApplication: config.clientId !== "",
    authorizeUrl: ({ challenge, redirectUri, state }) => {
      const query = { response_type: "code", client_id: config.clientId, code_challenge_method: "S256" }
      const asked = { ...query, code_challenge: challenge, redirect_uri: redirectUri, state }
      return `${config.webUrl}/consent?${new URLSearchParams(asked).toString()}`
    },
    finish: Effect.fnUntraced(function* ({ code, redirectUri, verifier }) {
      const grant = { code, verifier: Redacted.value(verifier), redirect_uri: redirectUri }
      return { accounts: [yield* accountOf(yield* requestTokens(config, yield* pondCall, grant))] }
    })
  }
}
