import { type MediaRules, stillImages } from "../../../domain/media/mediaRules.ts"
import { maxVideoBytes } from "../../../domain/plain/limits.ts"
import { twitter as facts } from "../facts.ts"

const { limits } = facts

/** By docs.x.com "Media best practices". X decides about sizes between its documented ones and these. */
export const media: MediaRules = {
  maxAlt: facts.maxAlt,
  altUnit: facts.altUnit,
  image: { contentTypes: stillImages, maxSize: facts.image.maxBytes },
  gif: {
    contentTypes: ["image/gif"],
    maxSize: limits.gifBytes.value,
    longestSide: limits.gifLongestSide.value,
    shortestSide: { min: 1, max: limits.gifShortestSide.value },
    maxFrames: limits.gifFrames.value,
    maxPixels: limits.gifPixels.value
  },
  video: {
    contentTypes: ["video/mp4", "video/quicktime"],
    maxSize: Math.min(limits.videoBytes.value, maxVideoBytes),
    longestSide: limits.videoLongestSide.value,
    shortestSide: { min: limits.videoSmallestSide.value, max: limits.videoShortestSide.value },
    maxRatio: limits.videoRatio.value,
    maxFrameRate: limits.videoFrameRate.value,
    minDuration: limits.shortestVideo.value,
    maxDuration: limits.longestVideo.value,
    videoCodecs: ["h264", "avc"],
    audioCodecs: ["aac"],
    // AAC of MPEG-4 and MPEG-2.
    audioProfiles: ["mp4a.40.2", "mp4a.67"],
    maxAudioChannels: limits.audioChannels.value,
    chromas: ["4:2:0"],
    isSquareProgressive: true,
    hasClosedGroups: true,
    doubts: {
      duration: limits.videoOfEveryAccount.value,
      bitDepth: limits.videoBitDepth.value,
      keyframeDistance: limits.keyframeDistance.value
    }
  }
}
