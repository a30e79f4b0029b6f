import type { PostStatus, TargetStatus } from "../posts/post.ts"

/**
 * A post's status from its targets': it ends once all have ended. A lost claim's outcome can find a post that became a
 * draft or scheduled again, which stays so for its other targets.
 */
export const rollUp = (targets: ReadonlyArray<TargetStatus>, post: PostStatus): PostStatus => {
  if (targets.some((status) => status === "pending" || status === "publishing"))
    return post === "draft" || post === "scheduled" ? post : "publishing"
  return targets.every((status) => status === "published") ? "published" : "failed"
}
