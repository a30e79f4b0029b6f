import type { LimitSource } from "../Platform.ts"
import type * as limits from "./limits.ts"

const checked = "2026-11-28"
const reels = { source: "developers.facebook.com, Video API, Reels publishing (30 July 2026)", checked }
const videos = { source: "developers.facebook.com, Graph API, Video uploads", checked: "2026-11-29" }
const own = (reason: string) => ({ source: `our own bound: ${reason}`, checked: "2026-11-29" })

/** Apart from the limits, because browsers load those. */
export const limitSources: Readonly<Record<keyof typeof limits, LimitSource>> = {
  text: { source: "reported: the longest text that Facebook takes; no page of Meta names it today", checked },
  alt: own("Meta names no limit for alt_text_custom; Threads and Instagram take 1,000"),
  imageBytes: {
    source: "reported: error 1366046 asks for photos smaller than 4 MB; pages of Meta name up to 10",
    checked
  },
  imageSide: own("Facebook shows no photo wider"),
  videoBytes: own("files of this service are no larger; Meta names 10 GB, and 2 GB in its error 1363023"),
  shortestReel: reels,
  longestReel: reels,
  reelWidth: reels,
  reelHeight: reels,
  reelFrameRate: reels,
  slowestReelFrames: reels,
  shortestVideo: own("Meta names no shortest video"),
  longestVideo: videos,
  videoRatio: {
    ...videos,
    source: `${videos.source}: 9:16 to 16:9. Common sizes such as 854x480 are a little wider`
  },
  userTokenDays: { source: "developers.facebook.com, Facebook Login, Long-lived tokens", checked }
}
