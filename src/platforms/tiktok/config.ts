import { Config, type Effect } from "effect"
import { replaceableUrl } from "../../domain/httpUrl.ts"
import { tiktok } from "./facts.ts"

/** The addresses of the API and the site have no trailing slashes. */
export const tiktokConfig = Config.all({
  /** TikTok's name for a client id. */
  clientKey: Config.NonEmptyString("TIKTOK_CLIENT_KEY").pipe(Config.withDefault("")),
  clientSecret: Config.Redacted("TIKTOK_CLIENT_SECRET").pipe(Config.withDefault(null)),
  apiUrl: replaceableUrl("TIKTOK_API_URL", "https://open.tiktokapis.com"),
  /** The page on which people grant access. TikTok's own address ends with a slash. */
  authorizeUrl: Config.succeed(`${tiktok.site}/v2/auth/authorize/`),
  /** The site with the posts. */
  webUrl: Config.succeed(tiktok.site)
})
export type TiktokConfig = Effect.Success<typeof tiktokConfig>
