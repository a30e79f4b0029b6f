import { DateTime, Effect, Result } from "effect"
import type { PostId } from "../domain/ids.ts"
import type { Library } from "../domain/media/mediaPlan.ts"
import type { Actor } from "../domain/people/actor.ts"
import { scopeAuthority } from "../domain/people/authority.ts"
import type { LivePlatform } from "../domain/platform.ts"
import { checkPublish } from "../domain/posts/approval.ts"
import { type ApprovalOrder, checkDecision, planApproval } from "../domain/posts/approvalDecision.ts"
import { planLookups } from "../domain/posts/lookups.ts"
import type { Post } from "../domain/posts/post.ts"
import { planPublish, type StoredPost } from "../domain/posts/postPlan.ts"
import { PostSites, readPostUrl } from "../domain/publishing/postUrl.ts"
import type { Resolution } from "../domain/publishing/resolution.ts"
import { Notifier } from "../notifier/Notifier.ts"
import { CurrentRules } from "../platforms/rules.ts"
import type { IdempotencyKey } from "../repo/idempotency.ts"
import { Repo } from "../repo/Repo.ts"
import { scheduledPost } from "./mediaAccess.ts"
import type { Prepared, Scheduling } from "./scheduling.ts"
import type { Slots } from "./slots.ts"

interface Approval extends ApprovalOrder {
  /** The post gets the next free slot instead of its own time. */
  readonly takesSlot: boolean
}

interface ResolutionOrder {
  readonly outcome: Resolution["outcome"]
  readonly url?: string
  readonly continue?: boolean
  readonly publish_again?: boolean
}

const authority = (actor: Actor) => scopeAuthority(actor, "posts:publish")

export const makeDecisions = Effect.fnUntraced(function* (scheduling: Scheduling, slots: Slots) {
  const { idempotency, posts, targets, whileAuthorized } = yield* Repo
  const notifier = yield* Notifier
  const rules = yield* CurrentRules
  const sites = yield* PostSites

  const whileAllowed = <A, E, R>(actor: Actor, decision: Effect.Effect<A, E, R>) =>
    whileAuthorized(authority(actor), decision)

  const storeApproval = Effect.fn("approvePost")(function* (
    actor: Actor,
    id: PostId,
    { takesSlot, ...approval }: Approval,
    key: IdempotencyKey<Post>,
    { found, requireMeasures }: Prepared
  ) {
    // Checked before a stored response is returned, because that may be another API key's response.
    yield* Effect.fromResult(checkPublish(actor))
    const now = yield* DateTime.now
    const decide = (post: StoredPost, library: Library, slotAt?: DateTime.Utc) => {
      const order = { ...approval, scheduledAt: slotAt ?? approval.scheduledAt }
      return requireMeasures(post).pipe(
        Result.flatMap(() => planApproval(rules, post, order, now, library)),
        Result.flatMap((change) =>
          Result.map(planLookups(rules, { ...change, isFinal: true }, found, post), (planned) => ({
            ...change,
            ...planned
          }))
        )
      )
    }
    const { workspaceId } = actor
    if (!takesSlot) return yield* idempotency.once(key, posts.approve(workspaceId, id, authority(actor), decide))
    const findSlot = (post: StoredPost) => slots.findNext(actor, post.platforms, id)
    return yield* slots.take(workspaceId, key, posts.approve(workspaceId, id, authority(actor), decide, findSlot))
  })

  return {
    approve: (actor: Actor, id: PostId, approval: Approval, key: IdempotencyKey<Post>) =>
      scheduling(actor.workspaceId, (prepared) => storeApproval(actor, id, approval, key, prepared), scheduledPost),

    reject: Effect.fn("rejectPost")(function* (
      actor: Actor,
      id: PostId,
      { reason, revision }: { readonly reason: string; readonly revision: number }
    ) {
      yield* Effect.fromResult(checkPublish(actor))
      const rejecting = posts.reject(actor.workspaceId, id, { by: actor.author, reason }, (post) =>
        checkDecision(post, revision)
      )
      return yield* whileAllowed(actor, rejecting)
    }),

    /**
     * Stores a person's finding about a target with an unknown outcome, and in the same transaction, the order to
     * publish it again. A target is resolved once, so that of two such orders one is refused.
     */
    resolve: Effect.fn("resolveTarget")(function* (
      actor: Actor,
      { id, platform }: { readonly id: PostId; readonly platform: LivePlatform },
      { continue: continues = false, outcome, publish_again: publishesAgain = false, url }: ResolutionOrder,
      key: IdempotencyKey<Post>
    ) {
      // Checked before a stored response is returned, because that may be another API key's response.
      yield* Effect.fromResult(checkPublish(actor))
      const { workspaceId } = actor
      const named = url === undefined ? null : yield* Effect.fromResult(readPostUrl(platform, url, sites[platform]))
      const resolution: Resolution = outcome === "published" ? { outcome, post: named, continues } : { outcome }
      const again = posts.publish(
        workspaceId,
        id,
        (post, library) => planPublish(rules, post, library),
        authority(actor),
        platform
      )
      const resolving = Effect.gen(function* () {
        const { posts: ended, resolved } = yield* targets.resolve({ workspaceId, postId: id, platform }, resolution)
        yield* notifier.targetResolved(ended, resolved, actor.author)
        return yield* publishesAgain ? again : posts.getWritten(workspaceId, id)
      })
      return yield* idempotency.once(key, whileAllowed(actor, resolving))
    })
  }
})
