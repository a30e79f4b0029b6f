import type { FileRule, MediaRules } from "../../../domain/media/mediaRules.ts"
import { facebook as facts } from "../facts.ts"
import * as limits from "../limits.ts"

const anyVideo = {
  contentTypes: ["video/mp4", "video/quicktime"],
  maxSize: limits.videoBytes,
  videoCodecs: ["h264", "avc", "hevc"],
  audioCodecs: ["aac"]
} satisfies FileRule

/** An upright video becomes a reel, and every other one a video of the Page. */
export const media: MediaRules = {
  maxAlt: facts.maxAlt,
  altUnit: facts.altUnit,
  image: { contentTypes: ["image/jpeg", "image/png"], maxSize: limits.imageBytes },
  gif: "shows no moving GIFs that are uploaded; send a video (MP4) or a still image instead",
  video: {
    ...anyVideo,
    minDuration: limits.shortestVideo,
    maxDuration: limits.longestVideo,
    maxRatio: limits.videoRatio
  },
  uprightVideo: {
    ...anyVideo,
    minDuration: limits.shortestReel,
    maxDuration: limits.longestReel,
    minFrameRate: limits.slowestReelFrames,
    maxFrameRate: limits.reelFrameRate,
    upright: { width: limits.reelWidth, height: limits.reelHeight }
  }
}
