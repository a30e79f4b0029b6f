import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Exit, Result } from "effect"
import { SqlClient } from "effect/sql"
import type { PostId, WorkspaceId } from "../../../src/domain/ids.ts"
import { planCopy } from "../../../src/domain/posts/copyPlan.ts"
import type { CopyOrder, PostPatch } from "../../../src/domain/posts/newPost.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { makeEditor, makeWorkspace, plan } from "../../support/database/fixtures.ts"
import { interleave } from "../../support/database/interleave.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { planPublish, planUpdate } from "../../support/plans.ts"

const epoch = DateTime.makeUnsafe(0)

/** The actions of two concurrent requests for one post. */
const start = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { posts } = yield* Repo
  const workspaceId: WorkspaceId = yield* makeWorkspace()
  const by = yield* makeEditor(workspaceId)
  const create = Effect.map(
    posts.create(workspaceId, { ...plan(epoch), platforms: ["twitter", "bluesky"] }),
    ({ id }) => id
  )
  const fail = Effect.gen(function* () {
    const id = yield* create
    yield* sql`UPDATE post_targets SET status = 'failed', due_at = NULL, due_since = NULL, error_code = 'rejected',
      error_message = 'Refused', error_retryable = false WHERE post_id = ${id}::uuid`
    yield* sql`UPDATE posts SET status = 'failed' WHERE id = ${id}::uuid`
    return id
  })
  const copy = (id: PostId, order: CopyOrder = { what: "missing" }) =>
    posts.copy(workspaceId, id, (post, library) => planCopy(post, order, library), by)
  const publish = (id: PostId) => posts.publish(workspaceId, id, (post) => planPublish(post))
  const update = (id: PostId, patch: PostPatch) =>
    posts.update(workspaceId, id, (post) => planUpdate(post, patch, epoch), { changesPlatforms: true })
  const targets = (id: PostId) =>
    Effect.map(posts.get(workspaceId, id), ({ post_targets }) =>
      post_targets.map(({ copied_to, integrations, status }) => [integrations.platform, status, copied_to])
    )
  return { sql, posts, workspaceId, create, fail, copy, publish, update, targets }
})

const tagOf = (exit: Exit.Exit<unknown, { readonly _tag: string }>) =>
  Exit.match(exit, { onSuccess: () => "done", onFailure: (cause) => String(cause) })

layer(repoLayer)("a post that is copied, published again or changed at once", (it) => {
  it.effect("Of two copies of what is missing one is made, and the other finds it taken over", () =>
    Effect.gen(function* () {
      const { copy, fail, targets } = yield* start
      const id = yield* fail
      const [first, second] = yield* interleave(copy(id), copy(id))
      assert.include(tagOf(second), "InvalidState")
      const copyId = first.post.id
      assert.deepStrictEqual(yield* targets(id), [
        ["twitter", "failed", copyId],
        ["bluesky", "failed", copyId]
      ])
    })
  )

  it.effect("A post that is published again while it is copied is refused", () =>
    Effect.gen(function* () {
      const { copy, fail, publish, targets } = yield* start
      const id = yield* fail
      const [{ post }, published] = yield* interleave(copy(id), publish(id))
      assert.include(tagOf(published), "InvalidState")
      assert.deepStrictEqual(yield* targets(id), [
        ["twitter", "failed", post.id],
        ["bluesky", "failed", post.id]
      ])
    })
  )

  it.effect("A post that is copied while it is published again has nothing missing", () =>
    Effect.gen(function* () {
      const { copy, fail, publish, targets } = yield* start
      const id = yield* fail
      const [, copied] = yield* interleave(publish(id), copy(id))
      assert.include(tagOf(copied), "InvalidState")
      assert.deepStrictEqual(yield* targets(id), [
        ["twitter", "pending", null],
        ["bluesky", "pending", null]
      ])
    })
  )

  it.effect("A post is published again only where no copy has taken it over meanwhile", () =>
    Effect.gen(function* () {
      const { copy, fail, publish, targets } = yield* start
      const id = yield* fail
      const [{ post }, published] = yield* interleave(
        copy(id, { what: "missing", platforms: ["twitter"] }),
        publish(id)
      )
      assert.strictEqual(tagOf(published), "done")
      assert.deepStrictEqual(yield* targets(id), [
        ["twitter", "failed", post.id],
        ["bluesky", "pending", null]
      ])
    })
  )

  it.effect("Whoever changes a post sees the platforms that somebody else has just given it", () =>
    Effect.gen(function* () {
      const { create, posts, targets, update, workspaceId } = yield* start
      const id = yield* create
      const seen: Array<unknown> = []
      const change = posts.update(workspaceId, id, (post) => {
        seen.push(post.platforms)
        return Result.map(planUpdate(post, { content: "Other" }, epoch), (changed) => changed)
      })
      yield* interleave(update(id, { platforms: ["bluesky"] }), change)
      assert.deepStrictEqual(seen, [["bluesky"]])
      assert.deepStrictEqual(yield* targets(id), [["bluesky", "pending", null]])
      // If the second change did not wait for the first, the post would have no platforms.
      const [, second] = yield* interleave(
        update(id, { platforms: ["twitter"] }),
        update(id, { platforms: ["bluesky"] })
      )
      assert.strictEqual(tagOf(second), "done")
      assert.deepStrictEqual(yield* targets(id), [["bluesky", "pending", null]])
    })
  )
})
