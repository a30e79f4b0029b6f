import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import type { LivePlatform } from "../../../src/domain/platform.ts"
import type { Settlement } from "../../../src/domain/publishing/settlement.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import type { Claim } from "../../../src/repo/targets/Targets.ts"
import { deletePosts, lease, makeDuePosts } from "../../support/database/duePosts.ts"
import { makeWorkspace, plan } from "../../support/database/fixtures.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { expireLease, failed, published, retryMuchLater, targetError } from "./settlements.ts"
import { planPublish, planUpdate } from "../../support/plans.ts"

const unknown: Settlement = { _tag: "Failed", error: targetError("outcome_unknown") }

const claimNext = Effect.gen(function* () {
  const [claim] = yield* (yield* Repo).targets.claim(1, lease)
  return claim ?? assert.fail("Nothing was due")
})

/** A claim that began to send a post and was then lost, and the claim of the process that took over. */
const takenOverOn = Effect.fn(function* (platform: LivePlatform) {
  yield* deletePosts
  const { targets } = yield* Repo
  yield* makeDuePosts(1, 1, platform)
  const late = yield* claimNext
  yield* targets.beginSend(late, { text: "Hello" }, lease)
  yield* expireLease(late)
  return { late, other: yield* claimNext }
})

const takenOver = takenOverOn("twitter")

const stored = Effect.fn(function* ({ postId, workspaceId }: Claim) {
  const { post_targets, status } = yield* (yield* Repo).posts.get(workspaceId, postId)
  const [target] = post_targets
  return [status, target?.status, target?.error?.code ?? null]
})

layer(repoLayer, { excludeTestServices: true })("An outcome that becomes known after its claim was lost", (it) => {
  it.effect("A publication is stored while another process holds the claim, which that process then has lost", () =>
    Effect.gen(function* () {
      const { targets } = yield* Repo
      const { late, other } = yield* takenOver
      const settled = yield* targets.settle(late, published)
      assert.strictEqual(settled.status, "published")
      assert.deepStrictEqual(yield* stored(late), ["published", "published", null])
      assert.strictEqual((yield* Effect.flip(targets.beginSend(other, "text", lease)))._tag, "ClaimLost")
      assert.strictEqual((yield* Effect.flip(targets.settle(other, unknown)))._tag, "ClaimLost")
    })
  )

  it.effect("A publication is stored over an unknown outcome", () =>
    Effect.gen(function* () {
      const { targets } = yield* Repo
      const { late, other } = yield* takenOver
      assert.strictEqual((yield* targets.settle(other, unknown)).status, "failed")
      assert.strictEqual((yield* targets.settle(late, published)).status, "published")
      assert.deepStrictEqual(yield* stored(late), ["published", "published", null])
    })
  )

  it.effect("A rejection is stored over an unknown outcome, once", () =>
    Effect.gen(function* () {
      const { targets } = yield* Repo
      const { late, other } = yield* takenOver
      yield* targets.settle(other, unknown)
      yield* targets.settle(late, failed)
      assert.deepStrictEqual(yield* stored(late), ["failed", "failed", "rejected"])
      assert.strictEqual((yield* Effect.flip(targets.settle(late, failed)))._tag, "ClaimLost")
    })
  )

  it.effect("A rejection ends a claim that only looks for the post", () =>
    Effect.gen(function* () {
      const { targets } = yield* Repo
      const { late, other } = yield* takenOver
      yield* targets.settle(late, failed)
      assert.deepStrictEqual(yield* stored(late), ["failed", "failed", "rejected"])
      assert.strictEqual((yield* Effect.flip(targets.beginSend(other, "text", lease)))._tag, "ClaimLost")
    })
  )

  it.effect("A rejection leaves a claim alone that repeats the post under its key, which goes by that claim", () =>
    Effect.gen(function* () {
      const { targets } = yield* Repo
      const { late, other } = yield* takenOverOn("bluesky")
      assert.strictEqual((yield* Effect.flip(targets.settle(late, failed)))._tag, "ClaimLost")
      assert.deepStrictEqual(yield* stored(late), ["publishing", "publishing", null])
      assert.strictEqual((yield* targets.settle(other, published)).status, "published")
    })
  )

  it.effect("A rejection is stored between two attempts to repeat the post under its key", () =>
    Effect.gen(function* () {
      const { targets } = yield* Repo
      const { late, other } = yield* takenOverOn("bluesky")
      yield* targets.settle(other, retryMuchLater)
      yield* targets.settle(late, failed)
      assert.deepStrictEqual(yield* stored(late), ["failed", "failed", "rejected"])
    })
  )

  it.effect("A rejection is not stored over a publication while the post's other target is in flight", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const { posts, targets } = yield* Repo
      const workspace = yield* makeWorkspace(["twitter", "bluesky"])
      yield* posts.create(workspace, plan(yield* DateTime.now, ["twitter", "bluesky"]))
      const [late = assert.fail("Nothing was due"), beside] = yield* targets.claim(2, lease)
      assert.isDefined(beside)
      yield* targets.beginSend(late, { text: "Hello" }, lease)
      yield* expireLease(late)
      yield* targets.settle(yield* claimNext, published)
      assert.strictEqual((yield* Effect.flip(targets.settle(late, failed)))._tag, "ClaimLost")
      const { post_targets, status } = yield* posts.get(workspace, late.postId)
      assert.strictEqual(status, "publishing")
      assert.sameMembers(
        post_targets.map((target) => target.status),
        ["published", "publishing"]
      )
    })
  )

  it.effect("What is not certain is not stored", () =>
    Effect.gen(function* () {
      const { targets } = yield* Repo
      const { late, other } = yield* takenOver
      for (const settlement of [unknown, retryMuchLater]) {
        assert.strictEqual((yield* Effect.flip(targets.settle(late, settlement)))._tag, "ClaimLost")
      }
      const repeated = { ...late, sentAt: yield* DateTime.now }
      assert.strictEqual((yield* Effect.flip(targets.settle(repeated, failed)))._tag, "ClaimLost")
      yield* targets.settle(other, retryMuchLater)
    })
  )

  it.effect("An outcome of another send than the last is not stored", () =>
    Effect.gen(function* () {
      const { targets } = yield* Repo
      const { late, other } = yield* takenOver
      yield* targets.beginSend(other, { text: "Hello" }, lease)
      assert.strictEqual((yield* Effect.flip(targets.settle(late, published)))._tag, "ClaimLost")
      assert.strictEqual((yield* targets.settle(other, published)).status, "published")
    })
  )

  it.effect("A publication ends a post that was published again meanwhile, or made a draft", () =>
    Effect.gen(function* () {
      const { posts, targets } = yield* Repo
      const { late, other } = yield* takenOver
      yield* targets.settle(other, unknown)
      yield* posts.publish(late.workspaceId, late.postId, planPublish)
      yield* posts.update(late.workspaceId, late.postId, (post) =>
        planUpdate(post, { status: "draft" }, DateTime.makeUnsafe(0))
      )
      assert.strictEqual((yield* Effect.flip(targets.settle(late, failed)))._tag, "ClaimLost")
      assert.strictEqual((yield* targets.settle(late, published)).status, "published")
    })
  )
})
