import { Effect } from "effect"
import type { PostId } from "../domain/ids.ts"
import type { Actor } from "../domain/people/actor.ts"
import { scopeAuthority } from "../domain/people/authority.ts"
import { checkCopy, planCopy } from "../domain/posts/copyPlan.ts"
import type { CopyOrder } from "../domain/posts/newPost.ts"
import type { IdempotencyKey } from "../repo/idempotency.ts"
import type { CopiedPost } from "../repo/posts/Posts.ts"
import { Repo } from "../repo/Repo.ts"
import type { ApplyChange } from "./changePost.ts"
import { scheduledPost } from "./mediaAccess.ts"
import type { Prepared, Scheduling } from "./scheduling.ts"
import type { Slots } from "./slots.ts"

const intoSlot = { status: "scheduled", schedule: "next_slot" } as const

/** A copy is a draft of the actor's that nobody else has seen, so it is not refused for its state. */
const schedule = (applyChange: ApplyChange, actor: Actor, { post, warnings }: CopiedPost, prepared: Prepared) =>
  applyChange(actor, post.id, intoSlot, undefined, prepared).pipe(
    Effect.catchTag(["NotOwnDraft", "PreconditionRequired", "RevisionMismatch", "ScopeRequired"], Effect.die),
    Effect.map((scheduled): CopiedPost => ({ post: scheduled, warnings }))
  )

export const makeCopyPost = (scheduling: Scheduling, slots: Slots, applyChange: ApplyChange) =>
  Effect.map(Repo, ({ idempotency, posts }) =>
    Effect.fn("copyPost")(function* (actor: Actor, id: PostId, order: CopyOrder, key: IdempotencyKey<CopiedPost>) {
      // Checked before a stored response is returned, because that may be another API key's response.
      yield* Effect.fromResult(checkCopy(actor, order))
      const { workspaceId } = actor
      const copying = posts.copy(
        workspaceId,
        id,
        (post, library) => planCopy(post, order, library),
        scopeAuthority(actor, "posts:write")
      )
      if (order.schedule === undefined) return yield* idempotency.once(key, copying)
      return yield* scheduling(
        workspaceId,
        (prepared) =>
          slots.take(
            workspaceId,
            key,
            Effect.flatMap(copying, (copy) => schedule(applyChange, actor, copy, prepared))
          ),
        ({ post }) => scheduledPost(post)
      )
    })
  )
