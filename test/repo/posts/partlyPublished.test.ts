import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { PostPatch } from "../../../src/domain/posts/newPost.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { makeWorkspace, plan } from "../../support/database/fixtures.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { planPublish, planUpdate } from "../../support/plans.ts"

/** A post that is published on X and pending again on Bluesky, which refused it, and the result of changing it. */
const start = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { posts } = yield* Repo
  const workspaceId = yield* makeWorkspace()
  const now = yield* DateTime.now
  const { id } = yield* posts.create(workspaceId, plan(now, ["twitter", "bluesky"]))
  yield* sql`UPDATE post_targets SET status = 'published', due_at = NULL, due_since = NULL, platform_post_id = '1',
    published_at = now() WHERE post_id = ${id}::uuid AND platform = 'twitter'`
  yield* sql`UPDATE post_targets SET status = 'failed', due_at = NULL, due_since = NULL, error_code = 'rejected',
    error_message = 'Refused', error_retryable = false WHERE post_id = ${id}::uuid AND platform = 'bluesky'`
  yield* sql`UPDATE posts SET status = 'failed' WHERE id = ${id}::uuid`
  assert.strictEqual((yield* posts.publish(workspaceId, id, (post) => planPublish(post))).status, "scheduled")
  const change = (patch: PostPatch) =>
    posts
      .update(workspaceId, id, (post) => planUpdate(post, patch, now))
      .pipe(
        Effect.as("changed"),
        Effect.catchTag("InvalidState", ({ message }) => Effect.succeed(message))
      )
  return { change, now, read: posts.get(workspaceId, id) }
})

layer(repoLayer)("a post that is published on one platform and waits again for another", (it) => {
  it.effect.each([
    { content: "Other" },
    { platform_overrides: { twitter: "Other" } },
    { platform_settings: { twitter: { who_can_reply: "following" } } },
    { thread: [{ content: "More" }] }
  ] satisfies ReadonlyArray<PostPatch>)("What is out is not shown as something else: %j is refused", (patch) =>
    Effect.gen(function* () {
      const { change, read } = yield* start
      const before = yield* read
      assert.include(yield* change(patch), "part of the post is published, or may be")
      assert.deepStrictEqual(yield* read, before)
    })
  )

  it.effect("It can't become a draft, which would hide that it is out", () =>
    Effect.gen(function* () {
      const { change, read } = yield* start
      assert.include(yield* change({ status: "draft" }), "can't become a draft")
      assert.strictEqual((yield* read).status, "scheduled")
    })
  )

  it.effect("Its time and its tags can be changed", () =>
    Effect.gen(function* () {
      const { change, now, read } = yield* start
      assert.strictEqual(yield* change({ tags: ["again"], scheduled_at: DateTime.add(now, { hours: 1 }) }), "changed")
      assert.deepStrictEqual((yield* read).tags, ["again"])
    })
  )
})
