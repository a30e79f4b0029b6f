import { Duration } from "effect"
import {
  endpoint,
  type Endpoint,
  type Respond,
  type RespondTo,
  type StandInResponse
} from "../../../sandbox/endpoint.ts"
import type { StandInMemory } from "../../../sandbox/StandIn.ts"
import * as limits from "../limits.ts"
import { scopes } from "../link.ts"
import { isPageUrn } from "../syntax.ts"
import { pagesOf, urnNumber } from "./accounts.ts"
import { linkedinError, makeAuthorized, versioned } from "./responses.ts"

export const sandboxApplications = {
  profile: { clientId: "sandbox", clientSecret: "sandbox-secret" },
  pages: { clientId: "sandbox-pages", clientSecret: "sandbox-pages-secret" }
}

const oauthError = (error: string, error_description: string): StandInResponse => ({
  status: error === "invalid_client" ? 401 : 400,
  body: { error, error_description }
})

const userInfo: RespondTo = ({ displayName, id }) => ({
  status: 200,
  body: { sub: urnNumber(id), name: displayName, locale: { country: "US", language: "en" } }
})

const roles: RespondTo = (account, { query }) => {
  if (query.get("q") !== "roleAssignee") return linkedinError(400)
  const elements = pagesOf(account).map(({ id }) => ({ organization: id, role: "ADMINISTRATOR", state: "APPROVED" }))
  return { status: 200, body: { elements } }
}

const organization: RespondTo = (account, { params: { id } }) => {
  const page = pagesOf(account).find((each) => urnNumber(each.id) === id)
  return page === undefined
    ? linkedinError(404)
    : {
        status: 200,
        body: { id: Number(urnNumber(page.id)), localizedName: page.displayName, vanityName: page.username }
      }
}

const ofPages =
  (respond: RespondTo): RespondTo =>
  (account, request, state) =>
    isPageUrn(account.id) ? respond(account, request, state) : linkedinError(403)

export const linkedinTokenEndpoint = (memory: StandInMemory): ReadonlyArray<Endpoint> => {
  const { codes, platform, tokens } = memory
  const authorized = makeAuthorized(memory)

  const grant: Respond = (request, state) => {
    const form = new URLSearchParams(request.body)
    const clientId = form.get("client_id")
    const name = clientId === sandboxApplications.pages.clientId ? "pages" : "profile"
    const application = sandboxApplications[name]
    if (clientId !== application.clientId || form.get("client_secret") !== application.clientSecret) {
      return oauthError("invalid_client", "Client authentication failed")
    }
    if (form.get("grant_type") !== "authorization_code") return oauthError("invalid_request", "grant_type is missing")
    const pending = codes.take(form.get("code") ?? "", request.now)
    if (pending?.redirectUri !== form.get("redirect_uri")) {
      return oauthError("invalid_grant", "Unable to retrieve access token: authorization code not found")
    }
    const [page = pending.account] = pagesOf(pending.account)
    const account = name === "pages" ? page : pending.account
    const issued = tokens.issue(account, request)
    const isKnown = state.account(platform, account.id) !== undefined
    return {
      status: 200,
      body: {
        access_token: issued.access,
        expires_in: limits.accessDays * Duration.toSeconds("1 day"),
        scope: scopes[name].replaceAll(" ", ",")
      },
      entries: isKnown ? [issued] : [account, issued]
    }
  }

  return [
    endpoint("session", "POST", "/oauth/v2/accessToken", grant),
    endpoint("identity", "GET", "/v2/userinfo", authorized(userInfo)),
    endpoint("identity", "GET", "/rest/organizationAcls", versioned(authorized(ofPages(roles)))),
    endpoint("identity", "GET", "/rest/organizations/:id", versioned(authorized(ofPages(organization))))
  ]
}
