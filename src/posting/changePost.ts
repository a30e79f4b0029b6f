import { Data, DateTime, Effect, Result } from "effect"
import { InvalidRequest, type Issue } from "../domain/errors.ts"
import type { PostId } from "../domain/ids.ts"
import { type Library, namedFiles } from "../domain/media/mediaPlan.ts"
import type { Actor } from "../domain/people/actor.ts"
import { scopeAuthority } from "../domain/people/authority.ts"
import { asDraft, checkChange, checkScheduling, needsApproval, planRequest } from "../domain/posts/approval.ts"
import { planLookups } from "../domain/posts/lookups.ts"
import { findTwoTimes, type PostPatch } from "../domain/posts/newPost.ts"
import type { Post } from "../domain/posts/post.ts"
import {
  planIssues,
  planUpdate,
  platformsAfter,
  referencesAfter,
  type StoredPost,
  textsAfter
} from "../domain/posts/postPlan.ts"
import type { RevisionMatch } from "../domain/posts/revisionMatch.ts"
import { Notifier } from "../notifier/Notifier.ts"
import { CurrentRules } from "../platforms/rules.ts"
import type { IdempotencyKey } from "../repo/idempotency.ts"
import { Repo } from "../repo/Repo.ts"
import { scheduledPost } from "./mediaAccess.ts"
import { MeasureTexts } from "./MeasureTexts.ts"
import type { Prepared, Scheduling } from "./scheduling.ts"
import type { Slots } from "./slots.ts"

class Judged extends Data.TaggedError("Judged")<{ readonly issues: ReadonlyArray<Issue> }> {}

/** Requests approval if the actor schedules the post and requires approval. */
export const makeChangePost = Effect.fnUntraced(function* (scheduling: Scheduling, slots: Slots) {
  const { idempotency, posts, transaction } = yield* Repo
  const { approvalRequested } = yield* Notifier
  const measuring = yield* MeasureTexts
  const rules = yield* CurrentRules

  const notifyIfRequested =
    ({ author, workspaceId }: Actor) =>
    ({ post, requested }: Effect.Success<ReturnType<typeof posts.updateForApproval>>) =>
      requested
        ? approvalRequested(workspaceId, { id: post.id, scheduledAt: post.scheduled_at, content: post.content }, author)
        : Effect.void

  const apply = Effect.fnUntraced(function* (
    actor: Actor,
    id: PostId,
    { schedule, ...patch }: PostPatch,
    match: RevisionMatch | undefined,
    { found, requireMeasures }: Prepared
  ) {
    const now = yield* DateTime.now
    const decide = (post: StoredPost, library: Library, slotAt?: DateTime.Utc) =>
      checkChange(actor, post, match).pipe(
        // The texts of a draft are not measured.
        Result.flatMap(() =>
          (patch.status ?? post.status) === "scheduled" ? requireMeasures(textsAfter(post, patch)) : Result.void
        ),
        Result.flatMap(() => {
          const timed = slotAt === undefined ? patch : { ...patch, scheduled_at: slotAt }
          return planUpdate(rules, post, timed, now, library)
        }),
        Result.flatMap((change) => Result.map(checkScheduling(actor, post, change), () => change)),
        Result.flatMap((change) => planRequest(actor, post, change, patch.keep_approval_request)),
        Result.flatMap((change) => {
          const after = { ...change, isFinal: change.status === "scheduled" || change.keepsRequest }
          return Result.map(planLookups(rules, after, found, post), (planned) => ({ ...change, ...planned }))
        }),
        Result.map((change) => (needsApproval(actor, change) ? asDraft(change) : change))
      )
    const findSlot = (post: StoredPost) => slots.findNext(actor, platformsAfter(post, patch), id)
    const options = {
      by: scopeAuthority(actor, "posts:write"),
      filesAfter: (post: StoredPost) => namedFiles(referencesAfter(post, patch)),
      changesPlatforms: patch.platforms !== undefined,
      ...(schedule !== undefined && { findSlot })
    }
    if (!needsApproval(actor, patch)) return yield* posts.update(actor.workspaceId, id, decide, options)
    const update = posts.updateForApproval(actor.workspaceId, id, decide, options)
    return yield* transaction(Effect.tap(update, notifyIfRequested(actor)).pipe(Effect.map(({ post }) => post)))
  })

  const store = Effect.fn("updatePost")(function* (
    actor: Actor,
    id: PostId,
    patch: PostPatch,
    match: RevisionMatch | undefined,
    key: IdempotencyKey<Post>,
    prepared: Prepared
  ) {
    const twoTimes = findTwoTimes(patch)
    if (twoTimes.length > 0) return yield* InvalidRequest.because(...twoTimes)
    const change = apply(actor, id, patch, match, prepared)
    return yield* patch.schedule === undefined
      ? idempotency.once(key, change)
      : slots.take(actor.workspaceId, key, change)
  })

  /** The issues that the change would have. Stores nothing. None if the caller may not change the post. */
  const findIssues = Effect.fn("changeIssues")(function* (actor: Actor, id: PostId, { schedule, ...patch }: PostPatch) {
    const now = yield* DateTime.now
    const judge = posts.update(
      actor.workspaceId,
      id,
      (post, library) =>
        checkChange(actor, post, undefined).pipe(
          Result.flatMap(() => measuring.requireMeasures(textsAfter(post, patch))),
          Result.flatMap(() =>
            Result.fail(new Judged({ issues: planIssues(planUpdate(rules, post, patch, now, library)) }))
          )
        ),
      {
        by: scopeAuthority(actor, "posts:write"),
        filesAfter: (post) => namedFiles(referencesAfter(post, patch)),
        changesPlatforms: patch.platforms !== undefined
      }
    )
    const ofTimes = findTwoTimes({ ...patch, ...(schedule !== undefined && { schedule }) })
    return yield* judge.pipe(
      Effect.catchTag("MeasuresNeeded", ({ texts }) => Effect.andThen(measuring.measure(texts), judge)),
      Effect.as<ReadonlyArray<Issue>>([]),
      Effect.catchTag("Judged", ({ issues }) => Effect.succeed([...ofTimes, ...issues])),
      Effect.orElseSucceed((): ReadonlyArray<Issue> => [])
    )
  })

  return {
    findChangeIssues: findIssues,
    /** A change without an idempotency key, for a surrounding transaction. */
    apply,
    change: (actor: Actor, id: PostId, patch: PostPatch, match: RevisionMatch | undefined, key: IdempotencyKey<Post>) =>
      scheduling(actor.workspaceId, (prepared) => store(actor, id, patch, match, key, prepared), scheduledPost)
  }
})

export type ApplyChange = Effect.Success<ReturnType<typeof makeChangePost>>["apply"]
