import { Config, type Effect } from "effect"
import { replaceableUrl } from "../../domain/httpUrl.ts"
import { twitter, type TwitterAccess } from "./facts.ts"

/** Addresses have no trailing slashes. */
export const twitterConfig = Config.all({
  clientId: Config.NonEmptyString("TWITTER_CLIENT_ID").pipe(Config.withDefault("")),
  /** Null for a public client. */
  clientSecret: Config.Redacted("TWITTER_CLIENT_SECRET").pipe(Config.withDefault(null)),
  apiUrl: replaceableUrl("TWITTER_API_URL", "https://api.x.com"),
  /** The site with the posts and with the page that grants access. */
  webUrl: Config.succeed(twitter.site)
})
export type TwitterConfig = Effect.Success<typeof twitterConfig>

export const twitterAccess: Config.Config<TwitterAccess> = Config.Literals(
  ["self-serve", "enterprise"],
  "TWITTER_ACCESS"
).pipe(Config.withDefault("self-serve" as const))
