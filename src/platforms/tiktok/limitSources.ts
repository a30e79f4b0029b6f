import type { LimitSource } from "../Platform.ts"
import type * as limits from "./limits.ts"

const checked = "2026-11-28"
const directPost = { source: "developers.tiktok.com, Content Posting API, Direct post", checked }
const transfer = { source: "developers.tiktok.com, Content Posting API, Media transfer guide", checked }

/** Apart from the limits, because browsers load those. */
export const limitSources: Readonly<Record<keyof typeof limits, LimitSource>> = {
  text: directPost,
  videoBytes: transfer,
  shortestSide: transfer,
  longestSide: transfer,
  slowestFrames: transfer,
  fastestFrames: transfer,
  longestVideo: { source: "developers.tiktok.com, Content Posting API, Query creator info", checked },
  chunkBytes: transfer,
  chunks: transfer,
  uploadMinutes: directPost,
  beginningsPerMinute: directPost,
  statesPerMinute: { source: "developers.tiktok.com, Content Posting API, Get post status", checked },
  creatorsPerMinute: { source: "developers.tiktok.com, Content Posting API, Query creator info", checked },
  postsPerDay: { source: "developers.tiktok.com, Content sharing guidelines", checked },
  refreshDays: { source: "developers.tiktok.com, User access token management (November 2026)", checked }
}
