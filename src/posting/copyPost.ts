import { Effect } from "effect"
import type { PostId } from "../domain/ids.ts"
import type { Actor } from "../domain/people/actor.ts"
import { scopeAuthority } from "../domain/people/authority.ts"
import { checkCopy, planCopy } from "../domain/posts/copyPlan.ts"
import type { CopyOrder } from "../domain/posts/newPost.ts"
import type { CopiedPost } from "../repo/posts/Posts.ts"
import { Repo } from "../repo/Repo.ts"
import type { Writing } from "./scheduling.ts"

/** Copies a post to a draft of the actor's: all of it, or what is missing. */
export const makeCopyPost = Effect.map(Repo, ({ posts }) =>
  Effect.fn("copyPost")(function* (actor: Actor, id: PostId, order: CopyOrder, writing: Writing<CopiedPost>) {
    // It is checked before `writing`, which may respond with what another key of the workspace has written.
    yield* Effect.fromResult(checkCopy(actor, order))
    const copying = posts.copy(
      actor.workspaceId,
      id,
      (post, library) => planCopy(post, order, library),
      scopeAuthority(actor, "posts:write")
    )
    return yield* writing(copying)
  })
)
