import type { Post } from "../../domain/posts/post.ts"

export type PostJson = typeof Post.Encoded
export type PostTargetJson = PostJson["post_targets"][number]
type Target = Pick<PostTargetJson, "error" | "status"> & { readonly parts?: PostTargetJson["parts"] }
type Asked = Pick<PostJson, "approval" | "revision" | "status">

/** True if the platform may have published a failed target. The previous version of the service sends no `facts`. */
export const mayBeOut = ({ code, facts }: NonNullable<PostTargetJson["error"]>): boolean =>
  facts?.may_be_published ?? code === "outcome_unknown"

/** A target that waits between two parts of its thread counts as publishing. */
export const targetStatus = ({ error, parts = null, status }: Target) =>
  status === "failed" && error !== null && mayBeOut(error)
    ? "unknown"
    : status === "pending"
      ? error === null
        ? parts?.[0]?.status === "published"
          ? "publishing"
          : "scheduled"
        : error.code === "rate_limited"
          ? "limited"
          : "retrying"
      : status

/** True if the post, or its unpublished rest, is a draft or scheduled. */
export const isOpen = ({ status }: Pick<PostJson, "status">): boolean => status === "draft" || status === "scheduled"

/** True if a copy can replace the target: it was certainly not published, and has no copy. */
export const isMissing = (target: Target & { readonly copied_to: string | null }): boolean =>
  targetStatus(target) === "failed" && target.copied_to === null

/** True if any part is published on any platform. The content can't change then. */
export const isSomewhereOut = ({ post_targets }: { readonly post_targets: ReadonlyArray<Target> }): boolean =>
  post_targets.some(({ parts = null, status }) => status === "published" || parts?.[0]?.status === "published")

/** True if the current revision waits for approval. Requests for earlier revisions no longer count. */
export const isAwaitingApproval = ({ approval, revision, status }: Asked): boolean =>
  status === "draft" && approval?.status === "requested" && approval.revision === revision

export const isChangedSinceAsked = ({ approval, revision, status }: Asked): boolean =>
  status === "draft" && approval?.status === "requested" && approval.revision !== revision

/** True if the current revision was rejected. Nobody can decide on it again. */
export const isRejected = ({ approval, revision, status }: Asked): boolean =>
  status === "draft" && approval?.status === "rejected" && approval.revision === revision

export const postStatus = (post: Asked & { readonly post_targets: ReadonlyArray<Target> }) => {
  if (isAwaitingApproval(post)) return "approval"
  const { post_targets, status } = post
  return status === "failed" && post_targets.some((target) => targetStatus(target) === "unknown") ? "unknown" : status
}
