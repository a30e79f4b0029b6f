import { Config, type Effect } from "effect"
import { replaceableUrl } from "../../domain/httpUrl.ts"
import { GraphVersion } from "../meta/syntax.ts"
import { facebook } from "./facts.ts"

/** Addresses have no trailing slashes. */
export const facebookConfig = Config.all({
  clientId: Config.NonEmptyString("FACEBOOK_CLIENT_ID").pipe(Config.withDefault("")),
  clientSecret: Config.Redacted("FACEBOOK_CLIENT_SECRET").pipe(Config.withDefault(null)),
  version: Config.schema(GraphVersion, "FACEBOOK_VERSION").pipe(Config.withDefault("v26.0")),
  apiUrl: replaceableUrl("FACEBOOK_API_URL", "https://graph.facebook.com"),
  /** The only address, besides the API's, that gets a token. */
  uploadUrl: replaceableUrl("FACEBOOK_UPLOAD_URL", "https://rupload.facebook.com"),
  /** The site with the posts and with the page on which people grant access. */
  webUrl: Config.succeed(facebook.site)
})
export type FacebookConfig = Effect.Success<typeof facebookConfig>
