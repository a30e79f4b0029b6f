import type { LimitSource } from "../Platform.ts"
import type * as limits from "./limits.ts"

const checked = "2026-11-28"
const publishing = { source: "developers.facebook.com, Instagram Platform, Content publishing", checked }
const errors = { source: "developers.facebook.com, Instagram Platform, Error codes (2 June 2026)", checked }
const media = { source: "developers.facebook.com, Instagram Platform, IG User Media", checked }
const tokens = { source: "developers.facebook.com, Instagram Platform, Business login", checked }

/** Apart from the limits, because browsers load those. */
export const limitSources: Readonly<Record<keyof typeof limits, LimitSource>> = {
  text: media,
  hashtags: media,
  mentions: media,
  alt: { source: "assumed: as on Threads, where Meta documents it", checked },
  collaborators: { source: "the parameter's description; another page of Meta says 5", checked },
  files: publishing,
  imageBytes: errors,
  imageSide: { source: "chosen: Instagram scales wider pictures down to 1,440 pixels", checked },
  narrowest: errors,
  widest: errors,
  videoBytes: media,
  storyBytes: media,
  shortestVideo: media,
  longestVideo: media,
  longestStory: media,
  videoWidth: media,
  slowestFrames: media,
  fastestFrames: media,
  videoRate: media,
  postsPerDay: { source: "Meta's pages say 50 and 100; the adapter reads quota_total", checked },
  containerHours: { source: "developers.facebook.com, Instagram Platform, IG Container", checked },
  accessDays: tokens,
  renewalHours: tokens
}
