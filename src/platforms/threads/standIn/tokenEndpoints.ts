import { Duration } from "effect"
import { endpoint, type Respond } from "../../../sandbox/endpoint.ts"
import type { StandInMemory } from "../../../sandbox/StandIn.ts"
import type { Grant } from "../../../sandbox/state/entry.ts"
import type { State } from "../../../sandbox/state/state.ts"
import { threads } from "../facts.ts"
import { requestedScopes } from "../scopes.ts"
import { respond, threadsError } from "./responses.ts"

export const sandboxApplication = { clientId: "sandbox", clientSecret: "sandbox-secret" }

const untilRenewal = Duration.toMillis(Duration.hours(threads.limits.renewalHours))

export const accessLifetime = Duration.toMillis(Duration.days(threads.limits.accessDays))

export const threadsTokenEndpoints = ({ codes, platform, tokens }: StandInMemory) => {
  const forCode: Respond = (request) => {
    const form = new URLSearchParams(request.body)
    const pending = codes.take(form.get("code") ?? "", request.now)
    const isOwn =
      form.get("client_id") === sandboxApplication.clientId &&
      form.get("client_secret") === sandboxApplication.clientSecret &&
      form.get("grant_type") === "authorization_code"
    if (!isOwn || pending === undefined || pending.redirectUri !== form.get("redirect_uri")) {
      return threadsError(400, "bad parameter", "This authorization code has been used")
    }
    const grant = tokens.issue(pending.account, request)
    return { ...respond(200, { access_token: grant.access, user_id: Number(pending.account.id) }), entries: [grant] }
  }

  const grantOf = (state: State, access: string | null, now: number): Grant | undefined => {
    const grant = state.grantByAccessToken(platform, access ?? "")
    const isKnown = grant !== undefined && state.accountByToken(platform, grant.access, now)
    return isKnown === undefined || isKnown === false || isKnown === "expired" ? undefined : grant
  }

  /** A new token for an old one, which still works. */
  const exchange =
    (grantType: string, refuse: (grant: Grant, request: Parameters<Respond>[0]) => string | undefined): Respond =>
    (request, state) => {
      const { now, query } = request
      const grant = grantOf(state, query.get("access_token"), now)
      if (grant === undefined) return threadsError(400, "token expired", "Error validating access token")
      const refusal = query.get("grant_type") === grantType ? refuse(grant, request) : "grant_type is not supported"
      if (refusal !== undefined) return threadsError(400, "bad parameter", refusal)
      const { entries, result } = tokens.renew(state, grant.refresh, request)
      return typeof result === "string"
        ? threadsError(400, "token expired", "Error validating access token")
        : {
            ...respond(200, { access_token: result.access, token_type: "bearer", expires_in: accessLifetime / 1000 }),
            entries
          }
    }

  const forShort = exchange("th_exchange_token", (_, { query }) =>
    query.get("client_secret") === sandboxApplication.clientSecret ? undefined : "client_secret is wrong"
  )
  const renew = exchange("th_refresh_token", ({ at }, { now }) =>
    now - at < untilRenewal ? "The token is not 24 hours old" : undefined
  )

  const debug: Respond = ({ now, query }, state) =>
    grantOf(state, query.get("access_token"), now) === undefined ||
    grantOf(state, query.get("input_token"), now) === undefined
      ? threadsError(400, "token expired", "Error validating access token")
      : respond(200, { data: { type: "USER", is_valid: true, scopes: requestedScopes } })

  return [
    endpoint("identity", "GET", "/threads/v1.0/debug_token", debug),
    endpoint("session", "POST", "/threads/oauth/access_token", forCode),
    endpoint("session", "GET", "/threads/access_token", forShort),
    endpoint("session", "GET", "/threads/refresh_access_token", renew)
  ]
}
