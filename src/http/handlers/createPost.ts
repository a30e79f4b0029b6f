import { DateTime, Effect } from "effect"
import { CurrentKey } from "../../api/Authorization.ts"
import type { NewPost } from "../../domain/newPost.ts"
import { planCreate } from "../../domain/postPlan.ts"
import { Notifier } from "../../notifier/Notifier.ts"
import { Repo } from "../../repo/Repo.ts"
import { mustWait, waiting } from "./approval.ts"

/** Stores a new post. One that has to be approved before it is scheduled stays a draft, and the workspace is told. */
export const makeCreatePost = Effect.gen(function* () {
  const { posts, transaction } = yield* Repo
  const { approvalRequested } = yield* Notifier

  return Effect.fn("createPost")(function* (post: NewPost) {
    const key = yield* CurrentKey
    const plan = yield* Effect.fromResult(planCreate(post, yield* DateTime.now))
    if (!mustWait(key, plan)) return yield* posts.create(key.workspaceId, plan)
    return yield* posts.create(key.workspaceId, waiting(plan)).pipe(
      Effect.tap(({ id }) =>
        approvalRequested(key.workspaceId, { id, scheduledAt: plan.scheduledAt, content: plan.content })
      ),
      transaction
    )
  })
})
