import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Repo } from "../../src/repo/Repo.ts"
import { sweeps } from "../../src/sweeper.ts"
import { makeWorkspace } from "../support/database/fixtures.ts"
import { anotherRepo, repoLayer } from "../support/database/testDatabase.ts"

const keys = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly key: string }>`SELECT key FROM idempotency_keys ORDER BY key`
  return rows.map(({ key }) => key)
})

/** Uses a key of a workspace of its own. */
const use = Effect.fnUntraced(function* (key: string) {
  const { idempotency } = yield* Repo
  const workspaceId = yield* makeWorkspace([])
  yield* idempotency.once(
    { workspaceId, key, request: "POST /a", answer: Schema.Int, authorId: workspaceId, formerIds: [] },
    Effect.succeed(1)
  )
})

layer(repoLayer)("the retention of idempotency keys", (it) => {
  it.effect("A key is removed once it can be used again, 24 hours after it was used", () =>
    Effect.gen(function* () {
      yield* use("a")
      yield* TestClock.adjust("1 hour")
      yield* use("b")
      yield* TestClock.adjust("22 hours")
      yield* sweeps.idempotencyKeys
      assert.deepStrictEqual(yield* keys, ["a", "b"])
      yield* TestClock.adjust("1 hour")
      yield* sweeps.idempotencyKeys
      assert.deepStrictEqual(yield* keys, ["b"])
    })
  )

  it.effect("More than a batch is removed in several, also by two processes at once", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* use("old")
      yield* sql`INSERT INTO idempotency_keys (workspace_id, key, fingerprint, answer, created_at)
        SELECT workspace_id, key || i, fingerprint, answer, created_at FROM idempotency_keys, generate_series(1, 2500) i`
      yield* TestClock.adjust("24 hours")
      const elsewhere = yield* Effect.forkChild(Effect.provideService(sweeps.idempotencyKeys, Repo, yield* anotherRepo))
      yield* sweeps.idempotencyKeys
      yield* Fiber.join(elsewhere)
      assert.deepStrictEqual(yield* keys, [])
    })
  )
})
