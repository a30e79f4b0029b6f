import type { LimitSource } from "../Platform.ts"
import type * as limits from "./limits.ts"

const posts = { source: "developers.facebook.com, Threads API, Posts (14 April 2026)", checked: "2026-11-28" }
const overview = { source: "developers.facebook.com, Threads API, Overview (22 December 2025)", checked: "2026-11-28" }
const tokens = { source: "developers.facebook.com, Threads API, Long-lived tokens", checked: "2026-11-28" }

/** Apart from the limits, because browsers load those. */
export const limitSources: Readonly<Record<keyof typeof limits, LimitSource>> = {
  text: {
    source: "reported: 504 bytes of 498 characters were refused, 175 failures in 90 days",
    checked: "2026-11-28"
  },
  links: { source: "developers.facebook.com, Threads API, Text attachments (2 July 2026)", checked: "2026-11-28" },
  alt: posts,
  topic: posts,
  imageBytes: posts,
  imageSide: posts,
  imageRatio: posts,
  videoBytes: posts,
  longestVideo: posts,
  videoWidth: posts,
  slowestFrames: posts,
  videoFrameRate: posts,
  postsPerDay: overview,
  repliesPerDay: overview,
  containerHours: { source: "developers.facebook.com, Threads API, Troubleshooting", checked: "2026-11-28" },
  accessDays: tokens,
  renewalHours: tokens
}
