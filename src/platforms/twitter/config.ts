import { Config, type Redacted } from "effect"
import { replaceableUrl } from "../../domain/httpUrl.ts"
import { twitter, type TwitterAccess } from "./facts.ts"

/** The addresses of X, and the X application that posts are sent with. No address ends in a slash. */
export interface TwitterConfig {
  /** https://api.x.com, or the sandbox's. */
  readonly apiUrl: string
  /** The site where people see posts and grant access: https://x.com, or the sandbox's page. */
  readonly webUrl: string
  /** Empty if the operator has set none. */
  readonly clientId: string
  /** Null for a public client. */
  readonly clientSecret: Redacted.Redacted | null
}

export const twitterConfig: Config.Config<TwitterConfig> = Config.all({
  clientId: Config.NonEmptyString("TWITTER_CLIENT_ID").pipe(Config.withDefault("")),
  clientSecret: Config.Redacted("TWITTER_CLIENT_SECRET").pipe(Config.withDefault(null)),
  apiUrl: replaceableUrl("TWITTER_API_URL", "https://api.x.com"),
  webUrl: Config.succeed(twitter.site)
})

export const twitterAccess: Config.Config<TwitterAccess> = Config.Literals(
  ["self-serve", "enterprise"],
  "TWITTER_ACCESS"
).pipe(Config.withDefault("self-serve" as const))
