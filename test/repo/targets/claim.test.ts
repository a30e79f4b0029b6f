import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, Result } from "effect"
import { SqlClient } from "effect/sql"
import type { DatabaseUnavailable } from "../../../src/domain/errors.ts"
import type { IntegrationId, TargetId } from "../../../src/domain/ids.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import type { Claim } from "../../../src/repo/targets/Targets.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { repeatConcurrently, deletePosts, lease, makeDuePosts } from "../../support/database/duePosts.ts"
import { makeWorkspace, plan } from "../../support/database/fixtures.ts"
import { someLockIsAwaited } from "../../support/database/programs.ts"
import { expireLease, failed, published } from "./settlements.ts"

layer(repoLayer, { excludeTestServices: true })("targets.claim", (it) => {
  it.effect("Concurrent claims never take a target twice or two targets of one account", () =>
    Effect.gen(function* () {
      const { targets } = yield* Repo
      const due = yield* makeDuePosts(30, 12)
      const inFlight = new Map<IntegrationId, TargetId>()
      const ends = new Map<TargetId, number>()
      const clashes: Array<string> = []
      const publisher = Effect.gen(function* () {
        while (ends.size < due.length) {
          const claims = yield* targets.claim(5, lease)
          for (const claim of claims) {
            const other = inFlight.get(claim.integration.id)
            if (other !== undefined) clashes.push(`${claim.targetId} beside ${other}`)
            inFlight.set(claim.integration.id, claim.targetId)
          }
          yield* Effect.forEach(
            claims,
            (claim) =>
              Effect.suspend(() => {
                inFlight.delete(claim.integration.id)
                ends.set(claim.targetId, (ends.get(claim.targetId) ?? 0) + 1)
                return targets.settle(claim, published)
              }),
            { concurrency: 2, discard: true }
          )
        }
      })
      yield* repeatConcurrently(8, publisher)
      assert.deepStrictEqual(clashes, [])
      assert.deepStrictEqual(
        [...ends.values()].filter((times) => times !== 1),
        []
      )
    })
  )

  it.effect("A claim skips a post that is locked and does not wait for it", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const sql = yield* SqlClient.SqlClient
      const { targets } = yield* Repo
      const [first, free] = yield* makeDuePosts(2, 1)
      const locked = yield* Deferred.make<void>()
      const claimed = yield* Deferred.make<void>()
      const editor = sql.withTransaction(
        sql`SELECT id FROM posts WHERE id = ${first?.id ?? ""}::uuid FOR UPDATE`.pipe(
          Effect.andThen(Deferred.succeed(locked, undefined)),
          Effect.andThen(Deferred.await(claimed))
        )
      )
      const editing = yield* Effect.forkChild(editor)
      yield* Deferred.await(locked)
      const claims = yield* targets.claim(10, lease)
      yield* Deferred.succeed(claimed, undefined)
      yield* Fiber.join(editing)
      assert.deepStrictEqual(
        claims.map(({ postId }) => postId),
        [free?.id]
      )
    })
  )

  it.effect("The second of two concurrent claims that choose different targets of one account claims nothing", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const sql = yield* SqlClient.SqlClient
      const { posts, targets } = yield* Repo
      const workspace = yield* makeWorkspace(["twitter"])
      const now = yield* DateTime.now
      yield* posts.create(workspace, plan(DateTime.subtractDuration(now, "1 second")))
      const claimed = yield* Deferred.make<ReadonlyArray<Claim>, DatabaseUnavailable>()
      const chosen = yield* Deferred.make<void>()
      const first = yield* Effect.forkChild(
        sql.withTransaction(Effect.andThen(Deferred.into(targets.claim(10, lease), claimed), Deferred.await(chosen)))
      )
      assert.lengthOf(yield* Deferred.await(claimed), 1)
      yield* posts.create(workspace, plan(DateTime.subtractDuration(now, "1 minute")))
      const second = yield* Effect.forkChild(targets.claim(10, lease))
      yield* someLockIsAwaited
      yield* Deferred.succeed(chosen, undefined)
      yield* Fiber.join(first)
      assert.deepStrictEqual(yield* Fiber.join(second), [])
    })
  )

  it.effect("An expired lease is taken over exactly once, and the writes of its former holder are refused", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const { targets } = yield* Repo
      const due = yield* makeDuePosts(60, 1)
      const late = yield* targets.claim(100, lease)
      yield* Effect.forEach(late, expireLease, { discard: true })
      const atFirst = (yield* repeatConcurrently(6, targets.claim(30, lease))).flat()
      // A claim skips locked targets, which the next claim finds.
      const takers = [...atFirst, ...(yield* targets.claim(100, lease))]
      assert.strictEqual(takers.length, due.length)
      assert.strictEqual(new Set(takers.map(({ targetId }) => targetId)).size, due.length)
      const holders = new Map(takers.map((claim) => [claim.targetId, claim]))
      const ended = Effect.match({ onFailure: (lost: { readonly _tag: string }) => lost._tag, onSuccess: () => "done" })
      const outcomes = yield* Effect.forEach(
        late,
        (claim) =>
          Effect.all(
            [
              ended(targets.settle(claim, failed)),
              ended(targets.beginSend(claim, "text", lease)),
              ended(targets.release(claim)),
              ended(targets.settle(holders.get(claim.targetId) ?? claim, published))
            ],
            { concurrency: 4 }
          ),
        { concurrency: 2 }
      )
      assert.deepStrictEqual([...new Set(outcomes.map((all) => all.join()))], ["ClaimLost,ClaimLost,ClaimLost,done"])
    })
  )

  it.effect("A released target is claimed again by one process, as if it had not been claimed before", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const { targets } = yield* Repo
      const [post] = yield* makeDuePosts(1, 1)
      const [claim] = yield* targets.claim(1, lease)
      assert.isDefined(claim)
      assert.isDefined(post)
      if (claim === undefined) return
      yield* targets.beginSend(claim, "text", lease)
      const released = yield* repeatConcurrently(3, Effect.result(targets.release(claim)))
      assert.strictEqual(released.filter(Result.isSuccess).length, 1)
      const next = (yield* repeatConcurrently(4, targets.claim(1, lease))).flat()
      assert.deepStrictEqual(
        next.map(({ attempts, reconcileAttempts, sentAt, targetId }) => ({
          attempts,
          reconcileAttempts,
          sentAt,
          targetId
        })),
        [{ attempts: 1, reconcileAttempts: 0, sentAt: null, targetId: post?.targetId }]
      )
    })
  )

  it.effect("A claim takes the single post of one account although another has 10,000 due posts", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const { posts, targets } = yield* Repo
      yield* makeDuePosts(1, 10_000)
      const workspace = yield* makeWorkspace(["twitter"])
      const { id } = yield* posts.create(workspace, plan(yield* DateTime.now))
      const claims = yield* targets.claim(32, lease)
      assert.include(
        claims.map(({ postId }) => postId),
        id
      )
      assert.strictEqual(claims.length, 2)
    })
  )
})
