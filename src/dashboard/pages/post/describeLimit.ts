import { namePlatforms } from "../../../domain/plain/platforms.ts"
import { type PostJson, targetStatus } from "../../api/postStatus.ts"

/**
 * The limit for which a due post waits; undefined if it also waits for something else. The target's message says if the
 * post was sent and postponed, or if its thread has not begun.
 */
export const describeLimit = ({ post_targets }: Pick<PostJson, "post_targets">): string | undefined => {
  const left = post_targets.filter(({ status }) => status !== "published")
  return left.length > 0 && left.every((target) => targetStatus(target) === "limited")
    ? `Waits for ${namePlatforms(left.map(({ integrations }) => integrations.platform))}’s limit`
    : undefined
}
