import { Duration } from "effect"
import { bearerToken, type Endpoint, endpoint, type Respond, type RespondTo } from "../../../sandbox/endpoint.ts"
import type { StandInMemory } from "../../../sandbox/StandIn.ts"
import type { Grant, SandboxAccount } from "../../../sandbox/state/entry.ts"
import type { State } from "../../../sandbox/state/state.ts"
import * as limits from "../limits.ts"
import { requestedScopes } from "../link.ts"
import { isPerson, type ManagedPage, pagesOf, personOf } from "./accounts.ts"
import { facebookError, respond } from "./responses.ts"

export const sandboxApplication = { clientId: "sandbox", clientSecret: "sandbox-secret" }

/** The only version that the stand-in serves. */
export const standInVersion = "v26.0"

const hour = Duration.toMillis(Duration.hours(1))
const longLived = Duration.toMillis(Duration.days(limits.userTokenDays))

/** No end, as far as the sandbox knows. */
export const endless = Duration.toMillis(Duration.days(36_500))

/** Refuses what the token does not allow. The scheme is that of the endpoint. */
export const authorizedAs =
  ({ platform }: Pick<StandInMemory, "platform">, scheme: "Bearer" | "OAuth" = "Bearer") =>
  (respondTo: RespondTo): Respond =>
  (request, state) => {
    const [sent, token = ""] = (request.headers["authorization"] ?? "").split(" ")
    const account = sent === scheme ? state.accountByToken(platform, token, request.now) : undefined
    if (account === undefined) return facebookError(400, "token refused", "Invalid OAuth access token")
    if (account === "expired") return facebookError(400, "token expired", "Error validating access token")
    return (account.closed ?? null) === null
      ? respondTo(account, request, state)
      : facebookError(400, "blocked", "The Page is restricted")
  }

export const base = `/facebook/${standInVersion}` as const

const shown = ({ displayName, id, username }: SandboxAccount) => ({ id, name: displayName, username })

export const facebookTokens = (
  memory: StandInMemory
): { readonly endpoints: ReadonlyArray<Endpoint>; readonly page: RespondTo } => {
  const { codes, platform, tokens } = memory
  const authorized = authorizedAs(memory)
  const unknown = (state: State, account: SandboxAccount) =>
    state.account(platform, account.id) === undefined ? [account] : []

  /** A short token for a code, or one of 60 days for a short token. */
  const token: Respond = (request, state) => {
    const form = new URLSearchParams(request.body)
    const isOwn =
      form.get("client_id") === sandboxApplication.clientId &&
      form.get("client_secret") === sandboxApplication.clientSecret
    if (!isOwn) return facebookError(400, "bad parameter", "Error validating client secret.")
    if (form.get("grant_type") === "fb_exchange_token") {
      const short = state.grantByAccessToken(platform, form.get("fb_exchange_token") ?? "")
      const person = short && state.accountByToken(platform, short.access, request.now)
      if (short === undefined || person === undefined || person === "expired") {
        return facebookError(400, "token expired", "Error validating access token")
      }
      const long: Grant = {
        ...tokens.issue(person, request),
        family: short.family,
        accessUntil: request.now + longLived
      }
      const body = { access_token: long.access, token_type: "bearer", expires_in: longLived / 1000 }
      return { ...respond(200, body), entries: [long] }
    }
    const pending = codes.take(form.get("code") ?? "", request.now)
    if (pending === undefined || pending.redirectUri !== form.get("redirect_uri")) {
      return facebookError(400, "bad parameter", "This authorization code has been used.")
    }
    const person = personOf(pending.account)
    const short: Grant = { ...tokens.issue(person, request), accessUntil: request.now + hour }
    const body = { access_token: short.access, token_type: "bearer", expires_in: hour / 1000 }
    return { ...respond(200, body), entries: [...unknown(state, person), short] }
  }

  /** A Page's token has no end if the person's token is long-lived. */
  const pageGrant = (page: ManagedPage, person: Grant, request: Parameters<Respond>[0]): Grant => {
    const { access, refresh, ...grant } = tokens.issue(page, request)
    const isLong = person.accessUntil - person.at > hour
    return {
      ...grant,
      access: `${access}-${page.id}`,
      refresh: `${refresh}-${page.id}`,
      family: person.family,
      accessUntil: isLong ? request.now + endless : person.accessUntil
    }
  }

  const entriesOf = ({ isOfBusiness: _, tasks: __, ...page }: ManagedPage, grant: Grant, state: State) => [
    ...unknown(state, page),
    grant
  ]

  const grantOf = (request: Parameters<Respond>[0], state: State) =>
    state.grantByAccessToken(platform, bearerToken(request) ?? "")

  /** Leaves out the Pages of businesses, and is empty at times though everything was granted. */
  const accounts: RespondTo = (account, request, state) => {
    const person = grantOf(request, state)
    if (person === undefined || !isPerson(account)) return facebookError(400, "bad parameter", "Not a person's token")
    const listed = request.oddity?.kind === "nulls" ? [] : pagesOf(account).filter(({ isOfBusiness }) => !isOfBusiness)
    const granted = listed.map((page) => ({ page, grant: pageGrant(page, person, request) }))
    return {
      ...respond(200, {
        data: granted.map(({ grant, page }) => ({ ...shown(page), access_token: grant.access, tasks: page.tasks })),
        ...(granted.length === 0 ? {} : { paging: { cursors: { before: "a", after: "b" } } })
      }),
      entries: granted.flatMap(({ grant, page }) => entriesOf(page, grant, state))
    }
  }

  const debug: Respond = (request, state) => {
    if (bearerToken(request) !== `${sandboxApplication.clientId}|${sandboxApplication.clientSecret}`) {
      return facebookError(400, "token refused", "A token of the application is needed")
    }
    const sent = request.query.get("input_token") ?? ""
    const grant = state.grantByAccessToken(platform, sent)
    const account = grant && state.accountByToken(platform, sent, request.now)
    if (grant === undefined || account === undefined || account === "expired") {
      return respond(200, { data: { is_valid: false, scopes: [] } })
    }
    const targets = pagesOf(account).map(({ id }) => id)
    return respond(200, {
      data: {
        is_valid: true,
        expires_at: grant.accessUntil - grant.at >= endless ? 0 : Math.floor(grant.accessUntil / 1000),
        scopes: requestedScopes,
        granular_scopes: requestedScopes.map((scope) => ({ scope, target_ids: targets }))
      }
    })
  }

  /** A Page, with its token if a person of it asks. */
  const page: RespondTo = (account, request, state) => {
    const id = request.params["id"] ?? ""
    if (id === account.id) return respond(200, shown(account))
    const person = grantOf(request, state)
    const own = isPerson(account) ? pagesOf(account).find((each) => each.id === id) : undefined
    if (own === undefined || person === undefined) return facebookError(400, "not visible", "Unsupported get request")
    const grant = pageGrant(own, person, request)
    return {
      ...respond(200, { ...shown(own), access_token: grant.access }),
      entries: entriesOf(own, grant, state)
    }
  }

  return {
    endpoints: [
      endpoint("session", "POST", `${base}/oauth/access_token`, token),
      endpoint("identity", "GET", `${base}/debug_token`, debug),
      endpoint("identity", "GET", `${base}/me/accounts`, authorized(accounts))
    ],
    page
  }
}
