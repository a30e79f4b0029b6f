import { Duration } from "effect"
import { endpoint, type Respond } from "../../../sandbox/endpoint.ts"
import type { StandInMemory } from "../../../sandbox/StandIn.ts"
import type { Grant } from "../../../sandbox/state/entry.ts"
import type { State } from "../../../sandbox/state/state.ts"
import { metaError, respond } from "./responses.ts"

export const sandboxApplication = { clientId: "sandbox", clientSecret: "sandbox-secret" }

interface StandInTokens {
  /** The first part of all paths of the stand-in. */
  readonly root: `/${string}`
  readonly grants: { readonly exchange: string; readonly renewal: string }
  readonly renewalHours: number
  readonly accessDays: number
  /** The scopes that the platform tells at its address for them. Absent if it has none. */
  readonly scopes?: { readonly path: `/${string}`; readonly granted: ReadonlyArray<string> }
  /** The answer to a code. */
  readonly shortAnswer: (short: { readonly access_token: string; readonly user_id: number }) => object
}

export const makeTokenEndpoints = (
  { codes, platform, tokens }: StandInMemory,
  { accessDays, grants, renewalHours, root, scopes, shortAnswer }: StandInTokens
) => {
  const untilRenewal = Duration.toMillis(Duration.hours(renewalHours))
  const accessSeconds = Duration.toSeconds(Duration.days(accessDays))

  const forCode: Respond = (request) => {
    const form = new URLSearchParams(request.body)
    const pending = codes.take(form.get("code") ?? "", request.now)
    const isOwn =
      form.get("client_id") === sandboxApplication.clientId &&
      form.get("client_secret") === sandboxApplication.clientSecret &&
      form.get("grant_type") === "authorization_code"
    if (!isOwn || pending === undefined || pending.redirectUri !== form.get("redirect_uri")) {
      return metaError(400, "bad parameter", "This authorization code has been used")
    }
    const grant = tokens.issue(pending.account, request)
    return {
      ...respond(200, shortAnswer({ access_token: grant.access, user_id: Number(pending.account.id) })),
      entries: [grant]
    }
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
      if (grant === undefined) return metaError(400, "token expired", "Error validating access token")
      const refusal = query.get("grant_type") === grantType ? refuse(grant, request) : "grant_type is not supported"
      if (refusal !== undefined) return metaError(400, "bad parameter", refusal)
      const { entries, result } = tokens.renew(state, grant.refresh, request)
      return typeof result === "string"
        ? metaError(400, "token expired", "Error validating access token")
        : {
            ...respond(200, { access_token: result.access, token_type: "bearer", expires_in: accessSeconds }),
            entries
          }
    }

  const forShort = exchange(grants.exchange, (_, { query }) =>
    query.get("client_secret") === sandboxApplication.clientSecret ? undefined : "client_secret is wrong"
  )
  const renew = exchange(grants.renewal, ({ at }, { now }) =>
    now - at < untilRenewal ? "The token is not 24 hours old" : undefined
  )

  const debug: Respond = ({ now, query }, state) =>
    ["access_token", "input_token"].some((name) => grantOf(state, query.get(name), now) === undefined)
      ? metaError(400, "token expired", "Error validating access token")
      : respond(200, { data: { type: "USER", is_valid: true, scopes: scopes?.granted } })

  return [
    ...(scopes === undefined ? [] : [endpoint("identity", "GET", `${root}${scopes.path}`, debug)]),
    endpoint("session", "POST", `${root}/oauth/access_token`, forCode),
    endpoint("session", "GET", `${root}/access_token`, forShort),
    endpoint("session", "GET", `${root}/refresh_access_token`, renew)
  ]
}
