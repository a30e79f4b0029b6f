import { mayBePublished } from "../plain/posts.ts"
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
