import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { PostId, WorkspaceId } from "../../../src/domain/ids.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import type { Claim } from "../../../src/repo/targets/Targets.ts"
import { deletePosts, lease } from "../../support/database/duePosts.ts"
import { makeWorkspace, plan } from "../../support/database/fixtures.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { expireLease, failed, published, retryMuchLater } from "./settlements.ts"
import { planUpdate } from "../../support/plans.ts"

/** A due post on both platforms, and the claims of its targets. */
const claimPost = Effect.gen(function* () {
  yield* deletePosts
  const { posts, targets } = yield* Repo
  const workspace = yield* makeWorkspace()
  const due = DateTime.subtractDuration(yield* DateTime.now, "1 second")
  const { id } = yield* posts.create(workspace, plan(due, ["twitter", "bluesky"]))
  const [first, second] = yield* targets.claim(10, lease)
  if (first === undefined || second === undefined) return yield* Effect.die("The targets were not claimed")
  return { workspace, id, first, second }
})

const statusOf = ({ id, workspace }: { readonly workspace: WorkspaceId; readonly id: PostId }) =>
  Effect.gen(function* () {
    return (yield* (yield* Repo).posts.get(workspace, id)).status
  })

layer(repoLayer, { excludeTestServices: true })("A post whose targets are released", (it) => {
  it.effect("It is scheduled again once no target is in flight, and can be changed", () =>
    Effect.gen(function* () {
      const { posts, targets } = yield* Repo
      const post = yield* claimPost
      yield* targets.release(post.first)
      assert.strictEqual(yield* statusOf(post), "publishing")
      yield* targets.beginSend(post.second, "text", lease)
      yield* targets.release(post.second)
      assert.strictEqual(yield* statusOf(post), "scheduled")
      const now = yield* DateTime.now
      yield* posts.update(post.workspace, post.id, (stored) => planUpdate(stored, { content: "Changed" }, now))
      assert.deepStrictEqual(
        (yield* targets.claim(10, lease)).map(({ attempts, text }) => ({ attempts, text })),
        [
          { attempts: 1, text: "Changed" },
          { attempts: 1, text: "Changed" }
        ]
      )
      assert.strictEqual(yield* statusOf(post), "publishing")
    })
  )

  it.effect("What had to be looked for before it is sent has to be again, also where its send had begun", () =>
    Effect.gen(function* () {
      const { targets } = yield* Repo
      const sql = yield* SqlClient.SqlClient
      const post = yield* claimPost
      yield* targets.release(post.first)
      yield* sql`UPDATE post_targets SET reconcile_from = now() - interval '1 hour', reconcile_until = now()
        WHERE id = ${post.first.targetId}::uuid`
      const [claim] = yield* targets.claim(10, lease)
      if (claim === undefined) return assert.fail("The target was not claimed")
      assert.isNotNull(claim.reconcileFrom)
      yield* targets.beginSend(claim, "text", lease)
      yield* targets.release(claim)
      const [again] = yield* targets.claim(10, lease)
      assert.deepStrictEqual(
        [again?.reconcileFrom, again?.reconcileUntil, again?.sentAt],
        [claim.reconcileFrom, claim.reconcileUntil, null]
      )
    })
  )

  const looksOf = Effect.fn(function* ({ targetId }: Pick<Claim, "targetId">) {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ readonly looks: number }>`SELECT looks FROM post_targets WHERE id = ${targetId}::uuid`
    return row?.looks
  })

  it.effect("A look that was not made is not counted, however its claim was given back", () =>
    Effect.gen(function* () {
      const { targets } = yield* Repo
      const sql = yield* SqlClient.SqlClient
      const { first, id, second } = yield* claimPost
      yield* targets.beginSend(second, "text", lease)
      yield* targets.release(first)
      yield* sql`UPDATE post_targets SET sent_at = now() - interval '1 hour', prepared = '"text"', looks = 2
        WHERE id = ${first.targetId}::uuid`

      const claimAgain = Effect.gen(function* () {
        const [claim] = yield* targets.claim(10, lease)
        if (claim === undefined) return yield* Effect.die("The target was not claimed")
        assert.strictEqual(yield* looksOf(claim), 3)
        assert.strictEqual(claim.reconcileAttempts, 3)
        return claim
      })

      yield* targets.release(yield* claimAgain)
      assert.strictEqual(yield* looksOf(first), 2)

      const begun = yield* claimAgain
      yield* targets.beginSend(begun, "text", lease)
      assert.strictEqual(yield* looksOf(first), 0)
      yield* targets.release(begun)
      assert.strictEqual(yield* looksOf(first), 2)

      const lost = yield* claimAgain
      yield* targets.beginSend(lost, "text", lease)
      yield* sql`UPDATE post_targets SET status = 'pending', claim_token = NULL, lease_until = NULL WHERE id = ${first.targetId}::uuid`
      yield* targets.withdraw(lost)
      assert.strictEqual(yield* looksOf(first), 2)

      yield* sql`UPDATE posts SET platform_settings = '{"twitter": {"who_can_reply": "a value of a later version"}}'
        WHERE id = ${id}::uuid`
      assert.deepStrictEqual(yield* targets.claim(10, lease), [])
      assert.strictEqual(yield* looksOf(first), 2)
    })
  )

  it.effect("It is scheduled again if two processes release its two targets at the same time", () =>
    Effect.gen(function* () {
      const { targets } = yield* Repo
      for (let round = 0; round < 10; round++) {
        const post = yield* claimPost
        yield* Effect.all([targets.release(post.first), targets.release(post.second)], { concurrency: 2 })
        assert.strictEqual(yield* statusOf(post), "scheduled")
      }
    })
  )

  it.effect.each([
    ["was published stays publishing", published, "publishing"],
    ["failed stays publishing", failed, "publishing"],
    ["is to be tried again is scheduled again", retryMuchLater, "scheduled"]
  ] as const)("A post of which another target %s", ([, settlement, status]) =>
    Effect.gen(function* () {
      const { targets } = yield* Repo
      const post = yield* claimPost
      yield* targets.settle(post.first, settlement)
      yield* targets.release(post.second)
      assert.strictEqual(yield* statusOf(post), status)
    })
  )

  it.effect("It stays as it is while an earlier send of the released target may have been published", () =>
    Effect.gen(function* () {
      const { targets } = yield* Repo
      const post = yield* claimPost
      yield* targets.release(post.second)
      yield* targets.beginSend(post.first, "text", lease)
      yield* expireLease(post.first)
      const again = (yield* targets.claim(10, lease)).find(({ targetId }) => targetId === post.first.targetId)
      if (again === undefined) return yield* Effect.die("The expired claim was not taken over")
      yield* targets.release(again)
      assert.strictEqual(yield* statusOf(post), "publishing")
    })
  )

  it.effect("A post that can't be read is scheduled again when its targets are set aside, and can be deleted", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const sql = yield* SqlClient.SqlClient
      const { posts, targets } = yield* Repo
      const workspace = yield* makeWorkspace()
      const due = DateTime.subtractDuration(yield* DateTime.now, "1 second")
      const { id } = yield* posts.create(workspace, plan(due, ["twitter", "bluesky"]))
      yield* sql`UPDATE posts SET platform_settings = '{"twitter": {"who_can_reply": "a value of a later version"}}'
        WHERE id = ${id}::uuid`
      const [readable] = yield* targets.claim(10, lease)
      if (readable !== undefined) yield* targets.release(readable)
      assert.deepStrictEqual(yield* sql`SELECT status FROM posts WHERE id = ${id}::uuid`, [{ status: "scheduled" }])
      yield* posts.remove(workspace, id)
    })
  )
})
