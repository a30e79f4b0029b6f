import { Equal, Result } from "effect"
import { type InvalidRequest, InvalidState } from "../errors.ts"
import { platformName } from "../plain/platforms.ts"
import type { LivePlatform } from "../platform.ts"
import type { Rules } from "../posts/platformRules.ts"
import type { TargetError } from "../posts/post.ts"
import { invalidUrl, type PlatformPost } from "./postUrl.ts"
import { type Attempted, mayBeOut } from "./openOutcome.ts"
import type { Settlement } from "./settlement.ts"
import { namePart, type ThreadCursor } from "./threadCursor.ts"

/** A person's answer to an unknown outcome, after a look at the account. */
export type Resolution =
  | {
      readonly outcome: "published"
      readonly post: PlatformPost | null
      /** True if the following parts of the thread are sent then. */
      readonly continues: boolean
    }
  | { readonly outcome: "not_published" }

const notPublished = (platform: LivePlatform, cursor: ThreadCursor): TargetError => ({
  code: "gave_up",
  message: namePart(
    cursor,
    `A person checked the account: the post is not on ${platformName(platform)}. Publish it again to send it`
  ),
  retryable: true
})

export const restUnsent = ({ part, parts }: ThreadCursor): TargetError => ({
  code: "gave_up",
  message: `Part ${part} of ${parts} is out. Publish the post again to send the rest`,
  retryable: true
})

export const missingUrl = ({ part, parts }: ThreadCursor): InvalidRequest =>
  invalidUrl(`Expected the URL of part ${part} of ${parts}, because the next part replies to it`)

/**
 * True if a person has answered `not_published`. `mayBeOut` can't tell: it stays true, so that the next attempt looks
 * for the post before it sends.
 */
const wasAnswered = (platform: LivePlatform, target: Attempted & ThreadCursor): boolean =>
  Equal.equals(target.error, notPublished(platform, target))

/**
 * Refuses an answer if the outcome is known, still to come, or already answered. The target's last error need not be
 * `outcome_unknown`: the account may have been disconnected before the platform was asked.
 */
export const checkResolvable = (
  platform: LivePlatform,
  target: Attempted & ThreadCursor
): Result.Result<void, InvalidState> =>
  target.status === "failed" && mayBeOut(target) && !wasAnswered(platform, target)
    ? Result.void
    : Result.fail(
        new InvalidState({
          message: `The outcome on ${platformName(platform)} is already known, or still to come; only a failed target that may be published can be resolved`
        })
      )

export const settleResolution = (
  rules: Rules,
  platform: LivePlatform,
  accountId: string,
  resolution: Resolution,
  cursor: ThreadCursor
): Settlement => {
  if (resolution.outcome === "not_published") return { _tag: "Failed", error: notPublished(platform, cursor) }
  const { post } = resolution
  return {
    _tag: "Published",
    publication: {
      platformPostId: post === null ? null : (rules[platform]?.postId(accountId, post.key) ?? null),
      url: post?.url ?? null
    }
  }
}
