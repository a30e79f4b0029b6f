import { Effect } from "effect"
import type { PostId } from "../domain/ids.ts"
import type { Actor } from "../domain/people/actor.ts"
import { scopeAuthority } from "../domain/people/authority.ts"
import { checkCopy, planCopy } from "../domain/posts/copyPlan.ts"
import type { CopyOrder } from "../domain/posts/newPost.ts"
import type { IdempotencyKey } from "../repo/idempotency.ts"
import type { CopiedPost } from "../repo/posts/Posts.ts"
import { Repo } from "../repo/Repo.ts"

export const makeCopyPost = Effect.map(Repo, ({ idempotency, posts }) =>
  Effect.fn("copyPost")(function* (actor: Actor, id: PostId, order: CopyOrder, key: IdempotencyKey<CopiedPost>) {
    // Checked before a stored response is returned, because that may be another API key's response.
    yield* Effect.fromResult(checkCopy(actor, order))
    const copying = posts.copy(
      actor.workspaceId,
      id,
      (post, library) => planCopy(post, order, library),
      scopeAuthority(actor, "posts:write")
    )
    return yield* idempotency.once(key, copying)
  })
)
