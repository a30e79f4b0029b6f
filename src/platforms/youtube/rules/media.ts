import type { MediaRules } from "../../../domain/media/mediaRules.ts"
import { youtube as facts } from "../facts.ts"
import * as limits from "../limits.ts"

export const media: MediaRules = {
  maxAlt: facts.maxAlt,
  altUnit: facts.altUnit,
  maxFiles: 1,
  image: { contentTypes: [], maxSize: limits.thumbnailBytes },
  gif: "shows no GIFs; send a video (MP4)",
  video: {
    contentTypes: ["video/mp4", "video/quicktime", "video/webm"],
    maxSize: limits.videoBytes,
    maxDuration: limits.longestVideo,
    doubts: { duration: limits.longestUnverified }
  }
}
