import {
  endpoint,
  type Endpoint,
  type Respond,
  type RespondTo,
  type StandInRequest,
  type StandInResponse
} from "../../../sandbox/endpoint.ts"
import type { StandInMemory } from "../../../sandbox/StandIn.ts"
import type { Grant } from "../../../sandbox/state/entry.ts"
import type { State } from "../../../sandbox/state/state.ts"
import { requestedScopes } from "../tokens.ts"
import { makeAuthorized, tiktokOk } from "./responses.ts"

export const sandboxApplication = { clientKey: "sandbox", clientSecret: "sandbox-secret" }

/** Unlike all other errors, those of these addresses are flat. */
const oauthError = (error: string, error_description: string): StandInResponse => ({
  status: error === "invalid_client" ? 401 : 400,
  body: { error, error_description, log_id: "202911210805300102440651560E001A2B" }
})

/** More than any account asks in a minute. */
const usersPerMinute = 600

const tokensOf = ({ access, accountId, accessUntil, at, refresh, refreshUntil }: Grant) => ({
  access_token: access,
  expires_in: (accessUntil - at) / 1000,
  open_id: accountId,
  refresh_expires_in: (refreshUntil - at) / 1000,
  refresh_token: refresh,
  scope: requestedScopes.join(","),
  token_type: "Bearer"
})

const ofApplication =
  (respond: (form: URLSearchParams, request: StandInRequest, state: State) => StandInResponse): Respond =>
  (request, state) => {
    const form = new URLSearchParams(request.body)
    const { clientKey, clientSecret } = sandboxApplication
    return form.get("client_key") === clientKey && form.get("client_secret") === clientSecret
      ? respond(form, request, state)
      : oauthError("invalid_client", "Client key or secret is incorrect.")
  }

const user: RespondTo = ({ displayName, id, username }) =>
  tiktokOk({ user: { open_id: id, username, display_name: displayName } })

export const tiktokTokenEndpoints = (memory: StandInMemory): ReadonlyArray<Endpoint> => {
  const { codes, tokens } = memory
  const authorized = makeAuthorized(memory)

  const forCode = (form: URLSearchParams, request: StandInRequest): StandInResponse => {
    const pending = codes.take(form.get("code") ?? "", request.now)
    if (pending?.redirectUri !== form.get("redirect_uri")) {
      return oauthError("invalid_grant", "Authorization code is expired.")
    }
    const grant = tokens.issue(pending.account, request)
    return { status: 200, body: tokensOf(grant), entries: [grant] }
  }

  const forRefreshToken = (form: URLSearchParams, request: StandInRequest, state: State): StandInResponse => {
    const { entries, result } = tokens.renew(state, form.get("refresh_token") ?? "", request)
    return typeof result === "string"
      ? { ...oauthError("invalid_grant", "Refresh token is invalid or expired."), entries }
      : { status: 200, body: tokensOf(result), entries }
  }

  const grant = ofApplication((form, request, state) => {
    switch (form.get("grant_type")) {
      case "authorization_code":
        return forCode(form, request)
      case "refresh_token":
        return forRefreshToken(form, request, state)
      default:
        return oauthError("unsupported_grant_type", "The grant type is unsupported.")
    }
  })

  const revoke = ofApplication((form, _, state) => ({
    status: 200,
    body: {},
    entries: tokens.revoke(state, form.get("token") ?? "").entries
  }))

  return [
    endpoint("session", "POST", "/tiktok/v2/oauth/token/", grant),
    endpoint("session", "POST", "/tiktok/v2/oauth/revoke/", revoke),
    endpoint("identity", "GET", "/tiktok/v2/user/info/", authorized(usersPerMinute, user))
  ]
}
