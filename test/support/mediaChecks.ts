import type { MediaFacts } from "../../src/domain/media/media.ts"
import { findMediaDoubts } from "../../src/domain/media/mediaDoubts.ts"
import { checkMedia } from "../../src/domain/media/mediaRules.ts"
import type { LivePlatform } from "../../src/domain/platform.ts"
import { rules } from "./plans.ts"

export const image: MediaFacts = {
  type: "image",
  contentType: "image/jpeg",
  size: 1_000_000,
  width: 4000,
  height: 3000,
  durationMs: null,
  frames: null,
  frameRate: null,
  videoCodec: null,
  audioCodec: null,
  animated: false
}

export const gif: MediaFacts = {
  ...image,
  type: "gif",
  contentType: "image/gif",
  width: 1280,
  height: 1080,
  durationMs: 3000,
  frames: 30,
  frameRate: 10,
  animated: true
}

export const video: MediaFacts = {
  ...image,
  type: "video",
  contentType: "video/mp4",
  size: 20_000_000,
  width: 1280,
  height: 720,
  durationMs: 30_000,
  frameRate: 30,
  videoCodec: "h264",
  audioCodec: "aac"
}

export const encoding = {
  chroma: "4:2:0",
  interlaced: false,
  squarePixels: true,
  audioProfile: "mp4a.40.2",
  audioChannels: 2
} as const

export const makeChecks = (platform: LivePlatform) => {
  /** The platform's objections to a file. */
  const refusals = (facts: MediaFacts, alt = "") =>
    checkMedia(rules[platform].media, platform, [{ ...facts, alt }]).map(
      ({ message, path }) => `${path.join(".")}: ${message}`
    )
  /** The platform's warnings about a file. */
  const doubts = (facts: MediaFacts) =>
    findMediaDoubts(rules[platform].media, platform, facts, ["media", 0]).map(
      ({ message, path }) => `${path.join(".")}: ${message}`
    )
  return {
    doubts,
    refusals,
    takes: (facts: MediaFacts, alt?: string) => refusals(facts, alt).length === 0,
    /** True if the platform accepts `at` and refuses `past`. */
    isLimit: (at: MediaFacts, past: MediaFacts) => refusals(at).length === 0 && refusals(past).length === 1
  }
}
