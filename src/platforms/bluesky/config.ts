import { Config } from "effect"
import { replaceableUrl } from "../../domain/httpUrl.ts"
import { bluesky } from "./facts.ts"
import { shortLinks } from "./rules/quoteLink.ts"

/** The addresses have no trailing slashes. */
export interface BlueskyConfig {
  /** https://bsky.social, or the sandbox. */
  readonly defaultServiceUrl: string
  /** The site that shows posts: https://bsky.app, or the sandbox's page. */
  readonly webUrl: string
  /** https://video.bsky.app processes videos; without it a PDS gets them unchanged. */
  readonly videoUrl?: string
  /** https://public.api.bsky.app shows records to everybody; without it links have the cards of their pages. */
  readonly appViewUrl?: string
  /** https://go.bsky.app resolves short links; without it short links have the cards of their pages. */
  readonly shortLinkUrl?: string
}

export const blueskyConfig: Config.Config<BlueskyConfig> = Config.all({
  defaultServiceUrl: replaceableUrl("BLUESKY_SERVICE_URL", "https://bsky.social"),
  videoUrl: replaceableUrl("BLUESKY_VIDEO_URL", "https://video.bsky.app"),
  appViewUrl: replaceableUrl("BLUESKY_APPVIEW_URL", "https://public.api.bsky.app"),
  shortLinkUrl: Config.succeed(shortLinks),
  webUrl: Config.succeed(bluesky.site)
})
