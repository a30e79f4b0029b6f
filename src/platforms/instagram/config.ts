import { Config, type Effect, Schema } from "effect"
import { replaceableUrl } from "../../domain/httpUrl.ts"
import { instagram } from "./facts.ts"

const Version = Schema.String.check(
  Schema.isPattern(/^v\d{2,3}\.\d$/, { expected: "a version of Meta's Graph API, such as v26.0" })
)

/** Addresses have no trailing slashes. */
export const instagramConfig = Config.all({
  /** The id and the secret of the Instagram app, which are not those of the Meta app. */
  clientId: Config.NonEmptyString("INSTAGRAM_CLIENT_ID").pipe(Config.withDefault("")),
  clientSecret: Config.Redacted("INSTAGRAM_CLIENT_SECRET").pipe(Config.withDefault(null)),
  version: Config.schema(Version, "INSTAGRAM_VERSION").pipe(Config.withDefault("v26.0")),
  apiUrl: replaceableUrl("INSTAGRAM_API_URL", "https://graph.instagram.com"),
  /** The address that takes the codes of consent. */
  oauthUrl: replaceableUrl("INSTAGRAM_OAUTH_URL", "https://api.instagram.com"),
  /** The page on which people grant access. */
  authorizeUrl: replaceableUrl("INSTAGRAM_AUTHORIZE_URL", "https://www.instagram.com/oauth/authorize"),
  /** The site with the posts. */
  webUrl: Config.succeed(instagram.site)
})
export type InstagramConfig = Effect.Success<typeof instagramConfig>
