import type { PlatformRules } from "../../../domain/posts/platformRules.ts"
import { findEntities } from "../../../domain/posts/text/entities.ts"
import { media } from "./media.ts"
import { measure } from "./text.ts"

/** The first link, of which Facebook makes a card. */
export const firstLink = (text: string): string | undefined =>
  findEntities(text).flatMap(({ feature }) => (feature._tag === "Link" ? [feature.uri] : []))[0]

/** A reel or another video is known by its video's id. Every other post's id begins with its Page's. */
const postId = (accountId: string, key: string): string => {
  const last = key.slice(key.lastIndexOf("/") + 1)
  return /^(?:reel|videos)\//.test(key) || key.includes("_") ? last : `${accountId}_${last}`
}

export const facebookRules: PlatformRules = {
  measure,
  media,
  postId,
  isAccountId: (name) => /^\d+$/.test(name)
}
