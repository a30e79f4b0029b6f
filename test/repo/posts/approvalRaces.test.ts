import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Exit, Result } from "effect"
import { checkDeciding } from "../../../src/domain/posts/approval.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { makeWorkspace, plan } from "../../support/database/fixtures.ts"
import { interleave } from "../../support/database/interleave.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { planPublish } from "../../support/plans.ts"

/** A draft, its request for approval, and its publication, which is refused if it must not decide an approval. */
const start = Effect.gen(function* () {
  const { posts } = yield* Repo
  const workspaceId = yield* makeWorkspace()
  const draft = { ...plan(yield* DateTime.now), status: "draft" } as const
  const { id } = yield* posts.create(workspaceId, draft)
  const { content, overrides, thread } = draft
  const ask = posts.requestApproval(workspaceId, id, { content, overrides, thread, revision: 1 })
  const publish = (decidesNothing: boolean) =>
    posts.publish(workspaceId, id, (post) => Result.andThen(checkDeciding({ decidesNothing }, post), planPublish(post)))
  return { ask, publish, read: posts.get(workspaceId, id) }
})

layer(repoLayer)("a draft that is published while approval is asked for", (it) => {
  it.effect("Publishing a draft whose approval was asked for at this moment is recorded as the approval", () =>
    Effect.gen(function* () {
      const { ask, publish, read } = yield* start
      const [, published] = yield* interleave(ask, publish(false))
      assert.isTrue(Exit.isSuccess(published))
      const { approval, status } = yield* read
      assert.deepStrictEqual([status, approval?.status], ["scheduled", "approved"])
    })
  )

  it.effect("Who may decide on nothing does not publish a draft whose approval was asked for at this moment", () =>
    Effect.gen(function* () {
      const { ask, publish, read } = yield* start
      const [, published] = yield* interleave(ask, publish(true))
      assert.include(String(published), "ApprovalRequired")
      const { approval, status } = yield* read
      assert.deepStrictEqual([status, approval?.status], ["draft", "requested"])
    })
  )
})
