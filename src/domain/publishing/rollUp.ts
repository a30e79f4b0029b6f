import type { PostStatus, TargetStatus } from "../posts/post.ts"

/** The status of a post that has left `scheduled`, from its targets' statuses: it ends once all of them have ended. */
export const rollUp = (
  targets: ReadonlyArray<TargetStatus>
): Extract<PostStatus, "publishing" | "published" | "failed"> => {
  if (targets.some((status) => status === "pending" || status === "publishing")) return "publishing"
  return targets.every((status) => status === "published") ? "published" : "failed"
}
