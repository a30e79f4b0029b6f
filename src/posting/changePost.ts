import { DateTime, Effect, Result } from "effect"
import type { PostId } from "../domain/ids.ts"
import { type Library, namedFiles } from "../domain/media/mediaPlan.ts"
import type { Actor } from "../domain/people/actor.ts"
import { scopeAuthority } from "../domain/people/authority.ts"
import { asDraft, checkChange, checkScheduling, needsApproval } from "../domain/posts/approval.ts"
import { planCards } from "../domain/posts/cardPlan.ts"
import type { PostPatch } from "../domain/posts/newPost.ts"
import type { Post } from "../domain/posts/post.ts"
import { planUpdate, referencesAfter, type StoredPost, textsAfter } from "../domain/posts/postPlan.ts"
import type { RevisionMatch } from "../domain/posts/revisionMatch.ts"
import { Notifier } from "../notifier/Notifier.ts"
import { CurrentRules } from "../platforms/rules.ts"
import type { IdempotencyKey } from "../repo/idempotency.ts"
import { Repo } from "../repo/Repo.ts"
import { scheduledPost } from "./mediaAccess.ts"
import type { Prepared, Scheduling } from "./scheduling.ts"

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
    { cards, requireMeasures }: Prepared
  ) {
    const now = yield* DateTime.now
    const decide = (post: StoredPost, library: Library) =>
      checkChange(actor, post, match).pipe(
        // The texts of a draft are not measured.
        Result.flatMap(() =>
          (patch.status ?? post.status) === "scheduled" ? requireMeasures(textsAfter(post, patch)) : Result.void
        ),
        Result.flatMap(() => planUpdate(rules, post, patch, now, library)),
        Result.flatMap((change) => Result.map(checkScheduling(actor, post, change), () => change)),
        Result.flatMap((change) => {
          const after = { ...change, isFinal: change.status === "scheduled" }
          return Result.map(planCards(rules, after, cards, post), (planned) => ({ ...change, ...planned }))
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
    scheduling(actor.workspaceId, (prepared) => store(actor, id, patch, match, key, prepared), scheduledPost)
})
