import type { Post } from "../../domain/posts/post.ts"

type PostJson = typeof Post.Encoded
type PostTarget = PostJson["post_targets"][number]
type Target = Pick<PostTarget, "error" | "status"> & { readonly parts?: PostTarget["parts"] }
type Asked = Pick<PostJson, "approval" | "revision" | "status">

/** Tells if a failed target may be published all the same, so that a person has to look. A version before tells no facts. */
export const mayBeOut = ({ code, facts }: NonNullable<PostTarget["error"]>): boolean =>
  facts?.may_be_published ?? code === "outcome_unknown"

/** What people see of a target. Between two parts of a thread it goes out. */
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

/** Whether a post, or what is not out of it yet, waits to be scheduled or for its time: it can be changed until then. */
export const isOpen = ({ status }: Pick<PostJson, "status">): boolean => status === "draft" || status === "scheduled"

/** Whether a copy can take a target's place: it failed, nothing tells that it may be out, and no copy has taken it over. */
export const isMissing = (target: Target & { readonly copied_to: string | null }): boolean =>
  targetStatus(target) === "failed" && target.copied_to === null

/** Whether it is out on a platform, or parts of its thread are, whatever the post's status: what it sends stays as it is then. */
export const isSomewhereOut = ({ post_targets }: { readonly post_targets: ReadonlyArray<Target> }): boolean =>
  post_targets.some(({ parts = null, status }) => status === "published" || parts?.[0]?.status === "published")

/** Whether somebody has to decide on a draft as it is: a request for an earlier revision is void. */
export const isAwaitingApproval = ({ approval, revision, status }: Asked): boolean =>
  status === "draft" && approval?.status === "requested" && approval.revision === revision

/** Whether approval was asked for an earlier revision of a draft, and not for what it has become. */
export const isChangedSinceAsked = ({ approval, revision, status }: Asked): boolean =>
  status === "draft" && approval?.status === "requested" && approval.revision !== revision

/** Whether somebody has rejected a draft as it is, so that nobody decides on it again. */
export const isRejected = ({ approval, revision, status }: Asked): boolean =>
  status === "draft" && approval?.status === "rejected" && approval.revision === revision

/** What people see of a post. */
export const postStatus = (post: Asked & { readonly post_targets: ReadonlyArray<Target> }) => {
  if (isAwaitingApproval(post)) return "approval"
  const { post_targets, status } = post
  return status === "failed" && post_targets.some((target) => targetStatus(target) === "unknown") ? "unknown" : status
}
