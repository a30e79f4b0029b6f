import type { MediaRules } from "../../../domain/media/mediaRules.ts"
import { linkedin as facts } from "../facts.ts"
import * as limits from "../limits.ts"

export const media: MediaRules = {
  maxAlt: facts.maxAlt,
  altUnit: facts.altUnit,
  image: { contentTypes: ["image/jpeg", "image/png"], maxSize: limits.imageBytes },
  gif: {
    contentTypes: ["image/gif"],
    maxSize: limits.imageBytes,
    longestSide: limits.imageSide,
    shortestSide: { min: 1, max: limits.imageSide },
    maxFrames: limits.gifFrames
  },
  video: {
    contentTypes: ["video/mp4"],
    minSize: limits.smallestVideoBytes,
    maxSize: limits.videoBytes,
    minDuration: limits.shortestVideo,
    maxDuration: limits.longestVideo
  }
}
