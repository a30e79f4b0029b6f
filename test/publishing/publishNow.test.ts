import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { WorkspaceId } from "../../src/domain/ids.ts"
import { Publisher } from "../../src/publishing/Publisher.ts"
import { scheduledFiber } from "../../src/publishing/scheduledFiber.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { makeWorkspace, plan } from "../support/database/fixtures.ts"
import { repoLayer } from "../support/database/testDatabase.ts"
import { ok, Script, scriptedPlatform } from "./scriptedPlatform.ts"
import { publisherLayer } from "./publisherLayer.ts"
import { planPublish } from "../support/plans.ts"

/** Runs a test with a scheduled fiber that never gets a notification. */
const withoutNotifications = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Repo, (repo) =>
    test.pipe(
      Effect.provide(Layer.provideMerge(scheduledFiber, Layer.fresh(publisherLayer)), { local: true }),
      Effect.provideService(Repo, Repo.of({ ...repo, targets: { ...repo.targets, listen: () => Effect.never } }))
    )
  )

/** Creates a draft and orders to publish it. */
const publishNow = Effect.fnUntraced(function* (workspace: WorkspaceId) {
  const { posts } = yield* Repo
  const { id } = yield* posts.create(workspace, plan(null))
  yield* posts.publish(workspace, id, planPublish)
})

layer(Layer.provideMerge(scriptedPlatform, repoLayer))("The process that takes an order to publish now", (it) => {
  it.effect("It sends the post without the database's notification", () =>
    withoutNotifications(
      Effect.gen(function* () {
        const { nextCall } = yield* Script
        yield* publishNow(yield* makeWorkspace())
        assert.strictEqual((yield* nextCall).call, "publish")
      })
    )
  )

  it.effect(
    "While a post of the same account is in flight it sends no other, and the next one as soon as that has ended",
    () =>
      withoutNotifications(
        Effect.gen(function* () {
          const { calls, nextCall, respond } = yield* Script
          const { idle, tick } = yield* Publisher
          const workspace = yield* makeWorkspace()
          const responded = yield* Deferred.make<void>()
          yield* respond("twitter", Effect.andThen(Deferred.await(responded), ok))
          yield* publishNow(workspace)
          yield* nextCall
          yield* publishNow(workspace)
          // This tick runs after the order's tick.
          const claimed = yield* tick
          const sent = yield* calls
          yield* Deferred.succeed(responded, undefined)
          assert.strictEqual((yield* nextCall).call, "publish")
          yield* idle
          assert.deepStrictEqual({ claimed, sent }, { claimed: 0, sent: [] })
        })
      )
  )

  it.effect("While publishing is held it sends nothing, and the post with the next poll after that", () =>
    withoutNotifications(
      Effect.gen(function* () {
        const { calls, nextCall } = yield* Script
        const { tick } = yield* Publisher
        const sql = yield* SqlClient.SqlClient
        yield* sql`INSERT INTO publishing_state (held_since) VALUES (now())`
        yield* publishNow(yield* makeWorkspace())
        assert.strictEqual(yield* tick, 0)
        assert.deepStrictEqual(yield* calls, [])
        yield* sql`DELETE FROM publishing_state`
        yield* TestClock.adjust("10 seconds")
        assert.strictEqual((yield* nextCall).call, "publish")
      })
    )
  )

  it.effect("Of two processes that claim at the same moment one sends", () =>
    withoutNotifications(
      Effect.gen(function* () {
        const { calls, nextCall } = yield* Script
        const { idle } = yield* Publisher
        const workspace = yield* makeWorkspace()
        yield* Effect.gen(function* () {
          const other = yield* Publisher
          for (let order = 0; order < 20; order++) {
            yield* Effect.all([publishNow(workspace), other.tick, other.tick], { concurrency: "unbounded" })
            yield* nextCall
            yield* Effect.all([idle, other.idle])
          }
        }).pipe(Effect.provide(Layer.fresh(publisherLayer), { local: true }))
        assert.deepStrictEqual(yield* calls, [])
      })
    )
  )
})
