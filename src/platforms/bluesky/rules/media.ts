import { bluesky as facts } from "../facts.ts"
import { type MediaRules, megabyte, stillImages } from "../../../domain/media/mediaRules.ts"

/**
 * The lexicons app.bsky.embed.images (2,000,000 bytes each) and app.bsky.embed.video (300,000,000), and the official
 * app's limits (10 minutes, alternative texts of 2,000). It shows only the first frame of a GIF.
 */
export const media: MediaRules = {
  maxAlt: facts.maxAlt,
  image: { contentTypes: stillImages, maxSize: facts.image.maxBytes },
  gif: "shows only the first frame of a GIF; send a video or a still image instead",
  video: { contentTypes: ["video/mp4"], maxSize: 300 * megabyte, maxDuration: 600_000 }
}
