import { assert, layer } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Repo } from "../../../src/repo/Repo.ts"
import { makeWorkspace } from "../../support/database/fixtures.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import {
  aResult,
  deleteWebhooks,
  lease,
  makeWebhook,
  recordEvents,
  settleAs,
  someSlots
} from "../../support/database/webhookFixtures.ts"
import { withWallClockAhead } from "../../support/wallClock.ts"

/**
 * Runs an effect by the database's clock. A process's clock has no microseconds, so by it nothing is due that became
 * due in this millisecond.
 */
const byDatabaseClock = withWallClockAhead(2)

/** A workspace with a webhook whose only delivery is due, and its claim. */
const start = Effect.gen(function* () {
  const { events, webhooks } = yield* Repo
  yield* deleteWebhooks
  const workspaceId = yield* makeWorkspace([])
  const { id } = yield* makeWebhook(workspaceId)
  yield* recordEvents(workspaceId, 1)
  yield* events.dispatch(10)
  return { workspaceId, id, webhooks, claim: byDatabaseClock(webhooks.claim(someSlots, lease)) }
})

const databaseTime = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{
    readonly seconds: number
  }>`SELECT extract(epoch FROM clock_timestamp())::float8 AS seconds`
  return row?.seconds ?? Number.NaN
})

/**
 * Runs an effect. Fails unless the only delivery is then due in `seconds` by the database's clock, however long the
 * effect takes.
 */
const assertDueIn = Effect.fn(function* <A, E, R>(seconds: number, effect: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const before = yield* databaseTime
  const result = yield* effect
  const after = yield* databaseTime
  const [row] = yield* sql<{ readonly due: number }>`
    SELECT extract(epoch FROM next_at)::float8 AS due FROM webhook_deliveries`
  // Processes' clocks have whole milliseconds.
  assert.isAtLeast(row?.due ?? Number.NaN, before + seconds - 0.01)
  assert.isAtMost(row?.due ?? Number.NaN, after + seconds + 0.01)
  return result
})

layer(repoLayer, { excludeTestServices: true })("Webhooks and clocks that differ", (it) => {
  it.effect.each([
    ["slow", -40_000],
    ["fast", 40_000]
  ] as const)("A process with a %s clock waits as long as a receiver asks for", ([, skew]) =>
    Effect.gen(function* () {
      const { claim } = yield* start
      const claims = yield* claim
      const asks = aResult(503, { retryAfter: Duration.seconds(120) })
      yield* assertDueIn(120, withWallClockAhead(skew)(settleAs(claims, asks)))
    })
  )

  it.effect("A process with a slow clock holds its deliveries for as long as one with the right time", () =>
    Effect.gen(function* () {
      const { claim } = yield* start
      yield* SqlClient.SqlClient.use((sql) => sql`UPDATE webhooks SET due_at = due_at - interval '1 minute'`)
      yield* SqlClient.SqlClient.use(
        (sql) => sql`UPDATE webhook_deliveries SET next_at = next_at - interval '1 minute'`
      )
      assert.lengthOf(yield* assertDueIn(Duration.toSeconds(lease), withWallClockAhead(-40_000)(claim)), 1)
    })
  )

  it.effect("A delivery that is sent again through a process with a fast clock is due at once", () =>
    Effect.gen(function* () {
      const { claim, id, webhooks, workspaceId } = yield* start
      const claims = yield* claim
      yield* settleAs(claims, aResult(200))
      const [{ eventId } = yield* Effect.die("Nothing was due")] = claims
      yield* withWallClockAhead(40_000)(webhooks.resend(workspaceId, id, eventId))
      assert.lengthOf(yield* claim, 1)
    })
  )
})
