import type { PostStatus, TargetStatus } from "../posts/post.ts"

/**
 * A post ends once all its targets have. A lost claim's outcome can find a post that was made a draft or scheduled
 * again, which stays so.
 */
export const rollUp = (targets: ReadonlyArray<TargetStatus>, post: PostStatus): PostStatus => {
  if (targets.some((status) => status === "pending" || status === "publishing"))
    return post === "draft" || post === "scheduled" ? post : "publishing"
  return targets.every((status) => status === "published") ? "published" : "failed"
}
