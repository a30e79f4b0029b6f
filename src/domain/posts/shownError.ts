import { platformName, withPlatform } from "../plain/platforms.ts"
import { mayBePublished } from "../plain/posts.ts"
import type { Platform } from "../platform.ts"
import { readPart } from "../publishing/threadCursor.ts"
import type { ShownTargetError, TargetError } from "./post.ts"

/**
 * Reads the facts from the message, because the database stores only the message: the previous version reads the same
 * rows. `parts` is the platform's number of parts: a message names its part only if there are several.
 */
export const showError = (error: TargetError, platform: Platform, parts: number): ShownTargetError => {
  const named = parts > 1 ? readPart(error.message) : undefined
  return {
    ...error,
    facts: {
      may_be_published: mayBePublished(error),
      reason: withPlatform(platformName(platform), named?.said ?? error.message),
      ...(named !== undefined && { part: named.part })
    }
  }
}
