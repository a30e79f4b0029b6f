import { twitter as facts } from "../facts.ts"
import { type MediaRules, megabyte, stillImages } from "../../../domain/media/mediaRules.ts"

/**
 * docs.x.com "Media best practices" and "Media upload", and the request schemas of its OpenAPI document (2.167). The sides of a
 * video are what X's help for people names, 1920x1200, and go for upright ones as well. "Media best practices" has 1280x1024, and in
 * the same place that subscribers upload 1080p: what is between them is left to X.
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
    // MPEG-4's and MPEG-2's.
    audioProfiles: ["mp4a.40.2", "mp4a.67"],
    maxAudioChannels: 2,
    chromas: ["4:2:0"],
    isPlain: true
  }
}
