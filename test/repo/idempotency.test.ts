import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { NotFound } from "../../src/domain/errors.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { repoLayer } from "../support/database/testDatabase.ts"
import { makeWorkspace } from "../support/database/fixtures.ts"

layer(repoLayer)("idempotency.once", (it) => {
  it.effect("An idempotent request runs once, and its result is returned to repetitions for 24 hours", () =>
    Effect.gen(function* () {
      const { idempotency } = yield* Repo
      const workspaceId = yield* makeWorkspace([])
      let times = 0
      const count = Effect.sync(() => ++times)
      const once = (request: string) =>
        idempotency.once(
          { workspaceId, key: "k", request, answer: Schema.Int, authorId: workspaceId, formerIds: [] },
          count
        )
      assert.deepStrictEqual(yield* once("POST /a"), { result: 1, replayed: false })
      assert.deepStrictEqual(yield* once("POST /a"), { result: 1, replayed: true })
      assert.strictEqual((yield* Effect.flip(once("POST /b")))._tag, "IdempotencyMismatch")
      yield* TestClock.adjust("24 hours")
      assert.deepStrictEqual(yield* once("POST /b"), { result: 2, replayed: false })
    })
  )

  it.effect("An idempotent request that fails stores nothing, and one that is in flight refuses its repetition", () =>
    Effect.gen(function* () {
      const { idempotency } = yield* Repo
      const workspaceId = yield* makeWorkspace([])
      const name = {
        workspaceId,
        key: "k",
        request: "POST /a",
        answer: Schema.Int,
        authorId: workspaceId,
        formerIds: []
      }
      const failed = yield* Effect.flip(idempotency.once(name, Effect.fail(new NotFound({ message: "" }))))
      assert.strictEqual(failed._tag, "NotFound")
      const begun = yield* Deferred.make<void>()
      const end = yield* Deferred.make<number>()
      const first = yield* Effect.forkChild(
        idempotency.once(name, Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(end)))
      )
      yield* Deferred.await(begun)
      // Another workspace can use the same key.
      const elsewhere = { ...name, workspaceId: yield* makeWorkspace([]) }
      assert.deepStrictEqual(yield* idempotency.once(elsewhere, Effect.succeed(3)), {
        result: 3,
        replayed: false
      })
      assert.strictEqual((yield* Effect.flip(idempotency.once(name, Effect.succeed(2))))._tag, "IdempotencyInFlight")
      yield* Deferred.succeed(end, 1)
      assert.deepStrictEqual(yield* Fiber.join(first), { result: 1, replayed: false })
      assert.deepStrictEqual(yield* idempotency.once(name, Effect.succeed(2)), {
        result: 1,
        replayed: true
      })
    })
  )

  it.effect(
    "A connection that is lost inside an idempotent request is an unavailable database, and the request can be repeated",
    () =>
      Effect.gen(function* () {
        const { idempotency, workspaces } = yield* Repo
        const sql = yield* SqlClient.SqlClient
        const workspaceId = yield* makeWorkspace([])
        const name = {
          workspaceId,
          key: "lost",
          request: "POST /a",
          answer: Schema.Int,
          authorId: workspaceId,
          formerIds: []
        }
        const loseConnection = Effect.andThen(
          Effect.ignore(sql`SELECT pg_terminate_backend(pg_backend_pid())`),
          workspaces.create("Never")
        )
        const error = yield* Effect.flip(idempotency.once(name, Effect.as(loseConnection, 1)))
        assert.strictEqual(error._tag, "DatabaseUnavailable")
        assert.deepStrictEqual(yield* idempotency.once(name, Effect.succeed(2)), {
          result: 2,
          replayed: false
        })
      })
  )
})
