import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { failuresToOpen } from "../../domain/webhooks/deliveryPolicy.ts"
import { WebhookId, WorkspaceId } from "../../domain/ids.ts"
import { inIndexOrder } from "../postgres/indexes.ts"
import { Timestamp } from "../postgres/rows.ts"

/** Deliveries of one webhook that are in flight at a time, over all processes. */
const maxInFlight = 4

/** How many deliveries of a webhook `w` may be in flight, as SQL: one while its circuit is open. */
export const allowedInFlight = `CASE WHEN w.failures >= ${failuresToOpen} THEN 1 ELSE ${maxInFlight} END`

/** How many deliveries of a webhook `w` are in flight at a time, as SQL. */
export const inFlightAt = (now: string) => `(SELECT count(*) FROM webhook_deliveries d
  WHERE d.webhook_id = w.id AND d.claim_token IS NOT NULL AND d.next_at > ${now})`

/** When the first delivery of a webhook `w` that has a time is due, or its lease ends, as SQL. `from` passes over some. */
export const earliestOf = (condition: string, from = "") => `(SELECT d.next_at FROM webhook_deliveries d ${inIndexOrder}
  WHERE d.webhook_id = w.id AND d.next_at IS NOT NULL ${condition} ORDER BY d.next_at LIMIT 1 ${from})`

/**
 * Sets when the next delivery of webhooks is due. To be called in a transaction that has locked their rows, after it has
 * changed their deliveries: whoever queues a delivery takes that lock too, so that none is missed. A webhook whose
 * deliveries wait has its turn at that moment, behind those that wait already (round robin); one with as many in flight as
 * it may have waits until one of them ends, or its lease does.
 */
export const makeRequeue = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const earliest = (condition: string) => sql.literal(earliestOf(condition))

  return SqlSchema.void({
    Request: Schema.Struct({
      ids: Schema.Array(WebhookId),
      /** Null for webhooks of several workspaces. */
      workspaceId: Schema.NullOr(WorkspaceId),
      now: Timestamp
    }),
    execute: ({ ids, now, workspaceId }) =>
      sql`
      WITH moment AS MATERIALIZED (SELECT least(${now}::timestamptz, clock_timestamp()) AS now)
      UPDATE webhooks w SET due_at = CASE
        WHEN ${sql.literal(inFlightAt("moment.now"))} >= ${sql.literal(allowedInFlight)}
          THEN ${earliest("AND d.claim_token IS NOT NULL AND d.next_at > moment.now")}
        ELSE (SELECT greatest(next.at, moment.now, w.held_until) FROM (SELECT ${earliest("")} AS at) next
          WHERE next.at IS NOT NULL)
        END
      FROM moment WHERE ${sql.and([
        sql`w.id = ANY(${ids}::uuid[])`,
        ...(workspaceId === null ? [] : [sql`w.workspace_id = ${workspaceId}::uuid`])
      ])}`
  })
})
