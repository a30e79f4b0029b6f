import { Duration } from "effect"
import {
  bearerToken,
  type Endpoint,
  endpoint,
  type Respond,
  type RespondTo,
  type StandInRequest,
  type StandInResponse
} from "../../../sandbox/endpoint.ts"
import type { StandInMemory } from "../../../sandbox/StandIn.ts"
import type { Grant, SandboxAccount } from "../../../sandbox/state/entry.ts"
import type { State } from "../../../sandbox/state/state.ts"
import { respond } from "./responses.ts"
import { sandboxApplication } from "./tokenEndpoints.ts"

const hour = Duration.toMillis(Duration.hours(1))

/** No end, as far as the sandbox knows. */
export const endless = Duration.toMillis(Duration.days(36_500))

export interface ManagedPage {
  readonly id: string
  /** The account for which the Page's token works. */
  readonly account: SandboxAccount
  /** True for a Page of a business, which the list of a person's Pages leaves out. */
  readonly isOfBusiness: boolean
  readonly tasks: ReadonlyArray<string>
  /** The Page as the API shows it. */
  readonly shown: object
}

/** Facebook Login, as one platform's stand-in has it. */
export interface PageLogin {
  readonly base: `/${string}`
  readonly scopes: ReadonlyArray<string>
  /** The lifetime of a person's long-lived token. */
  readonly userTokenDays: number
  /** The person who manages the Page of an account. Only the person's token lists Pages. */
  readonly personOf: (account: SandboxAccount) => SandboxAccount
  readonly isPerson: (account: Pick<SandboxAccount, "id">) => boolean
  readonly pagesOf: (person: SandboxAccount) => ReadonlyArray<ManagedPage>
  readonly error: (status: number, name?: string, message?: string) => StandInResponse
  /** Begins the tokens of this login, if the stand-in has another one. */
  readonly prefix: string
}

const accessIn = ({ prefix }: Pick<PageLogin, "prefix">, token: string): string =>
  token.startsWith(prefix) ? token.slice(prefix.length) : ""

/** Refuses what the token does not allow. The scheme is that of the endpoint. */
export const authorizedAs =
  (
    { platform }: Pick<StandInMemory, "platform">,
    login: Pick<PageLogin, "error" | "prefix">,
    scheme: "Bearer" | "OAuth" = "Bearer"
  ) =>
  (respondTo: RespondTo): Respond =>
  (request, state) => {
    const [sent, token = ""] = (request.headers["authorization"] ?? "").split(" ")
    const access = accessIn(login, token)
    const account = sent === scheme ? state.accountByToken(platform, access, request.now) : undefined
    if (account === undefined) return login.error(400, "token refused", "Invalid OAuth access token")
    if (account === "expired") return login.error(400, "token expired", "Error validating access token")
    return (account.closed ?? null) === null
      ? respondTo(account, request, state)
      : login.error(400, "blocked", "The account is restricted")
  }

