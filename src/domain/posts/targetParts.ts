import type { DateTime } from "effect"
import type { Platform } from "../platform.ts"
import type { ShownTargetError, TargetStatus } from "./post.ts"
import { chainFor, type Threaded } from "./thread.ts"

/** A part as its target stores it. `Time` is a time, or its text. */
export interface PublishedPart<Time = DateTime.Utc> {
  readonly id: string | null
  readonly cid: string | null
  readonly url: string | null
  readonly published_at: Time
}

/** A target, with its progress through the parts of its thread. */
export interface ThreadedTarget<Time = DateTime.Utc> {
  readonly platform: Platform
  readonly status: TargetStatus
  readonly error: ShownTargetError | null
  /** The number of the current part, from 1. */
  readonly part: number
  /** In order. */
  readonly published: ReadonlyArray<PublishedPart<Time>>
}

export const showParts = <Time>(
  post: Threaded<unknown>,
  { error, part: current, platform, published, status }: ThreadedTarget<Time>
) =>
  chainFor(platform, post).map((_, index) => {
    const part = index + 1
    const out = published[index]
    if (out !== undefined) {
      return {
        part,
        status: "published",
        platform_post_url: out.url,
        published_at: out.published_at,
        error: null
      } as const
    }
    const isCurrent = part === current
    return {
      part,
      status: isCurrent ? status : "pending",
      platform_post_url: null,
      published_at: null,
      error: isCurrent ? error : null
    } as const
  })
