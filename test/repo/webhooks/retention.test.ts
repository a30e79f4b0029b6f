import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Repo } from "../../../src/repo/Repo.ts"
import { makeWorkspace } from "../../support/database/fixtures.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { makeWebhook, recordEvents } from "../../support/database/webhookFixtures.ts"

layer(repoLayer)("retention of deliveries", (it) => {
  it.effect("A delivery that was queued again is kept from then on, however old its event is", () =>
    Effect.gen(function* () {
      const { events, webhooks } = yield* Repo
      const sql = yield* SqlClient.SqlClient
      const workspaceId = yield* makeWorkspace([])
      yield* makeWebhook(workspaceId)
      yield* recordEvents(workspaceId, 1)
      yield* events.dispatch(100)
      // Ids contain times, and other tests might have made ids ahead of this test's clock.
      const again = DateTime.makeUnsafe("2100-01-31T00:00:00Z")
      yield* sql`UPDATE webhook_deliveries SET queued_at = ${DateTime.toDateUtc(again)}`
      assert.strictEqual(yield* webhooks.removeDeliveriesBefore(again, 10), 0)
      assert.strictEqual(yield* webhooks.removeDeliveriesBefore(DateTime.add(again, { seconds: 1 }), 10), 1)
    })
  )
})
