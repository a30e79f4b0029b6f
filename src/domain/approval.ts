import { Result } from "effect"
import type { KeyHolder } from "./apiKey.ts"
import { ApprovalRequired, NotOwnDraft, PreconditionRequired, type RevisionMismatch } from "./errors.ts"
import type { ApiKeyId } from "./ids.ts"
import type { PostStatus } from "./post.ts"
import { checkRevision, type RevisionMatch } from "./revisionMatch.ts"

/** Whether a person has to approve a post or a change to one. Until then it is stored as a draft that keeps its time. */
export const needsApproval = (key: KeyHolder, { status }: { readonly status?: PostStatus }): boolean =>
  key.requiresApproval && status === "scheduled"

/** The plan to store until a person approves. */
export const asDraft = <P extends { readonly status: PostStatus }>(plan: P): P & { readonly status: "draft" } => ({
  ...plan,
  status: "draft"
})

/** A key that requires approval can't publish. */
export const checkPublish = (key: KeyHolder): Result.Result<void, ApprovalRequired> =>
  key.requiresApproval
    ? Result.fail(
        new ApprovalRequired({ message: "This key may draft, not publish; a person has to publish the post" })
      )
    : Result.void

/** What of a stored post decides whether a caller may change or delete it. */
export interface Guarded {
  readonly status: PostStatus
  readonly revision: number
  readonly createdByKey: ApiKeyId | null
  readonly approvalRequestedRevision: number | null
}

/** Whether the key, or one that it replaces, created the post. */
const isOwn = (key: KeyHolder, { createdByKey }: Guarded): boolean =>
  createdByKey !== null && (createdByKey === key.keyId || key.predecessors.includes(createdByKey))

export const notOwnDraft = new NotOwnDraft({
  message:
    "This key requires approval: it may change and delete only drafts that it created, and nothing that a person or another key created or scheduled"
})

export const preconditionRequired = new PreconditionRequired({
  message:
    "Approval was requested for this draft: send If-Match with the ETag of the post as you have read it. A group with such a draft can't be deleted at once"
})

/** Decides whether a key may change or delete a post, with a condition on its revision or without one. */
export const checkAccess = (
  key: KeyHolder,
  post: Guarded,
  isConditional: boolean
): Result.Result<void, NotOwnDraft | PreconditionRequired> => {
  if (!key.requiresApproval) return Result.void
  if (post.status !== "draft" || !isOwn(key, post)) return Result.fail(notOwnDraft)
  return post.approvalRequestedRevision === null || isConditional ? Result.void : Result.fail(preconditionRequired)
}

/** Decides whether a key may change or delete a post at the revision that it knows. */
export const checkChange = (
  key: KeyHolder,
  post: Guarded,
  match: RevisionMatch | undefined
): Result.Result<void, NotOwnDraft | PreconditionRequired | RevisionMismatch> =>
  Result.flatMap(checkAccess(key, post, match !== undefined), () => checkRevision(post, match))
