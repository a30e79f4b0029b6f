import { type DateTime, Result } from "effect"
import { InvalidState, RevisionConflict, TimeRequired } from "../errors.ts"
import type { Library } from "../media/mediaPlan.ts"
import type { Rules } from "./platformRules.ts"
import { planUpdate, type StoredPost } from "./postPlan.ts"
import { checkPostTime } from "./postTime.ts"

const alreadyRejected = (reason: string) =>
  new InvalidState({
    message: `This revision was already rejected. Change the post, or schedule it anyway. The reason: ${reason}`
  })

/**
 * Refuses a revision other than the one that was read, a post that is not a draft, and a rejected post, because the
 * caller may not know the reason.
 */
export const checkDecision = (
  { rejectedFor = null, revision, status }: Pick<StoredPost, "rejectedFor" | "revision" | "status">,
  read: number
): Result.Result<void, RevisionConflict | InvalidState> => {
  if (revision !== read) return Result.fail(RevisionConflict.at(revision))
  if (status !== "draft") {
    return Result.fail(
      new InvalidState({ message: `A ${status} post can't be approved or rejected; only a draft can` })
    )
  }
  return rejectedFor === null ? Result.void : Result.fail(alreadyRejected(rejectedFor))
}

/** A `scheduledAt` of null keeps the post's own time. */
export interface ApprovalOrder {
  readonly revision: number
  readonly scheduledAt: DateTime.Utc | "now" | null
}

/** An approval changes a draft as an update would, but only at the revision that was read. */
export const planApproval = (
  rules: Rules,
  post: StoredPost,
  { revision, scheduledAt }: ApprovalOrder,
  now: DateTime.Utc,
  library: Library
) =>
  Result.gen(function* () {
    yield* checkDecision(post, revision)
    const requested = scheduledAt === "now" ? now : (scheduledAt ?? post.scheduledAt)
    if (requested === null) return yield* Result.fail(new TimeRequired())
    const isOwn = scheduledAt === null
    if (isOwn && Result.isFailure(checkPostTime(requested, now))) return yield* Result.fail(new TimeRequired())
    return yield* planUpdate(rules, post, { status: "scheduled", scheduled_at: requested }, now, library)
  })
