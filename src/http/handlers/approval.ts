import { Result } from "effect"
import type { KeyHolder } from "../../domain/apiKey.ts"
import { ApprovalRequired } from "../../domain/errors.ts"
import type { PostPatch } from "../../domain/newPost.ts"
import type { PostStatus } from "../../domain/post.ts"
import type { PostPlan } from "../../domain/postPlan.ts"

/** Whether what a key orders has to wait for a person: it is stored as a draft that keeps its time. */
export const mustWait = (key: KeyHolder, ordered: { readonly status?: PostStatus }): boolean =>
  key.requiresApproval && ordered.status === "scheduled"

/** A plan as it is stored while it waits. */
export const waiting = <P extends Pick<PostPlan, "status">>(plan: P): P & { readonly status: "draft" } => ({
  ...plan,
  status: "draft"
})

/** Whether a key may change a post: what was approved doesn't change any more by a key that needs approval, unless it becomes a draft. */
export const checkChange = (
  key: KeyHolder,
  current: PostStatus,
  patch: PostPatch
): Result.Result<void, ApprovalRequired> =>
  key.requiresApproval && current === "scheduled" && patch.status !== "draft"
    ? Result.fail(new ApprovalRequired({ message: "This key may change a scheduled post only by making it a draft" }))
    : Result.void

/** Whether a key may publish. */
export const checkPublish = (key: KeyHolder): Result.Result<void, ApprovalRequired> =>
  key.requiresApproval
    ? Result.fail(
        new ApprovalRequired({ message: "This key may draft, not publish; a person has to publish the post" })
      )
    : Result.void
