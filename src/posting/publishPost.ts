import { Effect, Result } from "effect"
import type { PostId } from "../domain/ids.ts"
import type { Library } from "../domain/media/mediaPlan.ts"
import type { Actor } from "../domain/people/actor.ts"
import { scopeAuthority } from "../domain/people/authority.ts"
import { checkDeciding, checkPublish, checkResending } from "../domain/posts/approval.ts"
import { planLookups, type PostLookups } from "../domain/posts/lookups.ts"
import { planPictures } from "../domain/posts/picturePlan.ts"
import type { Post } from "../domain/posts/post.ts"
import { planPublish, type StoredPost } from "../domain/posts/postPlan.ts"
import { checkRevision, type RevisionMatch } from "../domain/posts/revisionMatch.ts"
import { CurrentRules } from "../platforms/rules.ts"
import type { IdempotencyKey } from "../repo/idempotency.ts"
import { Repo } from "../repo/Repo.ts"
import { scheduledPost } from "./mediaAccess.ts"
import type { Prepared, Scheduling } from "./scheduling.ts"

export const makePublishPost = Effect.fnUntraced(function* (scheduling: Scheduling) {
  const { idempotency, posts } = yield* Repo
  const rules = yield* CurrentRules

  const store = Effect.fn("publishPost")(function* (
    actor: Actor,
    id: PostId,
    match: RevisionMatch | undefined,
    key: IdempotencyKey<Post>,
    { found, requireMeasures }: Prepared
  ) {
    // A scheduled post keeps its cards and pictures. A failed one may have lost its pictures.
    const lookUp = (post: StoredPost) => {
      const final = { ...post, isFinal: true }
      if (post.status === "draft") return planLookups(rules, final, found, post)
      if (post.status !== "failed") return Result.succeed<PostLookups | undefined>(undefined)
      return Result.map(planPictures(final, found.pictures, post), (settings): PostLookups => {
        const { card = null, thread } = post
        return { card, thread, settings }
      })
    }
    const decide = (post: StoredPost, library: Library) =>
      checkRevision(post, match).pipe(
        Result.flatMap(() => checkDeciding(actor, post)),
        Result.flatMap(() => checkResending(actor, post)),
        Result.flatMap(() =>
          post.status === "published" || post.status === "publishing" ? Result.void : requireMeasures(post)
        ),
        Result.flatMap(() => planPublish(rules, post, library)),
        Result.flatMap(() => lookUp(post))
      )
    // Checked before a stored response is returned, because that may be another API key's response.
    yield* Effect.fromResult(checkPublish(actor))
    return yield* idempotency.once(
      key,
      posts.publish(actor.workspaceId, id, decide, scopeAuthority(actor, "posts:publish"))
    )
  })

  return (actor: Actor, id: PostId, match: RevisionMatch | undefined, key: IdempotencyKey<Post>) =>
    scheduling(actor.workspaceId, (prepared) => store(actor, id, match, key, prepared), scheduledPost)
})
