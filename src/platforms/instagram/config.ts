import { Config, type Effect } from "effect"
import { replaceableUrl } from "../../domain/httpUrl.ts"
import { GraphVersion } from "../meta/syntax.ts"
import { instagram } from "./facts.ts"

/** Addresses have no trailing slashes. */
export const instagramConfig = Config.all({
  /** The id and the secret of the Instagram app, which are not those of the Meta app. */
  clientId: Config.NonEmptyString("INSTAGRAM_CLIENT_ID").pipe(Config.withDefault("")),
  clientSecret: Config.Redacted("INSTAGRAM_CLIENT_SECRET").pipe(Config.withDefault(null)),
  version: Config.schema(GraphVersion, "INSTAGRAM_VERSION").pipe(Config.withDefault("v26.0")),
  apiUrl: replaceableUrl("INSTAGRAM_API_URL", "https://graph.instagram.com"),
  /** The address that takes the codes of consent. */
  oauthUrl: replaceableUrl("INSTAGRAM_OAUTH_URL", "https://api.instagram.com"),
  /** The page on which people grant access. */
  authorizeUrl: replaceableUrl("INSTAGRAM_AUTHORIZE_URL", "https://www.instagram.com/oauth/authorize"),
  /** The site with the posts. */
  webUrl: Config.succeed(instagram.site)
})
export type InstagramConfig = Effect.Success<typeof instagramConfig>
