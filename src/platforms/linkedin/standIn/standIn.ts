import { DateTime, Duration } from "effect"
import { html } from "../../../domain/html.ts"
import { markEntities } from "../../../sandbox/pages/entities.ts"
import type { StandIn } from "../../../sandbox/StandIn.ts"
import type { SandboxAccount } from "../../../sandbox/state/entry.ts"
import { encodeAccess } from "../credentials.ts"
import * as limits from "../limits.ts"
import { scopes } from "../link.ts"
import { isPageUrn } from "../syntax.ts"
import { memberOf, pagesOf } from "./accounts.ts"
import { linkedinPosts } from "./posts.ts"
import { linkedinErrorFormat } from "./responses.ts"
import { linkedinTokenEndpoint, sandboxApplications } from "./tokenEndpoint.ts"
import { makeUploads } from "./uploads.ts"

const accessLifetime = Duration.toMillis(Duration.days(limits.accessDays))

/** A person's token posts for the person, a page's for all pages that its person manages. */
const mayPostAs = (account: SandboxAccount, author: string): boolean =>
  account.id === author || (isPageUrn(account.id) && pagesOf(account).some(({ id }) => id === author))

export const linkedinStandIn: StandIn = {
  platform: "linkedin",
  account: memberOf,
  credentials: ({ access, accountId, at }) =>
    encodeAccess({
      accessToken: access,
      grantedAt: DateTime.makeUnsafe(at),
      scope: isPageUrn(accountId) ? scopes.pages : scopes.profile
    }),
  renewal: { accessLifetime, lifetime: accessLifetime, reusableFor: null },
  errorFormat: linkedinErrorFormat,
  endpoints: (memory) => {
    const uploads = makeUploads(memory, mayPostAs)
    return [...linkedinPosts(memory, uploads, mayPostAs), ...uploads.endpoints, ...linkedinTokenEndpoint(memory)]
  },
  postPath: ({ id }) => `/feed/update/${id}`,
  identity: ({ id }) => id,
  text: ({ text }) => markEntities(text),
  consent: {
    path: "/oauth/v2/authorization",
    clientId: sandboxApplications.profile.clientId,
    otherClientId: sandboxApplications.pages.clientId,
    usesPkce: false,
    allows: html`It could post text, images and videos from the account.`
  },
  hint: html`LinkedIn asks for no password: the page for its consent has a button.`,
  dot: { light: "#0a66c2", dark: "#70b5f9" },
  example: ({ at, number }) => ({ id: `urn:li:share:${(BigInt(at) << 22n) | BigInt(number)}` })
}
