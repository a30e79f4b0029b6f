import { Result } from "effect"
import type { Actor } from "../people/actor.ts"
import { hasScope } from "../people/apiKey.ts"
import {
  ApprovalRequired,
  InvalidRequest,
  type Issue,
  NotOwnDraft,
  PreconditionRequired,
  type RevisionMismatch,
  ScopeRequired
} from "../errors.ts"
import type { ApiKeyId } from "../ids.ts"
import type { PostStatus } from "./post.ts"
import { type PostChange, sendsSame, type StoredPost } from "./postPlan.ts"
import { checkRevision, type RevisionMatch } from "./revisionMatch.ts"

/** True if a person has to approve a post or a change. Until then it is stored as a draft that keeps its time. */
export const needsApproval = (actor: Actor, { status }: { readonly status?: PostStatus }): boolean =>
  actor.requiresApproval && status === "scheduled"

export const asDraft = <P extends { readonly status: PostStatus }>(plan: P): P & { readonly status: "draft" } => ({
  ...plan,
  status: "draft"
})

const refuse = (message: string) => Result.fail(new ApprovalRequired({ message }))

export const checkPublish = (actor: Actor): Result.Result<void, ApprovalRequired> =>
  actor.requiresApproval ? refuse("This key may draft, not publish; a person has to publish the post") : Result.void

/** The queue decides when posts of others go out. */
export const checkSetQueue = (actor: Actor): Result.Result<void, ApprovalRequired> =>
  actor.requiresApproval
    ? refuse("This key may draft; a person or another key has to set the times of the queue")
    : Result.void

type Submitted = Pick<Guarded, "approvalRequestedRevision" | "status">

/** True for a draft that was submitted for approval, even if the request is already decided. */
export const isSubmitted = ({ approvalRequestedRevision, status }: Submitted): boolean =>
  status === "draft" && approvalRequestedRevision !== null

export const checkDeciding = (
  actor: Pick<Actor, "decidesNothing">,
  post: Submitted
): Result.Result<void, ApprovalRequired> =>
  actor.decidesNothing === true && isSubmitted(post)
    ? refuse("This draft was submitted for approval, so a person decides on it; no tool publishes or schedules it")
    : Result.void

export const checkResending = (
  actor: Pick<Actor, "decidesNothing">,
  post: { readonly hasUnknownOutcome: boolean }
): Result.Result<void, ApprovalRequired> =>
  actor.decidesNothing === true && post.hasUnknownOutcome
    ? refuse(
        "A platform did not say whether this post is out, so a person has to look and decide; no tool publishes it again"
      )
    : Result.void

/** Scheduling a submitted draft approves it, so a key needs the scope to approve. */
export const checkScheduling = (
  actor: Actor,
  post: Submitted,
  { status }: { readonly status: PostStatus }
): Result.Result<void, ScopeRequired | ApprovalRequired> => {
  if (status !== "scheduled" || !isSubmitted(post) || actor.requiresApproval) return Result.void
  return hasScope(actor.scopes, "posts:publish")
    ? checkDeciding(actor, post)
    : Result.fail(new ScopeRequired({ scope: "posts:publish" }))
}

const mayApprove = ({ decidesNothing = false, requiresApproval, scopes }: Actor): boolean =>
  !requiresApproval && !decidesNothing && hasScope(scopes, "posts:publish")

const bothOrders: Issue = {
  path: ["keep_approval_request"],
  message: "Expected no true with status scheduled, because scheduling the draft approves it"
}

/**
 * Decides if a draft keeps its request for approval. Somebody who may approve can keep it, and does so by changing only
 * the time or the tags, so that the draft does not leave the queue unseen.
 */
export const planRequest = <Change extends PostChange>(
  actor: Actor,
  post: StoredPost,
  change: Change,
  keep: boolean | undefined
): Result.Result<Change & { readonly keepsRequest: boolean }, ApprovalRequired | ScopeRequired | InvalidRequest> => {
  const isAllowed = mayApprove(actor)
  if (keep === true && !isAllowed) {
    return hasScope(actor.scopes, "posts:publish") || actor.requiresApproval
      ? refuse("Only somebody who may approve keeps a request. Ask for approval again, with `status: scheduled`")
      : Result.fail(new ScopeRequired({ scope: "posts:publish" }))
  }
  if (keep === true && change.status === "scheduled") return Result.fail(InvalidRequest.because(bothOrders))
  const isWaiting = isSubmitted(post) && post.approvalRequestedRevision === post.revision
  const keepsRequest = isWaiting && change.status === "draft" && isAllowed && (keep ?? sendsSame(post, change))
  return Result.succeed({ ...change, keepsRequest })
}

export interface Guarded {
  readonly status: PostStatus
  readonly revision: number
  readonly createdByKey: ApiKeyId | null
  readonly approvalRequestedRevision: number | null
}

const isOwn = (actor: Actor, { createdByKey }: Guarded): boolean =>
  createdByKey !== null && (createdByKey === actor.author.id || actor.predecessors.includes(createdByKey))

export const checkAccess = (
  actor: Actor,
  post: Guarded,
  isConditional: boolean
): Result.Result<void, NotOwnDraft | PreconditionRequired> => {
  if (!actor.requiresApproval) return Result.void
  if (post.status !== "draft" || !isOwn(actor, post)) return Result.fail(new NotOwnDraft())
  return post.approvalRequestedRevision === null || isConditional
    ? Result.void
    : Result.fail(new PreconditionRequired())
}

export const checkChange = (
  actor: Actor,
  post: Guarded,
  match: RevisionMatch | undefined
): Result.Result<void, NotOwnDraft | PreconditionRequired | RevisionMismatch> =>
  Result.flatMap(checkAccess(actor, post, match !== undefined && match !== "any"), () => checkRevision(post, match))
