import { twitter as facts } from "../facts.ts"
import { type MediaRules, megabyte, stillImages } from "../../../domain/media/mediaRules.ts"

/**
 * docs.x.com "Media best practices" and "Media upload", and its OpenAPI document's request schemas (2.167). A video's
 * sides, 1920x1200 and also upright, are from X's help for people. "Media best practices" has 1280x1024, but also says
 * that subscribers upload 1080p: X decides about sizes between these.
 */
export const media: MediaRules = {
  maxAlt: facts.maxAlt,
  image: { contentTypes: stillImages, maxSize: facts.image.maxBytes },
  gif: {
    contentTypes: ["image/gif"],
    maxSize: 15 * megabyte,
    longestSide: 1280,
    shortestSide: { min: 1, max: 1080 },
    maxFrames: 350,
    maxPixels: 300_000_000
  },
  video: {
    contentTypes: ["video/mp4", "video/quicktime"],
    maxSize: 512 * megabyte,
    longestSide: 1920,
    shortestSide: { min: 32, max: 1200 },
    maxRatio: 3,
    maxFrameRate: 60,
    minDuration: 500,
    maxDuration: 140_000,
    videoCodecs: ["h264", "avc"],
    audioCodecs: ["aac"],
    // AAC of MPEG-4 and MPEG-2.
    audioProfiles: ["mp4a.40.2", "mp4a.67"],
    maxAudioChannels: 2,
    chromas: ["4:2:0"],
    isSquareProgressive: true
  }
}
