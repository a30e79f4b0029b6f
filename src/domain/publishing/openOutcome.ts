import { mayBePublished } from "../plain/posts.ts"
import type { TargetError, TargetStatus } from "../posts/post.ts"

export interface Attempted {
  readonly status: TargetStatus
  readonly error: TargetError | null
  /** True if a send may have published something. */
  readonly isSent: boolean
  /**
   * True if the next attempt first looks for the post on the platform, because an unrecorded send, or a slow platform,
   * may have published it.
   */
  readonly isSearched: boolean
}

export const mayBeOut = ({ error, isSearched, isSent }: Omit<Attempted, "status">): boolean =>
  isSent || isSearched || (error !== null && mayBePublished(error))
