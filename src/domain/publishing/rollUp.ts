import type { PostStatus, TargetStatus } from "../posts/post.ts"

/**
 * The status of a post, from its targets' statuses: it ends once all of them have ended. The outcome of a lost claim can find a post
 * that was made a draft or scheduled again, which waits as it is for its other targets.
 */
export const rollUp = (targets: ReadonlyArray<TargetStatus>, post: PostStatus): PostStatus => {
  if (targets.some((status) => status === "pending" || status === "publishing"))
    return post === "draft" || post === "scheduled" ? post : "publishing"
  return targets.every((status) => status === "published") ? "published" : "failed"
}
