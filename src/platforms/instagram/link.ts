import { Option, Schema } from "effect"
import { readResponse } from "../call.ts"
import type { ConsentLink } from "../Link.ts"
import { makeMetaLink } from "../meta/link.ts"
import { MetaId, MetaUsername } from "../meta/syntax.ts"
import type { InstagramConfig } from "./config.ts"
import { instagramDialect } from "./dialect.ts"
import { requestedScopes, tokens } from "./tokens.ts"

/** `user_id` names the account in paths. `id` is the application's own name for it. */
const readMe = readResponse(
  Schema.Struct({
    user_id: MetaId,
    username: MetaUsername,
    name: Schema.optionalKey(Schema.Unknown),
    profile_picture_url: Schema.optionalKey(Schema.Unknown)
  })
)

/** Instagram Login. It needs no page of Facebook. */
export const makeInstagramLink = (config: InstagramConfig): ConsentLink =>
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
