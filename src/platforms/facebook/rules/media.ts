import type { MediaRules } from "../../../domain/media/mediaRules.ts"
import { facebook as facts } from "../facts.ts"

const { limits } = facts

/** A video is a reel. Facebook keeps an upright video that is posted in another way as a draft. */
export const media: MediaRules = {
  maxAlt: facts.maxAlt,
  altUnit: facts.altUnit,
  image: { contentTypes: ["image/jpeg", "image/png"], maxSize: limits.imageBytes },
  gif: "shows no moving GIFs that are uploaded; send a video (MP4) or a still image instead",
  video: {
    contentTypes: ["video/mp4", "video/quicktime"],
    maxSize: limits.videoBytes,
    minDuration: limits.shortestReel,
    maxDuration: limits.longestReel,
    maxFrameRate: limits.reelFrameRate,
    upright: { width: limits.reelWidth, height: limits.reelHeight },
    videoCodecs: ["h264", "avc", "hevc"],
    audioCodecs: ["aac"]
  }
}
