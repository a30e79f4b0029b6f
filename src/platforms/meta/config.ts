import { Config, type Effect } from "effect"
import { replaceableUrl } from "../../domain/httpUrl.ts"
import { GraphVersion } from "./syntax.ts"

/**
 * The operator's Meta application with Facebook Login. It gives access to Pages and to their Instagram accounts.
 * Addresses have no trailing slashes.
 */
export const metaApplication = Config.all({
  clientId: Config.NonEmptyString("FACEBOOK_CLIENT_ID").pipe(Config.withDefault("")),
  clientSecret: Config.Redacted("FACEBOOK_CLIENT_SECRET").pipe(Config.withDefault(null)),
  version: Config.schema(GraphVersion, "FACEBOOK_VERSION").pipe(Config.withDefault("v26.0")),
  apiUrl: replaceableUrl("FACEBOOK_API_URL", "https://graph.facebook.com"),
  /** The only address, besides the API's, that gets a token. */
  uploadUrl: replaceableUrl("FACEBOOK_UPLOAD_URL", "https://rupload.facebook.com"),
  /** The site with the page on which people grant access. */
  consentUrl: Config.succeed("https://www.facebook.com")
})
export type MetaApplication = Effect.Success<typeof metaApplication>
