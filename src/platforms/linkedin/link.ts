import { DateTime, Effect, Option, type Redacted, Schedule, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import type { ConnectedAccount } from "../../domain/accounts/integration.ts"
import {
  NeedsReauthorization,
  type PlatformError,
  Rejected,
  Unavailable
} from "../../domain/publishing/platformError.ts"
import { type Call, makeCall, type PlatformResponse, readResponse } from "../call.ts"
import type { Application, ApplicationName, LinkedinConfig } from "./config.ts"
import type { AccountOffer, ConsentLink } from "../Link.ts"
import { failAt, orUnavailable } from "../outcome.ts"
import { displayName, platformDetail } from "../platformText.ts"
import { Token, webAddress } from "../syntax.ts"
import { decodeAccess, encodeAccess } from "./credentials.ts"
import { detailOf, isRevoked, refusedAccess } from "./problem.ts"
import { isPageUrn, PageUrn } from "./syntax.ts"

export const scopes: Readonly<Record<ApplicationName, string>> = {
  profile: "openid profile w_member_social",
  pages: "r_organization_social rw_organization_admin w_organization_social"
}

/** An unusable optional member counts as absent, because a failure would lose the result of a single-use code. */
const readTokens = readResponse(
  Schema.Struct({
    access_token: Token,
    expires_in: Schema.optionalKey(Schema.Unknown),
    scope: Schema.optionalKey(Schema.Unknown)
  })
)
const readTokenError = readResponse(
  Schema.Struct({ error: Schema.String, error_description: Schema.optionalKey(Schema.String) })
)
const isScope = Schema.is(Schema.String.check(Schema.isPattern(/^[\x20-\x7e]{1,1000}$/)))
/** In seconds. */
const isLifetime = Schema.is(Schema.Finite.check(Schema.isBetween({ minimum: 600, maximum: 400 * 24 * 60 * 60 })))

const readUser = readResponse(
  Schema.Struct({
    sub: Schema.String.check(Schema.isPattern(/^[\w-]{1,64}$/)),
    name: Schema.optionalKey(Schema.Unknown),
    picture: Schema.optionalKey(Schema.Unknown)
  })
)
const readRoles = readResponse(Schema.Struct({ elements: Schema.Array(Schema.Unknown) }))
const decodeRole = Schema.decodeUnknownOption(Schema.Struct({ organization: PageUrn, role: Schema.String }))
const readPage = readResponse(
  Schema.Struct({
    localizedName: Schema.optionalKey(Schema.Unknown),
    vanityName: Schema.optionalKey(Schema.Unknown)
  })
)
const postingRoles = new Set(["ADMINISTRATOR", "CONTENT_ADMIN", "CONTENT_ADMINISTRATOR"])

/** Each needs a request for its name. Somebody with more pages can ask LinkedIn for fewer roles. */
const maxPages = 50

const linkedinCall = Effect.map(HttpClient.HttpClient, (client) => makeCall(client, "LinkedIn"))

const refusedTokens = (response: PlatformResponse, variables: string): PlatformError => {
  const error = Option.getOrUndefined(readTokenError(response))
  const detail = platformDetail(error?.error_description ?? error?.error ?? `status ${response.status}`)
  if (error === undefined)
    return new Unavailable({ message: `LinkedIn did not give access to this account (${detail})` })
  return error.error.includes("client")
    ? new Unavailable({ message: `LinkedIn does not accept this application (${detail}); check ${variables}` })
    : new NeedsReauthorization({ message: `LinkedIn did not accept the consent (${detail}); begin again` })
}

const nameOf = (consent: string | undefined): ApplicationName => (consent === "pages" ? "pages" : "profile")

const unreadable = (response: PlatformResponse) =>
  failAt(
    (now): PlatformError =>
      refusedAccess(response, now) ??
      new Unavailable({ message: `LinkedIn did not say whose account this is: ${detailOf(response)}` })
  )

export const makeLinkedinLink = (config: LinkedinConfig): ConsentLink => {
  const applicationOf = (name: ApplicationName): Application =>
    name === "pages" ? (config.pages ?? { clientId: "", clientSecret: "" }) : config.profile

  const requestTokens = Effect.fnUntraced(function* (
    call: Call,
    name: ApplicationName,
    { code, redirectUri }: { readonly code: string; readonly redirectUri: string }
  ) {
    const { clientId, clientSecret } = applicationOf(name)
    const request = HttpClientRequest.post(`${config.oauthUrl}/oauth/v2/accessToken`, { acceptJson: true }).pipe(
      HttpClientRequest.bodyUrlParams({
        grant_type: "authorization_code",
        code,
        redirect_uri: redirectUri,
        client_id: clientId,
        client_secret: clientSecret
      })
    )
    const response = yield* call(request).pipe(orUnavailable)
    const tokens = response.status === 200 ? readTokens(response) : Option.none()
    const prefix = name === "pages" ? "LINKEDIN_PAGES" : "LINKEDIN"
    if (Option.isNone(tokens)) {
      return yield* refusedTokens(response, `${prefix}_CLIENT_ID and ${prefix}_CLIENT_SECRET`)
    }
    const { access_token, expires_in, scope } = tokens.value
    const grantedAt = yield* DateTime.now
    return {
      credentials: encodeAccess({
        accessToken: access_token,
        grantedAt,
        scope: isScope(scope) ? scope.replaceAll(",", " ") : scopes[name]
      }),
      ...(isLifetime(expires_in) ? { accessUntil: DateTime.add(grantedAt, { seconds: expires_in }) } : {})
    }
  })

  const read = Effect.fnUntraced(function* (
    path: string,
    credentials: Redacted.Redacted,
    urlParams: Readonly<Record<string, string>> = {}
  ) {
    const call = yield* linkedinCall
    const { accessToken } = yield* decodeAccess(credentials)
    const request = HttpClientRequest.get(`${config.apiUrl}${path}`, { acceptJson: true, urlParams }).pipe(
      HttpClientRequest.bearerToken(accessToken),
      HttpClientRequest.setHeaders({ "linkedin-version": config.version, "x-restli-protocol-version": "2.0.0" })
    )
    // Right after the consent, LinkedIn may not know the token yet.
    return yield* call(request).pipe(
      orUnavailable,
      Effect.repeat({ while: isRevoked, times: 3, schedule: Schedule.spaced("1 second") })
    )
  })

  const fetchMember = Effect.fn("Linkedin.fetchMember")(function* (credentials: Redacted.Redacted) {
    const response = yield* read("/v2/userinfo", credentials)
    const user = response.status === 200 ? readUser(response) : Option.none()
    if (Option.isNone(user)) return yield* unreadable(response)
    const { name, picture, sub } = user.value
    const shown = displayName(name)
    return {
      accountId: `urn:li:person:${sub}`,
      username: shown ?? sub,
      displayName: shown,
      avatarUrl: webAddress(picture)
    }
  })

  const fetchPage = Effect.fn("Linkedin.fetchPage")(function* (urn: string, credentials: Redacted.Redacted) {
    const response = yield* read(`/rest/organizations/${urn.split(":").at(-1) ?? ""}`, credentials)
    const page = response.status === 200 ? readPage(response) : Option.none()
    if (Option.isNone(page)) return yield* unreadable(response)
    const { localizedName, vanityName } = page.value
    const shown = displayName(localizedName)
    return { accountId: urn, username: displayName(vanityName) ?? shown ?? urn, displayName: shown, avatarUrl: null }
  })

  const fetchPages = Effect.fn("Linkedin.fetchPages")(function* (credentials: Redacted.Redacted) {
    const roles = { q: "roleAssignee", state: "APPROVED", count: "100" }
    const response = yield* read("/rest/organizationAcls", credentials, roles)
    const listed = response.status === 200 ? readRoles(response) : Option.none()
    if (Option.isNone(listed)) return yield* unreadable(response)
    const urns = listed.value.elements.flatMap((element) =>
      Option.toArray(decodeRole(element)).flatMap(({ organization, role }) =>
        postingRoles.has(role) ? [organization] : []
      )
    )
    const pages = Array.from(new Set(urns)).slice(0, maxPages)
    if (pages.length === 0) {
      return yield* new Rejected({
        message: "This person is an administrator of no LinkedIn page. Ask one for the role, or connect the profile"
      })
    }
    return yield* Effect.forEach(pages, (urn) => fetchPage(urn, credentials), { concurrency: 5 })
  })

  const finish: ConsentLink["finish"] = Effect.fn("Linkedin.finishLink")(function* ({ consent, ...grant }) {
    const name = nameOf(consent)
    const access = yield* requestTokens(yield* linkedinCall, name, grant)
    const found = yield* name === "pages"
      ? fetchPages(access.credentials)
      : Effect.map(fetchMember(access.credentials), (member) => [member])
    const accounts = found.map((profile): ConnectedAccount => ({ ...profile, serviceUrl: null, ...access }))
    const further =
      name === "profile" && config.pages !== null ? { consent: "pages", label: "A page that you manage" } : undefined
    return { accounts, further } satisfies AccountOffer
  })

  return {
    kind: "consent",
    hasApplication: config.profile.clientId !== "",
    authorizeUrl: ({ consent, redirectUri, state }) => {
      const name = nameOf(consent)
      const query = new URLSearchParams({
        response_type: "code",
        client_id: applicationOf(name).clientId,
        redirect_uri: redirectUri,
        scope: scopes[name],
        state
      })
      return `${config.webUrl}/oauth/v2/authorization?${query.toString()}`
    },
    finish,
    profile: ({ accountId, credentials }) =>
      Effect.map(
        isPageUrn(accountId) ? fetchPage(accountId, credentials) : fetchMember(credentials),
        ({ accountId: _, ...profile }) => profile
      ),
    // LinkedIn has no way to take access back. People can, in its settings under Data privacy, Permitted services.
    revoke: () => Effect.void
  }
}
