import { Config, type Effect } from "effect"
import { replaceableUrl } from "../../domain/httpUrl.ts"
import { youtube } from "./facts.ts"

/** Addresses have no trailing slashes. */
export const youtubeConfig = Config.all({
  clientId: Config.NonEmptyString("YOUTUBE_CLIENT_ID").pipe(Config.withDefault("")),
  clientSecret: Config.Redacted("YOUTUBE_CLIENT_SECRET").pipe(Config.withDefault(null)),
  apiUrl: replaceableUrl("YOUTUBE_API_URL", "https://www.googleapis.com"),
  /** The address of Google's tokens. */
  oauthUrl: replaceableUrl("YOUTUBE_OAUTH_URL", "https://oauth2.googleapis.com"),
  /** The page on which people grant access. */
  authorizeUrl: replaceableUrl("YOUTUBE_AUTHORIZE_URL", "https://accounts.google.com/o/oauth2/v2/auth"),
  /** The site with the videos. */
  webUrl: Config.succeed(youtube.site)
})
export type YoutubeConfig = Effect.Success<typeof youtubeConfig>
