import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Repo } from "../../src/repo/Repo.ts"
import { keysFiber } from "../../src/wiring/keysFiber.ts"
import { makeWorkspace } from "../support/database/fixtures.ts"
import { anotherRepo, repoLayer } from "../support/database/testDatabase.ts"

/** Whether another process refuses a key that this one has just revoked. */
const isTold = Effect.fn("isTold")(function* (other: Repo["Service"]) {
  const { apiKeys } = yield* Repo
  const workspaceId = yield* makeWorkspace([])
  const { key, stored } = yield* apiKeys.create({
    workspaceId,
    name: "A key",
    scopes: ["posts:read"],
    requiresApproval: false,
    expiresIn: null
  })
  assert.isTrue(Option.isSome(yield* other.apiKeys.find(key)))
  yield* apiKeys.revoke(stored.id)
  return Option.isNone(yield* other.apiKeys.find(key))
})

layer(repoLayer)("keysFiber", (it) => {
  it.effect("A process is told of revoked keys again once its connection was lost", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const other = yield* anotherRepo
      yield* Layer.build(keysFiber).pipe(Effect.provideService(Repo, other))
      // The clock stands still between two looks at a key, so that none is refused because it was looked up long ago.
      yield* Effect.repeat(isTold(other), { until: (told) => told })
      const lost = yield* sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND query ILIKE 'LISTEN%changed_keys%'`
      assert.lengthOf(lost, 1)
      yield* Effect.repeat(
        sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND query ILIKE 'LISTEN%changed_keys%'`,
        { until: (listeners) => listeners.length === 0 }
      )
      const oneSecondLater = Effect.andThen(TestClock.adjust("1 second"), isTold(other))
      yield* Effect.repeat(oneSecondLater, { until: (told) => told })
    })
  )
})
