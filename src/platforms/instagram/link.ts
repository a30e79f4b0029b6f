import { Effect, Option, Schema, Struct } from "effect"
import { readResponse } from "../call.ts"
import type { ConsentLink } from "../Link.ts"
import { readFrom } from "../meta/api.ts"
import { makeMetaLink } from "../meta/link.ts"
import { facebookCall, makePageConsent, unreadablePages, withToken } from "../meta/pages.ts"
import { makeRefusals } from "../meta/refusals.ts"
import { MetaId, MetaUsername } from "../meta/syntax.ts"
import { orUnavailable } from "../outcome.ts"
import { displayName } from "../platformText.ts"
import { webAddress } from "../syntax.ts"
import { type InstagramConfig, loginIn } from "./config.ts"
import { encodePageAccess, isOfPage, readAccess } from "./credentials.ts"
import { instagramDialect } from "./dialect.ts"
import { instagram as facts } from "./facts.ts"
import { requestedScopes, tokens } from "./tokens.ts"

const profileFields = {
  username: MetaUsername,
  name: Schema.optionalKey(Schema.Unknown),
  profile_picture_url: Schema.optionalKey(Schema.Unknown)
}

/** `user_id` names the account in paths. `id` is the application's own name for it. */
const readMe = readResponse(Schema.Struct({ user_id: MetaId, ...profileFields }))

/** Instagram Login. It needs no page of Facebook. */
const makeOwnLink = (config: InstagramConfig): ConsentLink =>
  makeMetaLink({
    dialect: instagramDialect(config),
    authorizeUrl: config.authorizeUrl,
    scopes: requestedScopes,
    config: { ...config, codeUrl: `${config.oauthUrl}/oauth/access_token` },
    tokens,
    ownerFields: "user_id,username,name,profile_picture_url",
    ownerIn: (response) =>
      Option.map(readMe(response), ({ profile_picture_url: picture, user_id, ...me }) => ({
        accountId: user_id,
        picture,
        ...me
      }))
  })

/** The scopes of Facebook Login. */
export const pageScopes = ["pages_show_list", "pages_read_engagement", "instagram_basic", "instagram_content_publish"]

/** On Facebook, `id` names the account in paths. It is the same one as `user_id` of Instagram Login. */
const Owned = Schema.Struct({ id: MetaId, ...profileFields })
type Owned = typeof Owned.Type
const decodeOwned = Schema.decodeUnknownOption(Owned)
const readOwned = readResponse(Owned)

const ownedFields = "id,username,name,profile_picture_url"

const profileOf = ({ id, name, profile_picture_url: picture, username }: Owned) => ({
  accountId: id,
  username,
  displayName: displayName(name),
  avatarUrl: webAddress(picture)
})

const { refusedIdly } = makeRefusals(facts.name)
const pages = { accounts: "Instagram accounts", refusedIdly }

/** Facebook Login. It gives access to the professional accounts of the Pages that a person ticks. */
const makePageLink = ({ meta }: InstagramConfig): ConsentLink => ({
  ...makePageConsent({
    ...pages,
    application: meta,
    scopes: pageScopes,
    fields: `id,name,instagram_business_account{${ownedFields}}`,
    accountOf: ({ instagram_business_account: owned }, access) =>
      Option.match(decodeOwned(owned), {
        onNone: () => undefined,
        onSome: (account) => ({
          ...profileOf(account),
          serviceUrl: null,
          credentials: encodePageAccess(access)
        })
      }),
    nothing:
      "Facebook gave access to no Page with an Instagram account for which this person may create content. Connect a professional account to a Page in Instagram's settings, and choose that Page on Facebook's page"
  }),
  profile: Effect.fn("Instagram.profile")(function* ({ accountId, credentials }) {
    const call = yield* facebookCall
    const { accessToken } = yield* Effect.fromResult(readAccess(credentials))
    const request = withToken(meta, readFrom(`/${accountId}`, { fields: ownedFields }), accessToken)
    const response = yield* orUnavailable(call(request))
    const owned = response.status === 200 ? readOwned(response) : Option.none()
    if (Option.isNone(owned)) return yield* unreadablePages(pages, response)
    return Struct.omit(profileOf(owned.value), ["accountId"])
  }),
  // A Page's token can't end its access, and a person's would end that of all their Pages.
  revoke: () => Effect.void
})

/** People see one way to connect an account: the one for which the operator has configured an application. */
export const makeInstagramLink = (config: InstagramConfig): ConsentLink => {
  const links = { instagram: makeOwnLink(config), facebook: makePageLink(config) }
  return {
    ...links[loginIn(config)],
    profile: (account) => links[isOfPage(account.credentials) ? "facebook" : "instagram"].profile(account)
  }
}
