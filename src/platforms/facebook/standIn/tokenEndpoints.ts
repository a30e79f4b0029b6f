import type { RespondTo } from "../../../sandbox/endpoint.ts"
import type { StandInMemory } from "../../../sandbox/StandIn.ts"
import type { SandboxAccount } from "../../../sandbox/state/entry.ts"
import * as pages from "../../meta/standIn/pageTokens.ts"
import * as limits from "../limits.ts"
import { requestedScopes } from "../link.ts"
import { isPerson, pagesOf, personOf } from "./accounts.ts"
import { facebookError, respond } from "./responses.ts"

/** The only version that the stand-in serves. */
export const standInVersion = "v26.0"

export const base = `/facebook/${standInVersion}` as const

const shown = ({ displayName, id, username }: SandboxAccount) => ({ id, name: displayName, username })

const login: pages.PageLogin = {
  base,
  scopes: requestedScopes,
  userTokenDays: limits.userTokenDays,
  personOf,
  isPerson,
  pagesOf: (person) =>
    pagesOf(person).map(({ isOfBusiness, tasks, ...account }) => ({
      id: account.id,
      account,
      isOfBusiness,
      tasks,
      shown: shown(account)
    })),
  error: facebookError,
  prefix: ""
}

export const authorizedAs = (memory: Pick<StandInMemory, "platform">, scheme?: "Bearer" | "OAuth") =>
  pages.authorizedAs(memory, login, scheme)

export const facebookTokens = (memory: StandInMemory) => {
  const { endpoints, page: managed } = pages.makePageTokens(memory, login)
  /** A Page asks for itself, or a person for a Page. */
  const page: RespondTo = (account, request, state) =>
    request.params["id"] === account.id ? respond(200, shown(account)) : managed(account, request, state)
  return { endpoints, page }
}
