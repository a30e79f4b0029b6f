import { DateTime, Effect, Result } from "effect"
import { CurrentKey } from "../../api/Authorization.ts"
import type { PostId } from "../../domain/ids.ts"
import type { PostPatch } from "../../domain/newPost.ts"
import { planUpdate, type StoredPost } from "../../domain/postPlan.ts"
import { Notifier } from "../../notifier/Notifier.ts"
import { Repo } from "../../repo/Repo.ts"
import { checkChange, mustWait, waiting } from "./approval.ts"

/** Changes a draft or scheduled post. One that has to be approved before it is scheduled stays a draft, and the workspace is told. */
export const makeUpdatePost = Effect.gen(function* () {
  const { posts, transaction } = yield* Repo
  const { approvalRequested } = yield* Notifier

  return Effect.fn("updatePost")(function* (id: PostId, patch: PostPatch) {
    const key = yield* CurrentKey
    const now = yield* DateTime.now
    const decide = (post: StoredPost) =>
      checkChange(key, post.status, patch).pipe(
        Result.flatMap(() => planUpdate(post, patch, now)),
        Result.map((change) => (mustWait(key, change) ? waiting(change) : change))
      )
    const update = posts.update(key.workspaceId, id, decide)
    if (!mustWait(key, patch)) return yield* update
    return yield* update.pipe(
      Effect.tap((post) =>
        approvalRequested(key.workspaceId, { id, scheduledAt: post.scheduled_at, content: post.content })
      ),
      transaction
    )
  })
})
