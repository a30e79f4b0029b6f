import { DateTime, Duration } from "effect"
import { html } from "../../../domain/html.ts"
import { markEntities } from "../../../sandbox/pages/entities.ts"
import type { ConsentPage, StandIn, StandInMemory } from "../../../sandbox/StandIn.ts"
import { handleOf } from "../../../sandbox/state/names.ts"
import { accountIdOf, keyOf, mediaIdOf } from "../../meta/standIn/ids.ts"
import { metaErrorFormat } from "../../meta/standIn/responses.ts"
import { makeTokenEndpoints, sandboxApplication } from "../../meta/standIn/tokenEndpoints.ts"
import * as limits from "../limits.ts"
import { encodePageAccess } from "../credentials.ts"
import { pageScopes } from "../link.ts"
import { requestedScopes, tokens } from "../tokens.ts"
import { instagramApis, pageToken } from "./apis.ts"
import { standInVersion } from "./posts.ts"

const { accessDays, renewalHours } = limits
const accessLifetime = Duration.toMillis(Duration.days(accessDays))

const endpointTokens = {
  root: "/instagram",
  grants: { exchange: "ig_exchange_token", renewal: "ig_refresh_token" },
  renewalHours,
  accessDays,
  shortAnswer: (short: object) => ({ data: [{ ...short, permissions: requestedScopes.join(",") }] })
} as const

export const instagramTokens = (memory: StandInMemory) => makeTokenEndpoints(memory, endpointTokens)

/** The page of Facebook Login. */
const pageConsent: ConsentPage = {
  path: `/${standInVersion}/dialog/oauth`,
  clientId: sandboxApplication.clientId,
  usesPkce: false,
  allows: html`It could read the profiles of the Instagram accounts of this person's Pages, and publish posts there.`
}

export const instagramStandIn: StandIn = {
  platform: "instagram",
  account: (seed) => ({ id: accountIdOf(seed, "178"), username: handleOf(seed) }),
  credentials: ({ access, at }) => tokens.encodeTokens({ accessToken: access, obtainedAt: DateTime.makeUnsafe(at) }),
  renewal: { accessLifetime, lifetime: accessLifetime, reusableFor: Duration.toMillis(Duration.days(365)) },
  errorFormat: metaErrorFormat,
  endpoints: (memory) => [...instagramApis(memory), ...instagramTokens(memory)],
  postPath: ({ id }) => `/p/${id}`,
  identity: ({ id }) => mediaIdOf(id),
  text: ({ text }) => markEntities(text),
  replyNotes: { STORY: "A story, shown for a day", REELS: "A reel" },
  consent: {
    path: "/oauth/authorize",
    clientId: sandboxApplication.clientId,
    allows: html`It could read the account's profile and posts, and publish posts.`
  },
  otherConsent: pageConsent,
  hint: html`Instagram asks for no password: the page for its consent has a button.`,
  example: ({ number }) => ({ id: keyOf(`example ${number}`) })
}

/** Its accounts were connected through Facebook Login. */
export const instagramPageStandIn: StandIn = {
  ...instagramStandIn,
  credentials: ({ access }) => encodePageAccess({ accessToken: pageToken(access), scopes: pageScopes }),
  consent: pageConsent
}
