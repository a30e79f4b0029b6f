import type { LimitSource } from "../Platform.ts"
import type * as limits from "./limits.ts"

const checked = "2026-11-28"
const videos = { source: "developers.google.com, YouTube Data API, Videos", checked }
const own = (reason: string) => ({ source: `our own bound: ${reason}`, checked: "2026-11-29" })

/** Apart from the limits, because browsers load those. */
export const limitSources: Readonly<Record<keyof typeof limits, LimitSource>> = {
  text: videos,
  title: { ...videos, source: `${videos.source}: 100 characters, without their unit` },
  tags: videos,
  alt: own("YouTube takes no alternative text, and a text for other platforms must not be refused"),
  thumbnailBytes: own("YouTube takes 50 MB since 14 September 2026"),
  thumbnailSide: own("the size that YouTube recommends"),
  videoBytes: own("files of this service are no larger; YouTube takes 256 GB"),
  longestVideo: { source: "support.google.com, Upload videos longer than 15 minutes", checked },
  longestUnverified: { source: "support.google.com, Upload videos longer than 15 minutes", checked },
  chunkBytes: { source: "developers.google.com, YouTube Data API, Resumable uploads", checked },
  uploadsPerDay: { source: "developers.google.com, YouTube Data API, Quota costs (1 June 2026)", checked }
}