export const makePageTokens = (
  memory: StandInMemory,
  login: PageLogin
): { readonly endpoints: ReadonlyArray<Endpoint>; readonly page: RespondTo } => {
  const { codes, platform, tokens } = memory
  const { base, error, isPerson, pagesOf, personOf, prefix, scopes } = login
  const longLived = Duration.toMillis(Duration.days(login.userTokenDays))
  const authorized = authorizedAs(memory, login)
  const unknown = (state: State, account: SandboxAccount) =>
    state.account(platform, account.id) === undefined ? [account] : []

  const grantIn = (state: State, token: string) => state.grantByAccessToken(platform, accessIn(login, token))

  const answered = ({ access }: Grant, seconds: number) =>
    respond(200, { access_token: `${prefix}${access}`, token_type: "bearer", expires_in: seconds })

  /** A short token for a code, or one of 60 days for a short token. */
  const token: Respond = (request, state) => {
    const form = new URLSearchParams(request.body)
    const isOwn =
      form.get("client_id") === sandboxApplication.clientId &&
      form.get("client_secret") === sandboxApplication.clientSecret
    if (!isOwn) return error(400, "bad parameter", "Error validating client secret.")
    if (form.get("grant_type") === "fb_exchange_token") {
      const short = grantIn(state, form.get("fb_exchange_token") ?? "")
      const person = short && state.accountByToken(platform, short.access, request.now)
      if (short === undefined || person === undefined || person === "expired") {
        return error(400, "token expired", "Error validating access token")
      }
      const long: Grant = {
        ...tokens.issue(person, request),
        family: short.family,
        accessUntil: request.now + longLived
      }
      return { ...answered(long, longLived / 1000), entries: [long] }
    }
    const pending = codes.take(form.get("code") ?? "", request.now)
    if (pending === undefined || pending.redirectUri !== form.get("redirect_uri")) {
      return error(400, "bad parameter", "This authorization code has been used.")
    }
    const person = personOf(pending.account)
    const short: Grant = { ...tokens.issue(person, request), accessUntil: request.now + hour }
    return { ...answered(short, hour / 1000), entries: [...unknown(state, person), short] }
  }

  /** A Page's token has no end if the person's token is long-lived. */
  const pageGrant = ({ account, id }: ManagedPage, person: Grant, request: StandInRequest): Grant => {
    const { access, refresh, ...grant } = tokens.issue(account, request)
    const isLong = person.accessUntil - person.at > hour
    return {
      ...grant,
      access: `${access}-${id}`,
      refresh: `${refresh}-${id}`,
      family: person.family,
      accessUntil: isLong ? request.now + endless : person.accessUntil
    }
  }

  const granted = (page: ManagedPage, person: Grant, request: StandInRequest, state: State) => {
    const grant = pageGrant(page, person, request)
    return {
      shown: { ...page.shown, access_token: `${prefix}${grant.access}` },
      entries: [...unknown(state, page.account), grant]
    }
  }

  /** Leaves out the Pages of businesses, and is empty at times though everything was granted. */
  const accounts: RespondTo = (account, request, state) => {
    const person = grantIn(state, bearerToken(request) ?? "")
    if (person === undefined || !isPerson(account)) return error(400, "bad parameter", "Not a person's token")
    const listed = request.oddity?.kind === "nulls" ? [] : pagesOf(account).filter(({ isOfBusiness }) => !isOfBusiness)
    const pages = listed.map((page) => ({ tasks: page.tasks, ...granted(page, person, request, state) }))
    return {
      ...respond(200, {
        data: pages.map(({ shown, tasks }) => ({ ...shown, tasks })),
        ...(pages.length === 0 ? {} : { paging: { cursors: { before: "a", after: "b" } } })
      }),
      entries: pages.flatMap(({ entries }) => entries)
    }
  }

  const debug: Respond = (request, state) => {
    if (bearerToken(request) !== `${sandboxApplication.clientId}|${sandboxApplication.clientSecret}`) {
      return error(400, "token refused", "A token of the application is needed")
    }
    const grant = grantIn(state, request.query.get("input_token") ?? "")
    const account = grant && state.accountByToken(platform, grant.access, request.now)
    if (grant === undefined || account === undefined || account === "expired") {
      return respond(200, { data: { is_valid: false, scopes: [] } })
    }
    const targets = pagesOf(account)
    return respond(200, {
      data: {
        is_valid: true,
        expires_at: grant.accessUntil - grant.at >= endless ? 0 : Math.floor(grant.accessUntil / 1000),
        scopes,
        granular_scopes: scopes.map((scope) => ({
          scope,
          target_ids: targets.map((page) => (scope.startsWith("pages_") ? page.id : page.account.id))
        }))
      }
    })
  }

  /** A Page with its token, if a person of it asks. */
  const page: RespondTo = (account, request, state) => {
    const id = request.params["id"] ?? ""
    const person = grantIn(state, bearerToken(request) ?? "")
    const own = isPerson(account) ? pagesOf(account).find((each) => each.id === id) : undefined
    if (own === undefined || person === undefined) return error(400, "not visible", "Unsupported get request")
    const { entries, shown } = granted(own, person, request, state)
    return { ...respond(200, shown), entries }
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
