import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { failuresToOpen } from "../../domain/webhooks/deliveryPolicy.ts"
import { WebhookId, WorkspaceId } from "../../domain/ids.ts"
import { inIndexOrder } from "../postgres/indexes.ts"
import { Timestamp } from "../postgres/rows.ts"

/** Per webhook, over all processes. */
const maxInFlight = 4

export const allowedInFlight = `CASE WHEN w.failures >= ${failuresToOpen} THEN 1 ELSE ${maxInFlight} END`

export const inFlightAt = (now: string) => `(SELECT count(*) FROM webhook_deliveries d
  WHERE d.webhook_id = w.id AND d.claim_token IS NOT NULL AND d.next_at > ${now})`

/** The earliest due time or lease end. `from` is an OFFSET. */
export const earliestOf = (condition: string, from = "") => `(SELECT d.next_at FROM webhook_deliveries d ${inIndexOrder}
  WHERE d.webhook_id = w.id AND d.next_at IS NOT NULL ${condition} ORDER BY d.next_at LIMIT 1 ${from})`

/**
 * Sets the next due time of webhooks, in a transaction that has locked their rows and changed their deliveries. Queuing
 * needs that lock too, so no delivery is missed. A webhook is due now at the earliest, behind waiting webhooks. At its
 * limit in flight, it waits until a delivery or its lease ends.
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
