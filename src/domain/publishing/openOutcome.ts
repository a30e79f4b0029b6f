import { OutcomeOpen } from "../errors.ts"
import { namePlatforms } from "../plain/platforms.ts"
import { mayBePublished } from "../plain/posts.ts"
import type { Platform } from "../platform.ts"
import type { TargetError, TargetStatus } from "../posts/post.ts"

/** What is known of the attempts to publish a target. */
export interface Attempted {
  readonly status: TargetStatus
  readonly error: TargetError | null
  /** Whether a send has begun of which it is not certain that nothing came. */
  readonly isSent: boolean
  /** Whether the next attempt looks for the post first, as a process that the database does not know of may have sent it, or the platform late. */
  readonly isSearched: boolean
}

/** Whether a target that has failed may be out all the same, whatever it failed with at last. */
export const mayBeOut = ({ error, isSearched, isSent }: Omit<Attempted, "status">): boolean =>
  isSent || isSearched || (error !== null && mayBePublished(error))

/** The response to copying what may be out. */
export const outcomeOpen = (platforms: ReadonlyArray<Platform>) =>
  new OutcomeOpen({
    message:
      `The post may be on ${namePlatforms(platforms)}, so a copy could be there a second time. Check the account and say what became of the post, ` +
      "or publish it again, which checks first. Or name the other platforms in platforms",
    platforms
  })
