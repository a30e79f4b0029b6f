import { type MediaRules, stillImages } from "../../../domain/media/mediaRules.ts"
import { maxVideoBytes } from "../../../domain/plain/limits.ts"
import { twitter as facts } from "../facts.ts"
import * as limits from "../limits.ts"

/** By docs.x.com "Media best practices". X decides about sizes between its documented ones and these. */
export const media: MediaRules = {
  maxAlt: facts.maxAlt,
  altUnit: facts.altUnit,
  image: { contentTypes: stillImages, maxSize: facts.image.maxBytes },
  gif: {
    contentTypes: ["image/gif"],
    maxSize: limits.gifBytes,
    longestSide: limits.gifLongestSide,
    shortestSide: { min: 1, max: limits.gifShortestSide },
    maxFrames: limits.gifFrames,
    maxPixels: limits.gifPixels
  },
  video: {
    contentTypes: ["video/mp4", "video/quicktime"],
    maxSize: Math.min(limits.videoBytes, maxVideoBytes),
    longestSide: limits.videoLongestSide,
    shortestSide: { min: limits.videoSmallestSide, max: limits.videoShortestSide },
    maxRatio: limits.videoRatio,
    maxFrameRate: limits.videoFrameRate,
    minDuration: limits.shortestVideo,
    maxDuration: limits.longestVideo,
    videoCodecs: ["h264", "avc"],
    audioCodecs: ["aac"],
    // AAC of MPEG-4 and MPEG-2.
    audioProfiles: ["mp4a.40.2", "mp4a.67"],
    maxAudioChannels: limits.audioChannels,
    chromas: ["4:2:0"],
    isSquareProgressive: true,
    hasClosedGroups: true,
    doubts: {
      duration: limits.videoOfEveryAccount,
      bitDepth: limits.videoBitDepth,
      keyframeDistance: limits.keyframeDistance
    }
  }
}
