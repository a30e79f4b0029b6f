import { Config } from "effect"
import { replaceableUrl } from "../../domain/httpUrl.ts"
import { bluesky } from "./facts.ts"

/** Bluesky's addresses, without trailing slashes. */
export interface BlueskyConfig {
  /** The default PDS: https://bsky.social, or the sandbox's. */
  readonly defaultServiceUrl: string
  /** The site that shows posts: https://bsky.app, or the sandbox's page. */
  readonly webUrl: string
  /** The service that processes videos, https://video.bsky.app; without one a PDS gets them unchanged. */
  readonly videoUrl?: string
}

export const blueskyConfig: Config.Config<BlueskyConfig> = Config.all({
  defaultServiceUrl: replaceableUrl("BLUESKY_SERVICE_URL", "https://bsky.social"),
  videoUrl: replaceableUrl("BLUESKY_VIDEO_URL", "https://video.bsky.app"),
  webUrl: Config.succeed(bluesky.site)
})
