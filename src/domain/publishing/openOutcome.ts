import { OutcomeOpen } from "../errors.ts"
import { namePlatforms } from "../plain/platforms.ts"
import { mayBePublished } from "../plain/posts.ts"
import type { Platform } from "../platform.ts"
import type { TargetError, TargetStatus } from "../posts/post.ts"

export interface Attempted {
  readonly status: TargetStatus
  readonly error: TargetError | null
  /** True if a send may have published something. */
  readonly isSent: boolean
  /** True if the next attempt looks first: an unknown process, or the platform late, may have published the post. */
  readonly isSearched: boolean
}

export const mayBeOut = ({ error, isSearched, isSent }: Omit<Attempted, "status">): boolean =>
  isSent || isSearched || (error !== null && mayBePublished(error))

export const outcomeOpen = (platforms: ReadonlyArray<Platform>) =>
  new OutcomeOpen({
    message:
      `The post may be on ${namePlatforms(platforms)}, so a copy could be there a second time. Check the account and say what became of the post, ` +
      "or publish it again, which checks first. Or name the other platforms in platforms",
    platforms
  })
