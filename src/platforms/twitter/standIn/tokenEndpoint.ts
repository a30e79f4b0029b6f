import { createHash } from "node:crypto"
import { endpoint, type Respond, type StandInRequest, type StandInResponse } from "../../../sandbox/endpoint.ts"
import type { StandInMemory } from "../../../sandbox/StandIn.ts"
import type { Grant } from "../../../sandbox/state/entry.ts"
import type { State } from "../../../sandbox/state/state.ts"
import { requestedScope } from "../tokens.ts"

export const sandboxApplication = { clientId: "sandbox", clientSecret: "sandbox-secret" }

const oauthError = (status: number, error: string, error_description: string): StandInResponse => ({
  status,
  body: { error, error_description }
})

const invalidCode = oauthError(400, "invalid_request", "Value passed for the authorization code was invalid.")
const invalidToken = oauthError(400, "invalid_request", "Value passed for the token was invalid.")

const tokensOf = ({ access, refresh }: Grant) => ({
  token_type: "bearer",
  expires_in: 7200,
  access_token: access,
  scope: requestedScope,
  refresh_token: refresh
})

const basic = `Basic ${btoa(`${sandboxApplication.clientId}:${sandboxApplication.clientSecret}`)}`

const authorized =
  (respond: (form: URLSearchParams, request: StandInRequest, state: State) => StandInResponse): Respond =>
  (request, state) =>
    request.headers["authorization"] === basic
      ? respond(new URLSearchParams(request.body), request, state)
      : oauthError(401, "unauthorized_client", "Missing valid authorization header")

export const twitterTokenEndpoint = ({ codes, tokens }: StandInMemory) => {
  const forCode = (form: URLSearchParams, request: StandInRequest): StandInResponse => {
    const pending = codes.take(form.get("code") ?? "", request.now)
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url")
    if (pending?.challenge !== challenge || pending.redirectUri !== form.get("redirect_uri")) return invalidCode
    const grant = tokens.issue(pending.account, request)
    return { status: 200, body: tokensOf(grant), entries: [grant] }
  }

  const forRefreshToken = (form: URLSearchParams, request: StandInRequest, state: State): StandInResponse => {
    const { entries, result } = tokens.renew(state, form.get("refresh_token") ?? "", request)
    return typeof result === "string" ? { ...invalidToken, entries } : { status: 200, body: tokensOf(result), entries }
  }

  const grant = authorized((form, request, state) => {
    switch (form.get("grant_type")) {
      case "authorization_code":
        return forCode(form, request)
      case "refresh_token":
        return forRefreshToken(form, request, state)
      default:
        return oauthError(400, "unsupported_grant_type", "grant_type is not supported")
    }
  })

  const revoke = authorized((form, _, state) => ({
    status: 200,
    body: { revoked: true },
    entries: tokens.revoke(state, form.get("token") ?? "").entries
  }))

  return [
    endpoint("session", "POST", "/2/oauth2/token", grant),
    endpoint("session", "POST", "/2/oauth2/revoke", revoke)
  ]
}
