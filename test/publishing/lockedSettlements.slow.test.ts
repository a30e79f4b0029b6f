import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Exit, Fiber, Latch, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Settlements } from "../../src/publishing/Settlements.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { published } from "../repo/targets/settlements.ts"
import { lease } from "../support/database/duePosts.ts"
import { makeWorkspace, plan } from "../support/database/fixtures.ts"
import { locksAreAwaited, someLockIsAwaited } from "../support/database/programs.ts"
import { repoLayer } from "../support/database/testDatabase.ts"

const claimThree = Effect.gen(function* () {
  const { posts, targets } = yield* Repo
  const now = yield* DateTime.now
  yield* Effect.replicateEffect(
    Effect.flatMap(makeWorkspace(["twitter"]), (workspace) => posts.create(workspace, plan(now))),
    3,
    { discard: true }
  )
  const [first, second, third] = yield* targets.claim(3, lease)
  if (first === undefined || second === undefined || third === undefined) return yield* Effect.die("Too few were due")
  return { first, second, third }
})

layer(Settlements.layer.pipe(Layer.provideMerge(repoLayer)), { excludeTestServices: true })("Settlements", (it) => {
  it.effect("The outcome of a post is stored while others of its batch wait for posts that somebody has locked", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { settle } = yield* Settlements
      const { first, second, third } = yield* claimThree
      const isLocked = Latch.makeUnsafe(false)
      const isStored = Latch.makeUnsafe(false)
      const lock = sql`SELECT FROM posts WHERE id = ANY(${[first.postId, second.postId]}::uuid[]) FOR UPDATE`
      const locking = yield* Effect.forkChild(
        sql.withTransaction(Effect.andThen(lock, Effect.andThen(isLocked.open, isStored.await)))
      )
      yield* isLocked.await
      const settling = yield* Effect.forEach([first, second, third], (claim) =>
        Effect.forkChild(Effect.uninterruptible(Effect.exit(settle(claim, published))))
      )
      yield* Effect.repeat(sql`SELECT FROM post_targets WHERE id = ${third.targetId}::uuid AND status = 'published'`, {
        until: (rows) => rows.length > 0
      })
      // Both settlements wait for a lock at the same time.
      yield* locksAreAwaited(2)
      yield* isStored.open
      yield* Fiber.join(locking)
      assert.isTrue((yield* Fiber.joinAll(settling)).every(Exit.isSuccess))
    })
  )

  it.effect("The outcome of a post that somebody has locked does not keep others waiting when it is tried again", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { settle } = yield* Settlements
      const { first, second } = yield* claimThree
      const isLocked = Latch.makeUnsafe(false)
      const isStored = Latch.makeUnsafe(false)
      const lock = sql`SELECT FROM posts WHERE id = ${first.postId}::uuid FOR UPDATE`
      yield* Effect.forkChild(sql.withTransaction(Effect.andThen(lock, Effect.andThen(isLocked.open, isStored.await))))
      yield* isLocked.await
      const settleFirst = Effect.uninterruptible(settle(first, published))
      assert.strictEqual((yield* Effect.flip(settleFirst))._tag, "DatabaseUnavailable")
      const again = yield* Effect.forkChild(settleFirst)
      yield* someLockIsAwaited
      yield* Effect.uninterruptible(settle(second, published))
      assert.isUndefined(again.pollUnsafe())
      yield* isStored.open
      yield* Fiber.join(again)
    })
  )
})
