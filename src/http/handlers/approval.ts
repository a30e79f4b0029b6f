import { Effect, Result } from "effect"
import type { KeyHolder } from "../../domain/apiKey.ts"
import { ApprovalRequired } from "../../domain/errors.ts"
import type { WorkspaceId } from "../../domain/ids.ts"
import type { PostPatch } from "../../domain/newPost.ts"
import type { PostStatus } from "../../domain/post.ts"
import type { PostPlan } from "../../domain/postPlan.ts"
import { Notifier } from "../../notifier/Notifier.ts"
import { Repo } from "../../repo/Repo.ts"

/** Whether a person has to approve a post or a change to one. Until then it is stored as a draft that keeps its time. */
export const needsApproval = (key: KeyHolder, { status }: { readonly status?: PostStatus }): boolean =>
  key.requiresApproval && status === "scheduled"

/** The plan to store until a person approves. */
export const asDraft = <P extends Pick<PostPlan, "status">>(plan: P): P & { readonly status: "draft" } => ({
  ...plan,
  status: "draft"
})

/** A key that requires approval can't change a post that a person has approved, except by making it a draft. */
export const checkUpdate = (
  key: KeyHolder,
  current: PostStatus,
  patch: PostPatch
): Result.Result<void, ApprovalRequired> =>
  key.requiresApproval && current === "scheduled" && patch.status !== "draft"
    ? Result.fail(new ApprovalRequired({ message: "This key may change a scheduled post only by making it a draft" }))
    : Result.void

/** A key that requires approval can't publish. */
export const checkPublish = (key: KeyHolder): Result.Result<void, ApprovalRequired> =>
  key.requiresApproval
    ? Result.fail(
        new ApprovalRequired({ message: "This key may draft, not publish; a person has to publish the post" })
      )
    : Result.void

type WaitingPost = Parameters<Notifier["Service"]["approvalRequested"]>[1]

/** Stores a post that needs approval and notifies the workspace of it, in one transaction. */
export const makeStoreForApproval = Effect.gen(function* () {
  const { transaction } = yield* Repo
  const { approvalRequested } = yield* Notifier

  return <A, E>(workspaceId: WorkspaceId, store: Effect.Effect<A, E>, describe: (stored: A) => WaitingPost) =>
    store.pipe(
      Effect.tap((stored) => approvalRequested(workspaceId, describe(stored))),
      transaction
    )
})
