import { Effect, Option, Schema, Struct } from "effect"
import type { ConsentLink } from "../Link.ts"
import { readFrom } from "../meta/api.ts"
import { facebookCall, makePageConsent, type Page, readPage, unreadablePages, withToken } from "../meta/pages.ts"
import { orUnavailable } from "../outcome.ts"
import { displayName } from "../platformText.ts"
import { webAddress } from "../syntax.ts"
import type { FacebookConfig } from "./config.ts"
import { decodeAccess, encodeAccess } from "./credentials.ts"
import { refusedIdly } from "./problem.ts"

export const requestedScopes = ["pages_show_list", "pages_read_engagement", "pages_manage_posts"]

const pageFields = "id,name,username,picture{url}"

const isUsername = Schema.is(Schema.String.check(Schema.isPattern(/^[A-Za-z0-9.]{1,64}$/)))
const isPicture = Schema.is(Schema.Struct({ data: Schema.Struct({ url: Schema.String }) }))

const profileOf = ({ id, name, picture, username }: Page) => ({
  accountId: id,
  // The Page's address has its id if the Page has chosen no name for it.
  username: isUsername(username) ? username : id,
  displayName: displayName(name),
  avatarUrl: isPicture(picture) ? webAddress(picture.data.url) : null
})

const pages = { accounts: "Facebook Pages", refusedIdly }

export const makeFacebookLink = (config: FacebookConfig): ConsentLink => ({
  ...makePageConsent({
    ...pages,
    application: config,
    scopes: requestedScopes,
    fields: pageFields,
    accountOf: (page, access) => ({ ...profileOf(page), serviceUrl: null, credentials: encodeAccess(access) }),
    nothing:
      "Facebook gave access to no Page on which this person may create content. Choose a Page on Facebook's page, or ask its administrator for the task"
  }),
  profile: Effect.fn("Facebook.profile")(function* ({ accountId, credentials }) {
    const call = yield* facebookCall
    const { accessToken } = yield* decodeAccess(credentials)
    const request = withToken(config, readFrom(`/${accountId}`, { fields: pageFields }), accessToken)
    const response = yield* orUnavailable(call(request))
    const page = response.status === 200 ? readPage(response) : Option.none()
    if (Option.isNone(page)) return yield* unreadablePages(pages, response)
    return Struct.omit(profileOf(page.value), ["accountId"])
  }),
  // A Page's token can't end its access, and a person's would end that of all their Pages. People can remove the
  // application in Facebook's settings, under Business integrations.
  revoke: () => Effect.void
})
