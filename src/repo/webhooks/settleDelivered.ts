import { DateTime, Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { failuresToOpen, isSlow } from "../../domain/deliveryPolicy.ts"
import { ClaimToken, EventId, WebhookId } from "../../domain/ids.ts"
import { DeliveryAttempt } from "../../domain/webhook.ts"
import { Timestamp } from "../postgres/rows.ts"
import { appendedLog, attemptOf } from "./log.ts"
import type { DeliveryOutcome } from "./Webhooks.ts"

const Delivered = Schema.Struct({
  webhookId: WebhookId,
  eventId: EventId,
  token: ClaimToken,
  attempt: DeliveryAttempt
})

/**
 * Settles deliveries that have succeeded, in one statement: whatever was known of their webhooks before, they respond. It can't
 * count what else waits for them, since it does not see what was queued until it got the lock of their rows. So it makes them
 * due at once, and the next claim sets when they are.
 */
export const makeSettleDelivered = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const write = SqlSchema.findAll({
    Request: Schema.Struct({
      deliveries: Schema.fromJsonString(Schema.Array(Delivered)),
      ids: Schema.Array(WebhookId),
      slow: Schema.Array(WebhookId),
      now: Timestamp
    }),
    Result: Schema.Struct({ id: WebhookId }),
    execute: ({ deliveries, ids, now, slow }) =>
      sql`
      WITH locked AS MATERIALIZED (
        SELECT id, failures FROM webhooks WHERE id = ANY(${ids}::uuid[]) ORDER BY id FOR NO KEY UPDATE
      ),
      written AS (
        UPDATE webhook_deliveries d SET status = 'delivered', next_at = NULL, claim_token = NULL, log = ${appendedLog(sql)}
        FROM json_to_recordset(${deliveries}::json) AS s ("webhookId" uuid, "eventId" uuid, token uuid, attempt jsonb)
        WHERE (SELECT count(*) FROM locked) >= 0
          AND d.event_id = s."eventId" AND d.webhook_id = s."webhookId" AND d.claim_token = s.token
      ),
      woken AS (
        UPDATE webhooks w SET failures = 0, failing_since = NULL, held_until = NULL, strained = w.id = ANY(${slow}::uuid[]),
          due_at = least(w.due_at, ${now}::timestamptz, clock_timestamp())
        FROM locked WHERE w.id = locked.id
      )
      SELECT id FROM locked WHERE failures >= ${failuresToOpen}::int`.unprepared
  })

  /** Returns the webhooks whose circuit closed. */
  return Effect.fnUntraced(function* (outcomes: ReadonlyArray<DeliveryOutcome>) {
    const slow = new Map(outcomes.map(({ claim, result }) => [claim.webhookId, isSlow(result)]))
    const closed = yield* write({
      deliveries: outcomes.map((outcome) => ({ ...outcome.claim, attempt: attemptOf(outcome) })),
      ids: [...slow.keys()],
      slow: [...slow].flatMap(([id, isSlowNow]) => (isSlowNow ? [id] : [])),
      now: yield* DateTime.now
    })
    return closed.map(({ id }) => id)
  })
})
