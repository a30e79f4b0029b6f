import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { readStored } from "../../../src/domain/publishing/storedUploads.ts"
import type { TargetSettlement } from "../../../src/domain/publishing/settlement.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import type { Claim, Targets } from "../../../src/repo/targets/Targets.ts"
import { part } from "../../publishing/threadWorld.ts"
import { deletePosts, lease } from "../../support/database/duePosts.ts"
import { storeFile } from "../../support/database/mediaFixtures.ts"
import { makeWorkspace, plan } from "../../support/database/fixtures.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { expireLease, retryMuchLater, targetError } from "./settlements.ts"
import { planPublish, planUpdate } from "../../support/plans.ts"

const unknown: TargetSettlement = { _tag: "Failed", error: targetError("outcome_unknown") }

const nextClaim = Effect.fn(function* (options?: Parameters<Targets["claim"]>[2]) {
  const [claim] = yield* (yield* Repo).targets.claim(1, lease, options)
  return claim ?? assert.fail("Nothing was due")
})

const claimNext = nextClaim()

/** A claim that began to send a thread's first part and was lost, and the claim of the process that took over. */
const takenOver = Effect.gen(function* () {
  yield* deletePosts
  const { posts, targets } = yield* Repo
  const workspace = yield* makeWorkspace(["twitter"])
  yield* posts.create(workspace, { ...plan(yield* DateTime.now), content: "one", thread: [part("two")] })
  const late = yield* claimNext
  yield* targets.beginSend(late, { text: "one" }, lease)
  yield* expireLease(late)
  return { late, other: yield* claimNext }
})

/** The first part is published. The next part follows at `next`, as on X, or immediately if it is null. */
const continued = (next: DateTime.Utc | null): TargetSettlement => ({
  _tag: "Continued",
  publication: { platformPostId: "1", url: "https://platform.test/1" },
  next
})

const stored = Effect.fn(function* ({ postId, workspaceId }: Claim) {
  const { post_targets, status } = yield* (yield* Repo).posts.get(workspaceId, postId)
  const [target] = post_targets
  return [status, target?.error?.code ?? null, ...(target?.parts ?? []).map((each) => each.status)]
})

const change = Effect.fn(function* ({ postId, workspaceId }: Claim, patch: Parameters<typeof planUpdate>[1]) {
  const { posts } = yield* Repo
  yield* posts.publish(workspaceId, postId, planPublish)
  const now = yield* DateTime.now
  yield* posts.update(workspaceId, postId, (post) => planUpdate(post, patch, now))
})

