import { Effect, Option, Schema } from "effect"
import { readResponse } from "../call.ts"
import type { ConsentLink } from "../Link.ts"
import { makeMetaLink } from "../meta/link.ts"
import { MetaId, MetaUsername } from "../meta/syntax.ts"
import type { ThreadsConfig } from "./config.ts"
import { threadsDialect } from "./dialect.ts"
import { missingScopes, missingToPublish, requestedScopes } from "./scopes.ts"
import { tokens } from "./tokens.ts"

const readMe = readResponse(
  Schema.Struct({
    id: MetaId,
    username: MetaUsername,
    name: Schema.optionalKey(Schema.Unknown),
    threads_profile_picture_url: Schema.optionalKey(Schema.Unknown)
  })
)

export const makeThreadsLink = (config: ThreadsConfig): ConsentLink =>
  makeMetaLink({
    dialect: threadsDialect(config),
    authorizeUrl: config.authorizeUrl,
    scopes: requestedScopes,
    config: { ...config, codeUrl: `${config.apiUrl}/oauth/access_token` },
    tokens,
    missing: (call, credentials) => Effect.map(missingScopes(config, call, credentials), missingToPublish),
    ownerFields: "id,username,name,threads_profile_picture_url",
    ownerIn: (response) =>
      Option.map(readMe(response), ({ id, threads_profile_picture_url: picture, ...me }) => ({
        accountId: id,
        picture,
        ...me
      }))
  })
