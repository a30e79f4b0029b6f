import { Effect } from "effect"
import { CurrentKey } from "../../api/Authorization.ts"
import { OnePost } from "../../api/postResponses.ts"
import type { PostId } from "../../domain/ids.ts"
import { planPublish } from "../../domain/postPlan.ts"
import { Repo } from "../../repo/Repo.ts"
import { checkPublish } from "./approval.ts"
import { asData } from "./asData.ts"
import { makeOnce, type Repeatable } from "./idempotency.ts"

/** Makes a post due now. */
export const makePublishPost = Effect.gen(function* () {
  const { posts } = yield* Repo
  const once = yield* makeOnce

  return Effect.fn("publishPost")(function* (id: PostId, headers: Repeatable) {
    const key = yield* CurrentKey
    // Even where it would only repeat what another key was answered.
    yield* Effect.fromResult(checkPublish(key))
    return yield* once(headers, "", OnePost, asData(posts.publish(key.workspaceId, id, planPublish)))
  })
})
