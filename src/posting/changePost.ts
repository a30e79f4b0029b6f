import { DateTime, Effect, Result } from "effect"
import type { PostId } from "../domain/ids.ts"
import { type Library, namedFiles } from "../domain/media/mediaPlan.ts"
import type { Actor } from "../domain/people/actor.ts"
import { scopeAuthority } from "../domain/people/authority.ts"
import { asDraft, checkChange, checkScheduling, needsApproval, planRequest } from "../domain/posts/approval.ts"
import { type FoundCards, planCards } from "../domain/posts/cardPlan.ts"
import type { PostPatch } from "../domain/posts/newPost.ts"
import type { Post } from "../domain/posts/post.ts"
import { planUpdate, referencesAfter, type StoredPost } from "../domain/posts/postPlan.ts"
import type { RevisionMatch } from "../domain/posts/revisionMatch.ts"
import { Notifier } from "../notifier/Notifier.ts"
import { CurrentRules } from "../platforms/rules.ts"
import type { IdempotencyKey } from "../repo/idempotency.ts"
import { Repo } from "../repo/Repo.ts"
import { scheduledPost } from "./mediaAccess.ts"
import type { Scheduling } from "./scheduling.ts"

/** Requests approval if the actor schedules the post and requires approval. */
export const makeChangePost = Effect.fnUntraced(function* (scheduling: Scheduling) {
  const { idempotency, posts, transaction } = yield* Repo
  const { approvalRequested } = yield* Notifier
  const rules = yield* CurrentRules

  const notifyIfRequested =
    ({ author, workspaceId }: Actor) =>
    ({ post, requested }: Effect.Success<ReturnType<typeof posts.updateForApproval>>) =>
      requested
        ? approvalRequested(workspaceId, { id: post.id, scheduledAt: post.scheduled_at, content: post.content }, author)
        : Effect.void

  const store = Effect.fn("updatePost")(function* (
    actor: Actor,
    id: PostId,
    patch: PostPatch,
    match: RevisionMatch | undefined,
    key: IdempotencyKey<Post>,
    found: FoundCards
  ) {
    const now = yield* DateTime.now
    const decide = (post: StoredPost, library: Library) =>
      checkChange(actor, post, match).pipe(
        Result.flatMap(() => planUpdate(rules, post, patch, now, library)),
        Result.flatMap((change) => Result.map(checkScheduling(actor, post, change), () => change)),
        Result.flatMap((change) => planRequest(actor, post, change, patch.keep_approval_request)),
        Result.flatMap((change) => {
          const after = { ...change, isFinal: change.status === "scheduled" || change.keepsRequest }
          return Result.map(planCards(rules, after, found, post), (cards) => ({ ...change, ...cards }))
        }),
        Result.map((change) => (needsApproval(actor, change) ? asDraft(change) : change))
      )
    const options = {
      by: scopeAuthority(actor, "posts:write"),
      filesAfter: (post: StoredPost) => namedFiles(referencesAfter(post, patch)),
      changesPlatforms: patch.platforms !== undefined
    }
    if (!needsApproval(actor, patch))
      return yield* idempotency.once(key, posts.update(actor.workspaceId, id, decide, options))
    const update = posts.updateForApproval(actor.workspaceId, id, decide, options)
    return yield* idempotency.once(
      key,
      transaction(Effect.tap(update, notifyIfRequested(actor)).pipe(Effect.map(({ post }) => post)))
    )
  })

  return (actor: Actor, id: PostId, patch: PostPatch, match: RevisionMatch | undefined, key: IdempotencyKey<Post>) =>
    scheduling(actor.workspaceId, (found) => store(actor, id, patch, match, key, found), scheduledPost)
})
