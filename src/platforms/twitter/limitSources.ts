import type { LimitSource } from "../Platform.ts"
import type * as limits from "./limits.ts"

const text = { source: "twitter-text 3.1.0 and docs.x.com, Counting characters", checked: "2026-11-21" }
const bestPractices = { source: "docs.x.com, Media best practices (xdevplatform/docs 0c986f00)", checked: "2026-11-28" }
const document = { source: "X's OpenAPI document, 2.167", checked: "2026-11-21" }
const help = { source: "help.x.com, How to share and watch videos", checked: "2026-11-21" }
const reported = { source: "reported: others' uploads that X refused after processing", checked: "2026-11-28" }

/** Apart from the limits, because browsers load those. */
export const limitSources: Readonly<Record<keyof typeof limits, LimitSource>> = {
  text,
  link: text,
  alt: document,
  imageBytes: bestPractices,
  imageSide: { source: "help.x.com, Posting pictures", checked: "2026-11-21" },
  gifBytes: bestPractices,
  gifLongestSide: bestPractices,
  gifShortestSide: bestPractices,
  gifFrames: bestPractices,
  gifPixels: bestPractices,
  videoBytes: bestPractices,
  longestVideo: bestPractices,
  videoOfEveryAccount: { source: "X's changelog of 2026-09-01", checked: "2026-11-28" },
  shortestVideo: bestPractices,
  videoLongestSide: help,
  videoShortestSide: help,
  videoSmallestSide: bestPractices,
  videoRatio: bestPractices,
  videoFrameRate: bestPractices,
  audioChannels: bestPractices,
  videoBitDepth: reported,
  keyframeDistance: reported,
  uploadSegments: document
}
