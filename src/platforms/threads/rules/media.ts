import type { MediaRules } from "../../../domain/media/mediaRules.ts"
import { maxVideoBytes } from "../../../domain/plain/limits.ts"
import { threads as facts } from "../facts.ts"
import * as limits from "../limits.ts"

export const media: MediaRules = {
  maxAlt: facts.maxAlt,
  altUnit: facts.altUnit,
  image: {
    contentTypes: ["image/jpeg", "image/png"],
    maxSize: facts.image.maxBytes,
    maxRatio: limits.imageRatio
  },
  gif: "shows no GIFs that are uploaded; send a video (MP4) or a still image instead",
  video: {
    contentTypes: ["video/mp4", "video/quicktime"],
    maxSize: Math.min(limits.videoBytes, maxVideoBytes),
    maxDuration: limits.longestVideo,
    minFrameRate: limits.slowestFrames,
    maxFrameRate: limits.videoFrameRate,
    maxWidth: limits.videoWidth,
    videoCodecs: ["h264", "avc", "hevc"],
    audioCodecs: ["aac"]
  }
}
