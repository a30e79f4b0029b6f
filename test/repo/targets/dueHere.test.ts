import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Repo } from "../../../src/repo/Repo.ts"
import { makeWorkspace, plan } from "../../support/database/fixtures.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { planPublish } from "../../support/plans.ts"

/** Creates a draft, and returns its `order` to publish. */
const makeDraft = Effect.gen(function* () {
  const { posts } = yield* Repo
  const workspace = yield* makeWorkspace()
  const { id } = yield* posts.create(workspace, plan(null))
  return { order: posts.publish(workspace, id, planPublish) }
})

/** The signals of this process: its own orders immediately, and the database's notifications. */
const listening = Effect.gen(function* () {
  const { targets } = yield* Repo
  const here = yield* Queue.unbounded<void>()
  const notified = yield* Queue.unbounded<void>()
  const began = yield* Deferred.make<void>()
  yield* Effect.forkScoped(targets.listenHere(Queue.offer(here, undefined)))
  yield* Effect.forkScoped(
    Effect.eventually(
      targets.listen(Effect.andThen(Queue.offer(notified, undefined), Deferred.succeed(began, undefined)))
    )
  )
  yield* Deferred.await(began)
  yield* Queue.clear(notified)
  return { here, notified }
})

layer(repoLayer)("An order to publish now", (it) => {
  it.effect("The process that took it learns of it at once, and of its own notification a second later", () =>
    Effect.gen(function* () {
      const { order } = yield* makeDraft
      const sql = yield* SqlClient.SqlClient
      const { here, notified } = yield* listening
      yield* order
      yield* Queue.take(here)
      // Like another process's notification. Notifications arrive in the order of their commits.
      yield* sql`SELECT pg_notify('due_targets', '')`
      yield* Queue.take(notified)
      assert.strictEqual(yield* Queue.size(notified), 0)
      assert.strictEqual(yield* Queue.size(here), 0)
      yield* TestClock.adjust("1 second")
      yield* Queue.take(notified)
    }).pipe(Effect.scoped)
  )

  it.effect("In a transaction it counts once that has committed, and never if that is rolled back", () =>
    Effect.gen(function* () {
      const { transaction } = yield* Repo
      const sql = yield* SqlClient.SqlClient
      const [refused, taken] = [yield* makeDraft, yield* makeDraft]
      const { here } = yield* listening
      yield* Effect.flip(transaction(Effect.andThen(refused.order, Effect.fail("refused"))))
      assert.strictEqual(yield* Queue.size(here), 0)
      yield* transaction(
        Effect.gen(function* () {
          yield* taken.order
          yield* sql`SELECT 1`
          assert.strictEqual(yield* Queue.size(here), 0)
        })
      )
      yield* Queue.take(here)
    }).pipe(Effect.scoped)
  )
})
