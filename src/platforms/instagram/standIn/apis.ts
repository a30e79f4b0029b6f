import { type Endpoint, endpoint, type RespondTo } from "../../../sandbox/endpoint.ts"
import type { StandInMemory } from "../../../sandbox/StandIn.ts"
import type { SandboxAccount } from "../../../sandbox/state/entry.ts"
import type { Containers } from "../../meta/standIn/containers.ts"
import { accountIdOf, digits } from "../../meta/standIn/ids.ts"
import { authorizedAs, makePageTokens, type PageLogin } from "../../meta/standIn/pageTokens.ts"
import { makeAuthorized, metaError, respond } from "../../meta/standIn/responses.ts"
import * as limits from "../limits.ts"
import { pageScopes } from "../link.ts"
import { type InstagramApi, instagramPosts, notVisible, standInVersion } from "./posts.ts"

/** All tokens of Facebook Login begin with this. The other API refuses them, as Instagram's own does. */
const prefix = "EAA"

export const pageToken = (access: string): string => `${prefix}${access}`

/** The path of the Graph API, in front of its version. */
export const pagesPath = "/instagram/facebook"

const person = "person-"

const ownAccount = ({ displayName, id, username }: SandboxAccount) => ({ id, username, name: displayName })

/** One Page has no account, and on another one the person may only advertise. */
const pagesOf: PageLogin["pagesOf"] = ({ id, ...account }) => {
  const own = { ...account, id: id.slice(person.length), username: account.username.replace(/\.person$/, "") }
  const all = ["MANAGE", "CREATE_CONTENT", "MODERATE"]
  return [
    { suffix: "", title: "", isOfBusiness: false, hasAccount: true, tasks: all },
    { suffix: ".shop", title: " Shop", isOfBusiness: false, hasAccount: true, tasks: all },
    { suffix: ".group", title: " Group", isOfBusiness: true, hasAccount: true, tasks: all },
    { suffix: ".news", title: " News", isOfBusiness: false, hasAccount: false, tasks: all },
    { suffix: ".ads", title: " Ads", isOfBusiness: false, hasAccount: true, tasks: ["ADVERTISE", "ANALYZE"] }
  ].map(({ hasAccount, isOfBusiness, suffix, tasks, title }) => {
    const owned: SandboxAccount = {
      ...own,
      id: suffix === "" ? own.id : accountIdOf(`${own.id}${suffix}`, "178"),
      username: `${own.username}${suffix}`,
      displayName: `${own.displayName}${title}`
    }
    const pageId = `10${digits(`page ${owned.id}`, 13)}`
    return {
      id: pageId,
      account: hasAccount ? owned : { ...owned, id: pageId },
      isOfBusiness,
      tasks,
      shown: {
        id: pageId,
        name: owned.displayName,
        ...(hasAccount ? { instagram_business_account: ownAccount(owned) } : {})
      }
    }
  })
}

const login: PageLogin = {
  base: `${pagesPath}/${standInVersion}`,
  scopes: pageScopes,
  userTokenDays: limits.accessDays,
  personOf: (account) => ({ ...account, id: `${person}${account.id}`, username: `${account.username}.person` }),
  isPerson: ({ id }) => id.startsWith(person),
  pagesOf,
  error: metaError,
  prefix
}

const me: RespondTo = ({ displayName, id, username }) =>
  respond(200, { id: `9${id}`, user_id: id, username, name: displayName, account_type: "BUSINESS" })

/** Instagram's own API, which takes the tokens of Instagram Login. */
const ownRoot = `/instagram/${standInVersion}` as const
const ownAuthorized = makeAuthorized("instagram")
const ownApi: InstagramApi = {
  root: ownRoot,
  authorized: ownAuthorized,
  other: () => notVisible,
  more: [endpoint("identity", "GET", `${ownRoot}/me`, ownAuthorized(me))]
}

/** Facebook's Graph API, which takes the tokens of Pages. */
const graphApi = (memory: StandInMemory): InstagramApi => {
  const { endpoints, page } = makePageTokens(memory, login)
  const authorized = authorizedAs(memory, login)
  return {
    root: login.base,
    authorized,
    bytes: { path: `/ig-api-upload/${standInVersion}`, authorized: authorizedAs(memory, login, "OAuth") },
    other: (account, request, state) =>
      request.params["id"] === account.id ? respond(200, ownAccount(account)) : page(account, request, state),
    more: [
      ...endpoints,
      endpoint(
        "identity",
        "GET",
        `${login.base}/me`,
        authorized(({ id }) => respond(200, { id }))
      )
    ]
  }
}

/** Neither API knows the containers of the other. */
export const instagramApis = (memory: StandInMemory, containers?: Containers): ReadonlyArray<Endpoint> => {
  return [...instagramPosts(memory, ownApi, containers), ...instagramPosts(memory, graphApi(memory))]
}
