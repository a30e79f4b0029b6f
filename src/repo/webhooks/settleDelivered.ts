import { DateTime, Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { failuresToOpen, isSlow } from "../../domain/webhooks/deliveryPolicy.ts"
import { ClaimToken, EventId, WebhookId } from "../../domain/ids.ts"
import { DeliveryAttempt } from "../../domain/webhooks/webhook.ts"
import { Timestamp } from "../postgres/rows.ts"
import { appendedLog, attemptOf } from "./log.ts"
import { urlMark } from "./rows.ts"
import type { DeliveryOutcome } from "./Webhooks.ts"

const Delivered = Schema.Struct({
  webhookId: WebhookId,
  eventId: EventId,
  token: ClaimToken,
  attempt: DeliveryAttempt
})

const Responded = Schema.Struct({ id: WebhookId, urlMark: Schema.String, slow: Schema.Boolean })

/**
 * One statement. It can't count the webhooks' other deliveries, because it does not see deliveries queued while it
 * waited for the lock. So it makes the webhooks due now, and the next claim sets their times.
 */
export const makeSettleDelivered = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const write = SqlSchema.findAll({
    Request: Schema.Struct({
      deliveries: Schema.fromJsonString(Schema.Array(Delivered)),
      webhooks: Schema.fromJsonString(Schema.Array(Responded)),
      now: Timestamp
    }),
    Result: Schema.Struct({ id: WebhookId }),
    execute: ({ deliveries, now, webhooks }) =>
      sql`
      WITH responded AS MATERIALIZED (
        SELECT * FROM json_to_recordset(${webhooks}::json) AS s (id uuid, "urlMark" text, slow boolean)
      ),
      locked AS MATERIALIZED (
        SELECT id, ${sql.literal(urlMark)} AS mark, failures FROM webhooks WHERE id = ANY(ARRAY(SELECT id FROM responded)) ORDER BY id
        FOR NO KEY UPDATE
      ),
      -- Results at another URL no longer count.
      known AS MATERIALIZED (
        SELECT l.id, l.failures, r.slow, l.mark = r."urlMark" AS responds FROM locked l JOIN responded r ON r.id = l.id
      ),
      written AS (
        UPDATE webhook_deliveries d SET status = 'delivered', next_at = NULL, claim_token = NULL, log = ${appendedLog(sql)}
        FROM json_to_recordset(${deliveries}::json) AS s ("webhookId" uuid, "eventId" uuid, token uuid, attempt jsonb)
        WHERE (SELECT count(*) FROM locked) >= 0
          AND d.event_id = s."eventId" AND d.webhook_id = s."webhookId" AND d.claim_token = s.token
      ),
      woken AS (
        UPDATE webhooks w SET failures = CASE WHEN known.responds THEN 0 ELSE w.failures END,
          failing_since = CASE WHEN NOT known.responds THEN w.failing_since END,
          held_until = CASE WHEN NOT known.responds THEN w.held_until END,
          strained = CASE WHEN known.responds THEN known.slow ELSE w.strained END,
          due_at = least(w.due_at, ${now}::timestamptz, clock_timestamp())
        FROM known WHERE w.id = known.id
      )
      SELECT id FROM known WHERE responds AND failures >= ${failuresToOpen}::int`
  })

  /** Returns the webhooks whose circuit closed. */
  return Effect.fnUntraced(function* (outcomes: ReadonlyArray<DeliveryOutcome>) {
    const last = new Map(outcomes.map((outcome) => [outcome.claim.webhookId, outcome]))
    const closed = yield* write({
      deliveries: outcomes.map((outcome) => ({ ...outcome.claim, attempt: attemptOf(outcome) })),
      webhooks: [...last].map(([id, { claim, result }]) => ({ id, urlMark: claim.urlMark, slow: isSlow(result) })),
      now: yield* DateTime.now
    })
    return closed.map(({ id }) => id)
  })
})
