import { DateTime } from "effect"
import { smallestIdAt } from "../../../domain/ids.ts"
import { type MediaRules, stillImages } from "../../../domain/media/mediaRules.ts"
import type { PlatformRules } from "../../../domain/posts/platformRules.ts"
import { bluesky as facts } from "../facts.ts"
import * as limits from "../limits.ts"
import { firstLink, quoteLink } from "./quoteLink.ts"
import { measure } from "./text.ts"
import { explainUnlinked } from "./unlinked.ts"

const ofVideo = { maxSize: limits.videoBytes, maxDuration: limits.longestVideo }

/**
 * Bluesky's video service makes an MP4 of each, also of MPEG, which this service does not accept. The app shows only
 * the first frame of a GIF in place of an image, so a GIF is sent as a video.
 */
const media: MediaRules = {
  maxAlt: facts.maxAlt,
  altUnit: facts.altUnit,
  image: { contentTypes: stillImages, maxSize: facts.image.maxBytes },
  gif: { contentTypes: ["image/gif"], ...ofVideo },
  video: { contentTypes: ["video/mp4", "video/quicktime", "video/webm"], ...ofVideo }
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
  cardLink: firstLink,
  quoteLink,
  explainUnlinked,
  media,
  postId: (accountId, key) => `at://${accountId}/app.bsky.feed.post/${key}`,
  isAccountId: (name) => name.startsWith("did:"),
  targetIds: targetIdsOfKey
}
