import { createHash } from "node:crypto"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Grant } from "../../../sandbox/state/entry.ts"
import { requestedScope } from "../tokens.ts"
import type { StandInContext } from "../../../sandbox/StandIn.ts"
import { type StandInRequest, standInRoute } from "../../../sandbox/standInRoute.ts"

/** The only registered application. */
export const sandboxApplication = { clientId: "sandbox", clientSecret: "sandbox-secret" }

const oauthError = (status: number, error: string, error_description: string) =>
  HttpServerResponse.jsonUnsafe({ error, error_description }, { status })

const tokenResponse = (grant: Grant) =>
  HttpServerResponse.jsonUnsafe({
    token_type: "bearer",
    expires_in: 7200,
    access_token: grant.access,
    scope: requestedScope,
    refresh_token: grant.refresh
  })

const basic = `Basic ${btoa(`${sandboxApplication.clientId}:${sandboxApplication.clientSecret}`)}`

/** X's OAuth 2.0 endpoints: single-use codes with PKCE, refresh tokens, and revocation. */
export const twitterTokenEndpoint = (context: StandInContext) => {
  const { codes, tokens } = context
  const invalidCode = oauthError(400, "invalid_request", "Value passed for the authorization code was invalid.")
  const invalidToken = oauthError(400, "invalid_request", "Value passed for the token was invalid.")

  const forCode = Effect.fnUntraced(function* (form: URLSearchParams, now: number) {
    const pending = codes.take(form.get("code") ?? "", now)
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url")
    if (pending?.challenge !== challenge || pending.redirectUri !== form.get("redirect_uri")) return invalidCode
    return tokenResponse(yield* tokens.issue(pending.account))
  })

  const forRefreshToken = Effect.fnUntraced(function* (form: URLSearchParams) {
    const renewed = yield* tokens.renew(form.get("refresh_token") ?? "")
    return typeof renewed === "string" ? invalidToken : tokenResponse(renewed)
  })

  const authorized =
    (respond: (form: URLSearchParams, now: number) => Effect.Effect<HttpServerResponse.HttpServerResponse>) =>
    (request: StandInRequest) =>
      request.headers["authorization"] === basic
        ? respond(new URLSearchParams(request.body), request.now)
        : Effect.succeed(oauthError(401, "unauthorized_client", "Missing valid authorization header"))

  const grant = (form: URLSearchParams, now: number) => {
    switch (form.get("grant_type")) {
      case "authorization_code":
        return forCode(form, now)
      case "refresh_token":
        return forRefreshToken(form)
      default:
        return Effect.succeed(oauthError(400, "unsupported_grant_type", "grant_type is not supported"))
    }
  }

  const revoke = (form: URLSearchParams) =>
    Effect.as(tokens.revoke(form.get("token") ?? ""), HttpServerResponse.jsonUnsafe({ revoked: true }))

  return [
    standInRoute(context, "session", "POST", "/2/oauth2/token", authorized(grant)),
    standInRoute(context, "session", "POST", "/2/oauth2/revoke", authorized(revoke))
  ]
}
