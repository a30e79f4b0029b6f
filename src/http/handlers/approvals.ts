import { DateTime, Effect, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { makeTellOfMediaAccess, scheduledPost } from "../../accounts/mediaAccess.ts"
import { Api } from "../../api/Api.ts"
import type { ApprovePost, RejectPost, ResolveTarget } from "../../api/posts/Approvals.ts"
import { CurrentActor } from "../../api/Authorization.ts"
import { ReplayableOnePost } from "../../api/posts/postResponses.ts"
import { checkPublish } from "../../domain/posts/approval.ts"
import { checkDecision, planApproval } from "../../domain/posts/approvalDecision.ts"
import { type FoundCards, planCard } from "../../domain/posts/cardPlan.ts"
import type { PostId } from "../../domain/ids.ts"
import type { Library } from "../../domain/media/mediaPlan.ts"
import type { LivePlatform } from "../../domain/platform.ts"
import type { StoredPost } from "../../domain/posts/postPlan.ts"
import { readPostUrl } from "../../domain/publishing/resolution.ts"
import { Notifier } from "../../notifier/Notifier.ts"
import { Repo } from "../../repo/Repo.ts"
import { orProblem } from "../problems.ts"
import { type IdempotencyHeaders, makeOnce } from "./idempotency.ts"
import { makeWithCards } from "./linkCards.ts"
import { asData, inWorkspace, onePost } from "./shared.ts"

interface ApproveRequest {
  readonly id: PostId
  readonly headers: IdempotencyHeaders
  readonly body: string
  readonly order: typeof ApprovePost.Type
}

export const approvalsLayer = HttpApiBuilder.group(
  Api,
  "approvals",
  Effect.fn(function* (handlers) {
    const { posts, targets, transaction } = yield* Repo
    const notifier = yield* Notifier
    const once = yield* makeOnce
    const withCards = yield* makeWithCards
    const tellOfMediaAccess = yield* makeTellOfMediaAccess

    const approvePost = Effect.fn("approvePost")(function* (
      { body, headers, id, order: { publish_now, revision, scheduled_at } }: ApproveRequest,
      found: FoundCards
    ) {
      const actor = yield* CurrentActor
      // Before `once`, which would replay the response that another key of the workspace got.
      yield* Effect.fromResult(checkPublish(actor))
      const now = yield* DateTime.now
      const scheduledAt = publish_now === true ? "now" : (scheduled_at ?? null)
      const decide = (post: StoredPost, library: Library) =>
        Result.flatMap(planApproval(post, { revision, scheduledAt }, now, library), (change) => {
          const after = { ...change, platforms: post.platforms, isFinal: true }
          return Result.map(planCard(after, found, post), (card) => ({ ...change, card }))
        })
      return yield* once(
        headers,
        body,
        ReplayableOnePost,
        asData(posts.approve(actor.workspaceId, id, actor.author, decide))
      )
    })

    const rejectPost = Effect.fn("rejectPost")(function* (id: PostId, { reason, revision }: typeof RejectPost.Type) {
      const actor = yield* CurrentActor
      yield* Effect.fromResult(checkPublish(actor))
      return yield* posts.reject(actor.workspaceId, id, { by: actor.author, reason }, (post) =>
        checkDecision(post, revision)
      )
    })

    const resolveTarget = Effect.fn("resolveTarget")(function* (
      { id, platform }: { readonly id: PostId; readonly platform: LivePlatform },
      { outcome, url }: typeof ResolveTarget.Type
    ) {
      const actor = yield* CurrentActor
      yield* Effect.fromResult(checkPublish(actor))
      const { workspaceId } = actor
      const post = url === undefined ? null : yield* Effect.fromResult(readPostUrl(platform, url))
      const resolution = outcome === "published" ? { outcome, post } : { outcome }
      yield* targets.resolve({ workspaceId, postId: id, platform }, resolution).pipe(
        Effect.flatMap((ended) => notifier.targetResolved(ended.posts, ended.resolved, actor.author)),
        transaction
      )
      return yield* posts.get(workspaceId, id)
    })

    return handlers
      .handle("approve", ({ headers, params: { id }, payload, request }) =>
        Effect.orDie(request.text).pipe(
          Effect.flatMap((body) => withCards((found) => approvePost({ id, headers, body, order: payload }, found))),
          Effect.tap(({ data }) => inWorkspace(tellOfMediaAccess(scheduledPost(data)))),
          Effect.map(({ data }) => onePost(data)),
          orProblem
        )
      )
      .handle("reject", ({ params: { id }, payload }) => rejectPost(id, payload).pipe(Effect.map(onePost), orProblem))
      .handle("resolve", ({ params, payload }) => resolveTarget(params, payload).pipe(Effect.map(onePost), orProblem))
  })
)