layer(repoLayer, { excludeTestServices: true })("A part that turns out to be out after its claim was lost", (it) => {
  it.effect("The rest of a thread that has failed meanwhile waits for a person", () =>
    Effect.gen(function* () {
      const { posts, targets } = yield* Repo
      const { late, other } = yield* takenOver
      yield* targets.settle(other, unknown)
      yield* targets.settle(late, continued(yield* DateTime.now))
      assert.deepStrictEqual(yield* stored(late), ["failed", "gave_up", "published", "failed"])
      yield* posts.publish(late.workspaceId, late.postId, planPublish)
      const next = yield* claimNext
      assert.deepStrictEqual([next.text, next.reply?.parent.platformPostId], ["two", "1"])
    })
  )

  it.effect("The rest of a thread that was put off meanwhile is not sent before its time", () =>
    Effect.gen(function* () {
      const { targets } = yield* Repo
      const { late, other } = yield* takenOver
      yield* targets.settle(other, unknown)
      yield* change(late, { scheduled_at: DateTime.addDuration(yield* DateTime.now, "1 hour") })
      yield* targets.settle(late, continued(yield* DateTime.now))
      assert.deepStrictEqual(yield* stored(late), ["scheduled", null, "published", "pending"])
      assert.deepStrictEqual(yield* targets.claim(1, lease), [])
    })
  )

  it.effect("The rest of a thread that was made a draft meanwhile stays one", () =>
    Effect.gen(function* () {
      const { targets } = yield* Repo
      const { late, other } = yield* takenOver
      yield* targets.settle(other, unknown)
      yield* change(late, { status: "draft" })
      yield* targets.settle(late, continued(yield* DateTime.now))
      assert.deepStrictEqual(yield* stored(late), ["draft", null, "published", "pending"])
      assert.deepStrictEqual(yield* targets.claim(1, lease), [])
    })
  )

  it.effect("A platform that gets one part of a thread alone is resolved as it is without a thread", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const { posts, targets } = yield* Repo
      const workspace = yield* makeWorkspace(["twitter", "bluesky"])
      const thread = [part("two", { platforms: ["bluesky"] })]
      const { id } = yield* posts.create(workspace, { ...plan(yield* DateTime.now, ["twitter", "bluesky"]), thread })
      const claims = yield* targets.claim(2, lease)
      const claim = claims.find(({ platform }) => platform === "twitter") ?? assert.fail("Nothing was due on X")
      yield* targets.beginSend(claim, { text: "Hello" }, lease)
      yield* targets.settle(claim, unknown)
      const post = {
        url: "https://x.com/team/status/3234567890123456781",
        key: "3234567890123456781",
        site: "https://x.com"
      }
      const key = { workspaceId: workspace, postId: id, platform: "twitter" } as const
      yield* targets.resolve(key, { outcome: "published", post, continues: false })
      const { post_targets } = yield* posts.get(workspace, id)
      assert.deepStrictEqual([post_targets[0]?.status, post_targets[0]?.platform_post_url], ["published", post.url])
    })
  )

  it.effect("What was uploaded for the part that was found does not go out with the next one", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const { platformUploads, posts, processes, targets } = yield* Repo
      const workspace = yield* makeWorkspace(["twitter"])
      const [cat, dog] = [yield* storeFile(workspace, { alt: "a cat" }), yield* storeFile(workspace, { alt: "a dog" })]
      const thread = [part("two", { media: [dog] })]
      yield* posts.create(workspace, { ...plan(yield* DateTime.now), content: "one", media: [cat], thread })
      const owner = { ...(yield* processes.renew(null, lease)), takesOver: true }
      const slots = { platforms: { twitter: 1, bluesky: 1 }, perHost: 1, hosts: {}, perAccount: 1 }
      const claimUpload = Effect.map(
        platformUploads.claim(1, lease, { owner, slots }),
        ([claim]) => claim ?? assert.fail("Nothing was to be uploaded")
      )
      const uploadsOf = (text: string, later: Readonly<Record<string, string>>) =>
        ({ _tag: "Uploaded", uploads: `files of ${text}`, later }) as const
      yield* platformUploads.settle(yield* claimUpload, uploadsOf("one", { 2: "files of two" }))
      const late = yield* nextClaim({ owner })
      yield* targets.beginSend(late, { text: "one" }, lease)
      yield* targets.settle(late, unknown)
      const key = { workspaceId: workspace, postId: late.postId, platform: "twitter" } as const
      yield* targets.resolve(key, { outcome: "not_published" })
      yield* posts.publish(workspace, late.postId, planPublish)
      const again = yield* claimUpload
      yield* targets.settle(late, continued(yield* DateTime.now))
      yield* platformUploads.settle(again, uploadsOf("one", { 2: "files of two" }))
      const next = yield* nextClaim({ owner })
      assert.deepStrictEqual([next.text, readStored(next.prepared).uploads], ["two", null])
    })
  )

  it.effect("The rest of a thread does not wait for the next look for the part that was found", () =>
    Effect.gen(function* () {
      const { targets } = yield* Repo
      const { late, other } = yield* takenOver
      yield* targets.settle(other, retryMuchLater)
      yield* targets.settle(late, continued(null))
      assert.strictEqual((yield* claimNext).text, "two")
    })
  )
})
