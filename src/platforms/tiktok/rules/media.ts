import type { MediaRules } from "../../../domain/media/mediaRules.ts"
import { tiktok as facts } from "../facts.ts"
import * as limits from "../limits.ts"

export const media: MediaRules = {
  // A video has no alternative text on TikTok, so each is accepted.
  maxAlt: facts.maxAlt,
  altUnit: facts.altUnit,
  maxFiles: 1,
  image: { contentTypes: [], maxSize: facts.image.maxBytes },
  gif: "accepts no GIFs; send a video (MP4) instead",
  video: {
    contentTypes: ["video/mp4", "video/quicktime", "video/webm"],
    maxSize: limits.videoBytes,
    longestSide: limits.longestSide,
    shortestSide: { min: limits.shortestSide, max: limits.longestSide },
    minFrameRate: limits.slowestFrames,
    maxFrameRate: limits.fastestFrames,
    maxDuration: limits.longestVideo,
    videoCodecs: ["h264", "avc", "hevc", "vp8", "vp9"]
  }
}
