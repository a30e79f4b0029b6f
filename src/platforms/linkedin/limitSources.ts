import type { LimitSource } from "../Platform.ts"
import type * as limits from "./limits.ts"

const checked = "2026-11-28"
const images = { source: "learn.microsoft.com/linkedin, Images API and MultiImage API", checked }
const videos = { source: "learn.microsoft.com/linkedin, Videos API", checked }
const own = { source: "our own bound: LinkedIn documents only the number of pixels, 36,152,320", checked: "2026-11-29" }

/** Apart from the limits, because browsers load those. */
export const limitSources: Readonly<Record<keyof typeof limits, LimitSource>> = {
  text: {
    source: "reported: LinkedIn's answer to longer texts (n8n-io/n8n#22899); the documents name it for ugcPosts",
    checked
  },
  alt: images,
  imageBytes: own,
  imageSide: own,
  gifFrames: images,
  cardPictureBytes: own,
  videoBytes: videos,
  smallestVideoBytes: videos,
  shortestVideo: videos,
  longestVideo: videos,
  foldedText: { source: "reported: between 140 and 210 characters, by the width of the screen", checked: "2026-11-29" },
  foldedLines: { source: "reported: third parties that write about posts", checked: "2026-11-29" },
  accessDays: { source: "learn.microsoft.com/linkedin, Authorization Code Flow", checked }
}
