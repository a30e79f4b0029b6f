import { DateTime } from "effect"
import { smallestIdAt } from "../../../domain/ids.ts"
import { type MediaRules, megabyte, stillImages } from "../../../domain/media/mediaRules.ts"
import type { PlatformRules } from "../../../domain/posts/platformRules.ts"
import { findEntities } from "../../../domain/posts/text/entities.ts"
import { bluesky as facts } from "../facts.ts"
import { firstLink, quoteLink } from "./quoteLink.ts"
import { measure } from "./text.ts"
import { explainUnlinked } from "./unlinked.ts"

/**
 * The lexicons app.bsky.embed.images (2,000,000 bytes each) and app.bsky.embed.video (300,000,000), and the official
 * app's limits (10 minutes, alternative texts of 2,000). The app shows only the first frame of a GIF.
 */
const media: MediaRules = {
  maxAlt: facts.maxAlt,
  image: { contentTypes: stillImages, maxSize: facts.image.maxBytes },
  gif: "shows only the first frame of a GIF; send a video or a still image instead",
  video: { contentTypes: ["video/mp4"], maxSize: 300 * megabyte, maxDuration: 600_000 }
}

const keyDigits = "234567abcdefghijklmnopqrstuvwxyz"

/** In milliseconds, before a key's time: a key that a PDS would refuse is replaced by one at most 32⁴ µs later. */
const longestSkip = 1049

/** The range of target ids whose key can have this time; undefined if the key can't be the service's. */
export const targetIdsOfKey = (key: string): readonly [from: string, before: string] | undefined => {
  if (!/^[2-7a-j][2-7a-z]{12}$/.test(key)) return undefined
  const bits = Array.from(key).reduce((sum, digit) => (sum << 5n) | BigInt(keyDigits.indexOf(digit)), 0n)
  const millis = Number((bits >> 10n) / 1000n)
  return [
    smallestIdAt(DateTime.makeUnsafe(Math.max(0, millis - 1 - longestSkip))),
    smallestIdAt(DateTime.makeUnsafe(millis + 1))
  ]
}

export const blueskyRules: PlatformRules = {
  measure,
  entities: { find: findEntities, isSlow: false },
  cardLink: firstLink,
  quoteLink,
  explainUnlinked,
  media,
  postId: (accountId, key) => `at://${accountId}/app.bsky.feed.post/${key}`,
  isAccountId: (name) => name.startsWith("did:"),
  targetIds: targetIdsOfKey
}
