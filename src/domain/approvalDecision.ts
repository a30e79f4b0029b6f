import { type DateTime, Result } from "effect"
import { InvalidState, RevisionConflict, TimeRequired } from "./errors.ts"
import type { Library } from "./mediaPlan.ts"
import { planUpdate, type StoredPost } from "./postPlan.ts"
import { choosePostTime } from "./postTime.ts"

export const revisionConflict = ({ revision }: Pick<StoredPost, "revision">) =>
  new RevisionConflict({
    message: `The post has changed: it is at revision ${revision} by now. Read it again before you decide`
  })

export const timeRequired = new TimeRequired({
  message: "The post has no time, or one that is past: send scheduled_at, or publish_now"
})

/** Refuses a decision on another revision than the one that was read, and on what is no draft. */
export const checkDecision = (
  { revision, status }: Pick<StoredPost, "revision" | "status">,
  read: number
): Result.Result<void, RevisionConflict | InvalidState> => {
  if (revision !== read) return Result.fail(revisionConflict({ revision }))
  return status === "draft"
    ? Result.void
    : Result.fail(new InvalidState({ message: `A ${status} post can't be approved or rejected; only a draft can` }))
}

/** What a caller approves: a revision, and the time to publish it unless that is the post's own. */
export interface ApprovalOrder {
  readonly revision: number
  readonly scheduledAt: DateTime.Utc | "now" | null
}

/** Decides how a draft is scheduled by its approval: as by an update, and only as it was read. */
export const planApproval = (
  post: StoredPost,
  { revision, scheduledAt }: ApprovalOrder,
  now: DateTime.Utc,
  library: Library
) =>
  Result.gen(function* () {
    yield* checkDecision(post, revision)
    const requested = scheduledAt === "now" ? now : (scheduledAt ?? post.scheduledAt)
    if (requested === null) return yield* Result.fail(timeRequired)
    const isOwn = scheduledAt === null
    if (isOwn && Result.isFailure(choosePostTime(requested, now))) return yield* Result.fail(timeRequired)
    return yield* planUpdate(post, { status: "scheduled", scheduled_at: requested }, now, library)
  })
