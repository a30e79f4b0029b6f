import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, Option, Result } from "effect"
import { SqlClient } from "effect/sql"
import { GroupId } from "../../../src/domain/ids.ts"
import type { Settlement } from "../../../src/domain/publishing/settlement.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { deletePosts, lease, makeDuePosts } from "../../support/database/duePosts.ts"
import { waitingOrEnded } from "../../support/database/interleave.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { failed, targetError } from "./settlements.ts"

const at = (platformPostId: string, recognized: boolean): Settlement => ({
  _tag: "Published",
  publication: { platformPostId, url: null, recognized }
})
const unknown: Settlement = { _tag: "Failed", error: targetError("outcome_unknown") }

/** Claims of `teams` workspaces with one account. Each has begun to send the same text. */
const sending = Effect.fn(function* (teams: number) {
  yield* deletePosts
  const { targets } = yield* Repo
  yield* makeDuePosts(teams, 1)
  const claims = yield* targets.claim(teams, lease)
  assert.lengthOf(claims, teams)
  yield* Effect.forEach(claims, (claim) => targets.beginSend(claim, { text: "Hello" }, lease))
  return claims
})

layer(repoLayer, { excludeTestServices: true })("The other targets of an account", (it) => {
  it.effect("Those that may be published are known by their texts, while they wait, are in flight or have failed", () =>
    Effect.gen(function* () {
      const { targets } = yield* Repo
      const [first, second, third] = yield* sending(3)
      const since = DateTime.subtract(yield* DateTime.now, { minutes: 1 })
      yield* targets.settle(second!, unknown)
      assert.deepStrictEqual(yield* targets.unresolvedOthers(first!, since), ["Hello", "Hello"])
      yield* targets.settle(third!, at("7", false))
      assert.deepStrictEqual(yield* targets.unresolvedOthers(first!, since), ["Hello"])
      const later = DateTime.add(yield* DateTime.now, { minutes: 1 })
      assert.isEmpty(yield* targets.unresolvedOthers(first!, later))
    })
  )

  it.effect("Those that an unknown process may have sent are known by the texts of their posts", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const sql = yield* SqlClient.SqlClient
      const { targets } = yield* Repo
      const [, overridden, later] = yield* makeDuePosts(4, 1)
      yield* sql`UPDATE posts SET platform_overrides = '{"twitter": "Hi"}' WHERE id = ${overridden!.id}::uuid`
      yield* sql`UPDATE post_targets SET reconcile_from = now() - interval '2 hours', reconcile_until = now()`
      yield* sql`UPDATE post_targets SET due_since = now() + interval '1 hour', due_at = now() + interval '1 hour'
        WHERE post_id = ${later!.id}::uuid`
      const [claim] = yield* targets.claim(1, lease)
      const now = yield* DateTime.now
      const texts = yield* targets.unresolvedOthers(claim!, DateTime.subtract(now, { hours: 2 }))
      assert.deepStrictEqual(texts.toSorted(), ["Hello", "Hi"])
      assert.isEmpty(yield* targets.unresolvedOthers(claim!, DateTime.add(now, { minutes: 1 })))
    })
  )

  it.effect("Their platform ids are known, in whichever workspace", () =>
    Effect.gen(function* () {
      const { targets } = yield* Repo
      const [first, second] = yield* sending(2)
      yield* targets.settle(second!, at("8", false))
      assert.deepStrictEqual([...(yield* targets.publishedByOthers(first!, ["8", "9"]))], ["8"])
      assert.isEmpty([...(yield* targets.publishedByOthers(second!, ["8"]))])
    })
  )

  it.effect("Deleted ones still own what they published, and may still be what a timeline shows", () =>
    Effect.gen(function* () {
      const { posts, targets } = yield* Repo
      const [first, second, third, fourth] = yield* sending(4)
      const since = DateTime.subtract(yield* DateTime.now, { minutes: 1 })
      yield* targets.settle(second!, at("21", false))
      yield* targets.settle(third!, unknown)
      yield* targets.settle(fourth!, failed)
      for (const { postId, workspaceId } of [second!, third!, fourth!]) yield* posts.remove(workspaceId, postId)
      assert.deepStrictEqual([...(yield* targets.publishedByOthers(first!, ["21", "22"]))], ["21"])
      assert.deepStrictEqual(yield* targets.unresolvedOthers(first!, since), ["Hello"])
      const later = DateTime.add(yield* DateTime.now, { minutes: 1 })
      assert.isEmpty(yield* targets.unresolvedOthers(first!, later))
      const recognized = yield* Effect.result(targets.settle(first!, at("21", true)))
      assert.isTrue(Result.isFailure(recognized))
    })
  )

  it.effect("Of two that recognize one post at once, the second waits for the first and does not get it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { targets, transaction } = yield* Repo
      const [first, second] = yield* sending(2)
      const settled = yield* Deferred.make<void>()
      const committed = yield* Deferred.make<void>()
      const settling = yield* Effect.forkChild(
        transaction(
          Effect.andThen(
            targets.settle(first!, at("24", true)),
            Effect.andThen(Deferred.succeed(settled, undefined), Deferred.await(committed))
          )
        )
      )
      yield* Deferred.await(settled)
      const other = yield* Effect.forkChild(Effect.result(targets.settle(second!, at("24", true))))
      yield* waitingOrEnded(other, 1)
      yield* Deferred.succeed(committed, undefined)
      yield* Fiber.join(settling)
      assert.isTrue(Result.isFailure(yield* Fiber.join(other)))
      const owners = yield* sql`SELECT id FROM post_targets WHERE platform_post_id = '24'`
      assert.deepStrictEqual(
        owners.map((row) => ({ ...row })),
        [{ id: first!.targetId }]
      )
    })
  )

  it.effect("Posts of a deleted group still own what they published", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { posts, targets } = yield* Repo
      const [first, second] = yield* sending(2)
      yield* targets.settle(second!, at("23", false))
      const group = GroupId.make("01a1fc17-0000-7000-8000-00000000000b")
      yield* sql`UPDATE posts SET group_id = ${group}::uuid WHERE id = ${second!.postId}::uuid`
      assert.deepStrictEqual(yield* posts.removeGroup(second!.workspaceId, group), { deleted: 1, leftOnPlatforms: 1 })
      assert.deepStrictEqual([...(yield* targets.publishedByOthers(first!, ["23"]))], ["23"])
    })
  )

  it.effect("A deleted post that an unknown process may have sent may be what a timeline shows", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const sql = yield* SqlClient.SqlClient
      const { posts, targets } = yield* Repo
      const [, overridden, later] = yield* makeDuePosts(3, 1)
      yield* sql`UPDATE posts SET platform_overrides = '{"twitter": "Hi"}' WHERE id = ${overridden!.id}::uuid`
      yield* sql`UPDATE post_targets SET reconcile_from = now() - interval '2 hours', reconcile_until = now()`
      yield* sql`UPDATE post_targets SET due_since = now() + interval '1 hour', due_at = now() + interval '1 hour'
        WHERE post_id = ${later!.id}::uuid`
      yield* posts.remove(overridden!.workspaceId, overridden!.id)
      yield* posts.remove(later!.workspaceId, later!.id)
      const [claim] = yield* targets.claim(1, lease)
      const now = yield* DateTime.now
      assert.deepStrictEqual(yield* targets.unresolvedOthers(claim!, DateTime.subtract(now, { hours: 2 })), ["Hi"])
      assert.isEmpty(yield* targets.unresolvedOthers(claim!, DateTime.add(now, { minutes: 1 })))
    })
  )

  it.effect("Those of an account are found although its workspace has connected another one since", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { targets } = yield* Repo
      const [first, second, third] = yield* sending(3)
      yield* sql`UPDATE post_targets SET account_id = 'a'`
      yield* targets.settle(second!, at("24", false))
      yield* targets.settle(third!, unknown)
      yield* sql`UPDATE integrations SET account_id = 'another' WHERE id IN (${second!.integration.id}::uuid, ${third!.integration.id}::uuid)`
      const since = DateTime.subtract(yield* DateTime.now, { minutes: 1 })
      assert.deepStrictEqual([...(yield* targets.publishedByOthers(first!, ["24"]))], ["24"])
      assert.deepStrictEqual(yield* targets.unresolvedOthers(first!, since), ["Hello"])
      assert.isTrue(Result.isFailure(yield* Effect.result(targets.settle(first!, at("24", true)))))
    })
  )

  it.effect("A post with the same text is named to its own workspace only", () =>
    Effect.gen(function* () {
      const { targets } = yield* Repo
      yield* deletePosts
      yield* makeDuePosts(1, 2)
      const claimNext = Effect.map(targets.claim(1, lease), ([claim]) => claim!)
      const first = yield* claimNext
      yield* targets.settle(first, at("10", false))
      const second = yield* claimNext
      const found = yield* targets.publishedWithText(second)
      assert.strictEqual(Option.getOrUndefined(found)?.postId, first.postId)
      assert.isTrue(Option.isNone(yield* targets.publishedWithText({ ...second, text: "Other" })))
      const [stranger] = yield* Effect.andThen(makeDuePosts(1, 1), targets.claim(10, lease))
      assert.isTrue(Option.isNone(yield* targets.publishedWithText(stranger!)))
    })
  )

  it.effect("A post that X returned for its own send is stored although another target recognized it before", () =>
    Effect.gen(function* () {
      const { targets } = yield* Repo
      const [first, second] = yield* sending(2)
      yield* targets.settle(first!, at("12", true))
      assert.strictEqual((yield* targets.settle(second!, at("12", false))).status, "published")
    })
  )
})
