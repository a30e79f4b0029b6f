import type { MediaRules } from "../../../domain/media/mediaRules.ts"
import { instagram as facts } from "../facts.ts"
import * as limits from "../limits.ts"

/** The rules for each file, whatever the post is. `post.ts` has those that depend on the kind of post. */
export const media: MediaRules = {
  maxAlt: facts.maxAlt,
  altUnit: facts.altUnit,
  maxFiles: limits.files,
  image: { contentTypes: ["image/jpeg"], maxSize: limits.imageBytes },
  gif: "shows no GIFs; send a video (MP4) or a still image instead",
  video: {
    contentTypes: ["video/mp4", "video/quicktime"],
    maxSize: limits.videoBytes,
    minDuration: limits.shortestVideo,
    maxDuration: limits.longestVideo,
    minFrameRate: limits.slowestFrames,
    maxFrameRate: limits.fastestFrames,
    maxWidth: limits.videoWidth,
    videoCodecs: ["h264", "avc", "hevc"],
    audioCodecs: ["aac"]
  }
}
