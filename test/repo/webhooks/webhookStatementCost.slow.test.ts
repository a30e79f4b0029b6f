import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { WorkspaceId } from "../../../src/domain/ids.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { makeWorkspace } from "../../support/database/fixtures.ts"
import { countingRows, insertAccounts } from "../../support/database/manyAccounts.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import {
  aResult,
  lease,
  makeWebhook,
  recordEvents,
  settleAs,
  someSlots
} from "../../support/database/webhookFixtures.ts"

/** PostgreSQL keeps the plan of a prepared statement after it has run five times. */
const runs = 8
const stored = 10_000

/** Webhooks of 10,000 other workspaces, with three dispatched events each. */
const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* insertAccounts(stored)
  yield* sql`
    INSERT INTO webhooks (id, workspace_id, url, secret, created_at)
    SELECT gen_random_uuid(), workspace_id, 'https://hooks.example/b', 'x', now() FROM integrations`
  yield* sql`
    INSERT INTO events (id, workspace_id, type, audience, data, created_at, position)
    SELECT gen_random_uuid(), workspace_id, 'post.deleted', 'webhooks', '{}', now(), row_number() OVER ()
    FROM webhooks CROSS JOIN generate_series(1, 3)`
})

/** The rows that each step reads from the recording of four events until their deliveries are settled. */
const cycle = Effect.fn("cycle")(function* (workspaceId: WorkspaceId) {
  const { events, webhooks } = yield* Repo
  const recorded = yield* countingRows(recordEvents(workspaceId, 4))
  const dispatched = yield* countingRows(events.dispatch(1000))
  const claimed = yield* countingRows(webhooks.claim(someSlots, lease))
  const claims = claimed.value
  assert.lengthOf(claims, 4)
  const delivered = yield* countingRows(settleAs(claims.slice(0, 2), aResult(200)))
  const failed = yield* countingRows(settleAs(claims.slice(2, 3), aResult(500)))
  const released = yield* countingRows(webhooks.release(claims.slice(3)))
  // Leaves nothing due for the next cycle.
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE webhook_deliveries SET status = 'delivered', next_at = NULL, claim_token = NULL`
  yield* sql`
    UPDATE webhooks SET failures = 0, failing_since = NULL, held_until = NULL, strained = false, due_at = NULL
    WHERE workspace_id = ${workspaceId}::uuid`
  return Object.entries({ recorded, dispatched, claimed, delivered, failed, released }).map(
    ([step, { rows }]) => [step, rows] as const
  )
})

layer(repoLayer, { excludeTestServices: true })("What statements of webhooks read", (it) => {
  it.effect("It depends on what they are about, although PostgreSQL keeps plans from when the tables were empty", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const measured = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`SET LOCAL statement_timeout = '60s'`
          const workspaceId = yield* makeWorkspace([])
          yield* makeWebhook(workspaceId)
          yield* Effect.replicateEffect(cycle(workspaceId), runs)
          yield* fill
          return yield* cycle(workspaceId)
        })
      )
      assert.deepStrictEqual(
        measured.filter(([, rows]) => rows > 500),
        []
      )
    })
  )
})
