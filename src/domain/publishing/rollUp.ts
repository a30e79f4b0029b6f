import type { PostStatus, TargetStatus } from "../posts/post.ts"

/**
 * A post is published or failed once all its targets are. If an outcome arrives after its claim was lost, the post may
 * be a draft or scheduled again, and keeps that status.
 */
export const rollUp = (targets: ReadonlyArray<TargetStatus>, post: PostStatus): PostStatus => {
  if (targets.some((status) => status === "pending" || status === "publishing"))
    return post === "draft" || post === "scheduled" ? post : "publishing"
  return targets.every((status) => status === "published") ? "published" : "failed"
}
