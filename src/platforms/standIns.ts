import type { LivePlatform } from "../domain/platform.ts"
import type { StandIn } from "../sandbox/StandIn.ts"
import { blueskyStandIn } from "./bluesky/standIn/standIn.ts"
import type { PlatformsConfig } from "./config.ts"
import { twitterStandIn } from "./twitter/standIn/standIn.ts"

/** The stand-ins of all live platforms. */
export const standIns: { readonly [P in LivePlatform]: StandIn<P> } = {
  bluesky: blueskyStandIn,
  twitter: twitterStandIn
}

/** The configuration of platforms that are a sandbox at `url`, with its pages under `baseUrl`. */
export const platformsAt = (url: string, baseUrl: string): PlatformsConfig => ({
  bluesky: blueskyStandIn.config(url, `${baseUrl}/sandbox/bluesky`),
  twitter: twitterStandIn.config(url, `${baseUrl}/sandbox/twitter`)
})
