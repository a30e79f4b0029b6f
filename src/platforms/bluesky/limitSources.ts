import type { LimitSource } from "../Platform.ts"
import type * as limits from "./limits.ts"

const lexicons = {
  source: "the lexicons in @atproto/api 0.21.0 (app.bsky.embed, app.bsky.feed.post)",
  checked: "2026-11-29"
}
const app = { source: "bluesky-social/social-app, src/lib/constants.ts", checked: "2026-11-21" }

/** Apart from the limits, because browsers load those. */
export const limitSources: Readonly<Record<keyof typeof limits, LimitSource>> = {
  text: lexicons,
  textBytes: lexicons,
  alt: app,
  imageBytes: lexicons,
  imageSide: app,
  cardPictureBytes: lexicons,
  videoBytes: lexicons,
  longestVideo: app
}
