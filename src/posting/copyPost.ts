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
    // Checked first, because the stored response may be another API key's.
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
