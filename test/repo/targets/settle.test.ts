import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import type { TargetError } from "../../../src/domain/posts/post.ts"
import { rollUp } from "../../../src/domain/publishing/rollUp.ts"
import type { Settlement } from "../../../src/domain/publishing/settlement.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import type { Claim } from "../../../src/repo/targets/Targets.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { deletePosts, lease, makeDuePosts } from "../../support/database/duePosts.ts"
import { makeWorkspace, plan } from "../../support/database/fixtures.ts"
import { expireLease, failed, published, retryMuchLater, targetError } from "./settlements.ts"
import { planPublish } from "../../support/plans.ts"

layer(repoLayer, { excludeTestServices: true })("targets.settle", (it) => {
  it.effect("Only one of two concurrent settlements of a claim is written", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const { targets } = yield* Repo
      yield* makeDuePosts(60, 1)
      const claims = yield* targets.claim(100, lease)
      const outcomes = yield* Effect.forEach(
        claims,
        (claim) =>
          Effect.all([Effect.result(targets.settle(claim, published)), Effect.result(targets.settle(claim, failed))], {
            concurrency: 2
          }),
        { concurrency: 4 }
      )
      assert.deepStrictEqual(
        outcomes.filter((both) => both.filter(Result.isSuccess).length !== 1),
        []
      )
    })
  )

  it.effect("A claim that another one of its target has replaced is lost, although both settle in one batch", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const { targets } = yield* Repo
      yield* makeDuePosts(1, 1)
      const [replaced] = yield* targets.claim(100, lease)
      if (replaced === undefined) return yield* Effect.die("Nothing was claimed")
      yield* expireLease(replaced)
      const [current] = yield* targets.claim(100, lease)
      if (current === undefined) return yield* Effect.die("The target was not claimed again")
      const { lost, posts } = yield* targets.settleAll(
        [
          { claim: replaced, settlement: published },
          { claim: current, settlement: failed }
        ],
        () => Effect.void
      )
      assert.deepStrictEqual([lost, posts.map(({ status }) => status)], [[replaced], ["failed"]])
    })
  )

  it.effect("What was prepared is kept of a target that failed, and not of one that is published", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const sql = yield* SqlClient.SqlClient
      const { targets } = yield* Repo
      yield* makeDuePosts(2, 1)
      const claims = yield* targets.claim(100, lease)
      yield* Effect.forEach(claims, (claim) => targets.beginSend(claim, { text: "Hello" }, lease))
      yield* Effect.forEach(claims, (claim, index) => targets.settle(claim, index === 0 ? published : failed))
      assert.sameDeepMembers(
        [...(yield* sql`SELECT status, prepared FROM post_targets`)],
        [
          { status: "published", prepared: {} },
          { status: "failed", prepared: { text: "Hello" } }
        ]
      )
    })
  )

  it.effect("Concurrent settlements of a post's two targets roll up its status correctly and end it once", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const { posts, targets } = yield* Repo
      const now = yield* DateTime.now
      const createPost = Effect.flatMap(makeWorkspace(), (workspace) =>
        Effect.map(posts.create(workspace, plan(now, ["twitter", "bluesky"])), ({ id }) => ({ workspace, id }))
      )
      const all = yield* Effect.forEach(Array.from({ length: 90 }), () => createPost, { concurrency: 8 })
      const claims = yield* targets.claim(200, lease)
      assert.strictEqual(claims.length, 180)
      const settlements = [published, failed, retryMuchLater]
      const wrong = yield* Effect.forEach(
        all,
        ({ id, workspace }, index) =>
          Effect.gen(function* () {
            const settled = yield* Effect.forEach(
              claims.filter(({ postId }) => postId === id),
              (claim, which) =>
                targets.settle(claim, settlements[(which === 0 ? index : Math.floor(index / 3)) % 3] ?? retryMuchLater),
              { concurrency: 2 }
            )
            const post = yield* posts.get(workspace, id)
            const statuses = post.post_targets.map(({ status }) => status)
            const ends = settled.filter(({ status }) => status !== "publishing").length
            const expected = rollUp(statuses, "publishing")
            return post.status === expected && ends === (expected === "publishing" ? 0 : 1)
              ? []
              : [{ statuses, post, ends }]
          }),
        { concurrency: 4 }
      )
      assert.deepStrictEqual(wrong.flat(), [])
    })
  )

  it.effect("Settling an attempt that sent nothing keeps an earlier unknown outcome and the request to resend", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const { posts, targets } = yield* Repo
      yield* makeDuePosts(1, 1)
      const claimNext = Effect.map(targets.claim(1, lease), ([claim]) => claim ?? assert.fail("Nothing was due"))
      const retryAfter = (code: TargetError["code"]): Settlement => ({
        _tag: "Retry",
        at: DateTime.makeUnsafe(0),
        error: targetError(code)
      })
      const sendAndSettle = Effect.fnUntraced(function* (settlement: Settlement) {
        const claim = yield* claimNext
        yield* targets.beginSend(claim, "text", lease)
        yield* targets.settle(claim, settlement)
        return claim
      })
      const { postId, workspaceId } = yield* sendAndSettle({ _tag: "Failed", error: targetError("outcome_unknown") })
      yield* posts.publish(workspaceId, postId, planPublish)
      const ordered = yield* sendAndSettle(retryAfter("rate_limited"))
      assert.isTrue(ordered.resendOrdered)
      const limited = yield* sendAndSettle(retryAfter("unavailable"))
      assert.deepStrictEqual([limited.sentAt, limited.resendOrdered], [ordered.sentAt, true])
      const unknown = yield* sendAndSettle(retryAfter("outcome_unknown"))
      assert.deepStrictEqual([unknown.sentAt, unknown.resendOrdered], [ordered.sentAt, true])
      const next = yield* claimNext
      assert.isFalse(next.resendOrdered)
      assert.isTrue(
        next.sentAt !== null && unknown.sentAt !== null && DateTime.isGreaterThan(next.sentAt, unknown.sentAt)
      )
    })
  )

  it.effect("An attempt that sent nothing leaves the target to look first, as the claim found it", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const sql = yield* SqlClient.SqlClient
      const { targets } = yield* Repo
      yield* makeDuePosts(1, 1)
      yield* sql`UPDATE post_targets SET reconcile_from = now() - interval '1 hour', reconcile_until = now()`
      const claimNext = Effect.map(targets.claim(1, lease), ([claim]) => claim ?? assert.fail("Nothing was due"))
      const times = ({ reconcileFrom, reconcileUntil }: Claim) => [reconcileFrom, reconcileUntil]
      const first = yield* claimNext
      assert.isNotNull(first.reconcileFrom)
      yield* targets.beginSend(first, "text", lease)
      yield* targets.release(first)
      const second = yield* claimNext
      assert.deepStrictEqual(times(second), times(first))
      yield* targets.beginSend(second, "text", lease)
      yield* targets.settle(second, { _tag: "Retry", at: DateTime.makeUnsafe(0), error: targetError("unavailable") })
      const third = yield* claimNext
      assert.deepStrictEqual(times(third), times(first))
      yield* targets.beginSend(third, "text", lease)
      yield* targets.settle(third, {
        _tag: "Retry",
        at: DateTime.makeUnsafe(0),
        error: targetError("outcome_unknown")
      })
      assert.deepStrictEqual(times(yield* claimNext), [null, null])
    })
  )
})
