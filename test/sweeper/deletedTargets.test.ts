import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { sweeps } from "../../src/sweeper.ts"
import { makeWorkspace } from "../support/database/fixtures.ts"
import { repoLayer } from "../support/database/testDatabase.ts"
import { withWallClockAhead } from "../support/wallClock.ts"

const day = 86_400_000

const remaining = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly platform_post_id: string }>`
    SELECT platform_post_id FROM deleted_targets ORDER BY platform_post_id::int LIMIT 3`
  return rows.map((row) => row.platform_post_id)
})

layer(repoLayer)("What is kept of deleted targets", (it) => {
  it.effect("It is kept for 90 days, and more than a batch is forgotten in several", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const workspaceId = yield* makeWorkspace()
      const deleted = Effect.fn(function* (from: number, to: number) {
        const now = DateTime.formatIso(yield* DateTime.now)
        yield* sql`INSERT INTO deleted_targets (id, workspace_id, platform, account_id, platform_post_id, texts, deleted_at)
          SELECT gen_random_uuid(), ${workspaceId}::uuid, 'twitter', '1', i, '{}', ${now}::timestamptz
          FROM generate_series(${from}::int, ${to}::int) i`
      })
      yield* deleted(1, 2500)
      yield* withWallClockAhead(day)(deleted(3000, 3000))
      yield* withWallClockAhead(90 * day)(sweeps.deletedTargets)
      assert.deepStrictEqual(yield* remaining, ["1", "2", "3"])
      yield* withWallClockAhead(90 * day + 1000)(sweeps.deletedTargets)
      assert.deepStrictEqual(yield* remaining, ["3000"])
    })
  )
})
