import { assert, layer } from "@effect/vitest"
import { Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import type { PostId } from "../../../src/domain/ids.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { mediaPublishing, mediaTeam, workAfter } from "../mediaPublishing.ts"
import { statusFault } from "../world.ts"
import { planPublish } from "../../support/plans.ts"

/** When the last send of a post's only target began that may have been carried out. */
const sentAtOf = Effect.fnUntraced(function* (post: PostId) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`SELECT sent_at FROM post_targets WHERE post_id = ${post}::uuid`
  return row?.["sent_at"]
})

layer(mediaPublishing)("A post with media on X whose send went wrong", (it) => {
  it.effect("Looks begin at the first send, however often X answered with 503 since", () =>
    Effect.gen(function* () {
      const { due, fault, target, tweets } = yield* mediaTeam("kept")
      yield* fault(statusFault(503, { when: "after_commit" }))
      const post = yield* due("Kept by X")
      yield* workAfter()
      assert.lengthOf(yield* tweets, 1)
      for (let looks = 0; looks < 3; looks++) yield* fault({ kind: "lag", ms: 3_600_000 }, "timeline")
      yield* fault(statusFault(503))
      yield* workAfter("1 minute", "2 minutes", "5 minutes", "5 minutes")
      assert.deepStrictEqual([(yield* target(post)).status, (yield* tweets).length], ["published", 1])
    })
  )

  it.effect(
    "What ran out after a lost send is not sent again, and its outcome stays unknown until a person resolves it",
    () =>
      Effect.gen(function* () {
        const { due, fault, target, tweets, workspace } = yield* mediaTeam("ran out")
        const { posts, targets } = yield* Repo
        yield* fault({ kind: "reset", when: "before_commit" })
        const post = yield* due("Lost")
        yield* workAfter("1 minute", "2 minutes", "5 minutes")
        assert.strictEqual((yield* target(post)).error?.code, "outcome_unknown")
        const sentAt = sentAtOf(post)
        const before = yield* sentAt
        yield* workAfter("25 hours")
        yield* posts.publish(workspace, post, planPublish)
        yield* workAfter("1 minute")
        const { error, status } = yield* target(post)
        assert.deepStrictEqual([status, error?.code], ["failed", "outcome_unknown"])
        assert.include(error?.message, "have expired")
        assert.deepStrictEqual(yield* sentAt, before)
        const key = { workspaceId: workspace, postId: post, platform: "twitter" } as const
        const resolved = yield* Effect.result(targets.resolve(key, { outcome: "not_published" }))
        assert.isTrue(Result.isSuccess(resolved))
        yield* posts.publish(workspace, post, planPublish)
        yield* workAfter("1 minute")
        assert.deepStrictEqual([(yield* target(post)).status, (yield* tweets).length], ["published", 1])
      })
  )

  it.effect("What runs out before the first send is uploaded again, and the post goes out with it", () =>
    Effect.gen(function* () {
      const { due, fault, target, tweets } = yield* mediaTeam("before")
      const post = yield* due("Waited", { minutes: 30 })
      yield* workAfter()
      yield* fault(statusFault(429, { reset_after: 86_000 }))
      yield* workAfter("30 minutes")
      assert.strictEqual((yield* target(post)).error?.code, "rate_limited")
      yield* workAfter("86000 seconds", "1 minute")
      assert.strictEqual((yield* target(post)).status, "published")
      assert.deepStrictEqual(
        (yield* tweets).map(({ media = [] }) => media.length),
        [1]
      )
    })
  )
})
