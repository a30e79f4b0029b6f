import { DateTime, Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import {
  isCircuitOpen,
  isSuccess,
  settleDelivery,
  settleHealth,
  type WebhookHealth
} from "../../domain/webhooks/deliveryPolicy.ts"
import { ClaimToken, EventId, WebhookId, WorkspaceId } from "../../domain/ids.ts"
import { DeliveryAttempt, DeliveryStatus, DisabledReason } from "../../domain/webhooks/webhook.ts"
import { onDatabaseClock } from "../postgres/databaseClock.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { NullableTimestamp, Timestamp } from "../postgres/rows.ts"
import { appendedLog, attemptOf } from "./log.ts"
import { makeRequeue } from "./queue.ts"
import { shownUrl, urlMark } from "./rows.ts"
import { makeSettleDelivered } from "./settleDelivered.ts"
import { makeUnclaim } from "./unclaim.ts"
import type { DeliveryOutcome, Webhooks } from "./Webhooks.ts"

const NullableTime = Schema.NullOr(Schema.DateTimeUtcFromString)

const DeliveryChange = Schema.Struct({
  webhookId: WebhookId,
  eventId: EventId,
  token: ClaimToken,
  status: DeliveryStatus,
  nextAt: NullableTime,
  attempt: DeliveryAttempt
})

const HealthRow = Schema.Struct({
  id: WebhookId,
  workspaceId: WorkspaceId,
  url: Schema.String,
  urlMark: Schema.String,
  failures: Schema.Int,
  failingSince: NullableTimestamp,
  heldUntil: NullableTimestamp,
  strained: Schema.Boolean,
  disabledReason: Schema.NullOr(Schema.Union([DisabledReason, Schema.Literal("deleted")]))
})

const HealthChange = Schema.Struct({
  id: WebhookId,
  failures: Schema.Int,
  failingSince: NullableTime,
  heldUntil: NullableTime,
  strained: Schema.Boolean,
  disabledReason: Schema.NullOr(DisabledReason)
})

const changeFor = (outcome: DeliveryOutcome): typeof DeliveryChange.Type => {
  const { claim, endedAt, jitter, result } = outcome
  return { ...claim, ...settleDelivery(claim.attempts, result, endedAt, jitter), attempt: attemptOf(outcome) }
}

/** Most webhooks that respond need no change of their row. */
const isSameHealth = (health: WebhookHealth, before: typeof HealthRow.Type): boolean =>
  health.failures === 0 &&
  health.disabledReason === null &&
  before.failures === 0 &&
  before.failingSince === null &&
  before.heldUntil === null &&
  health.strained === before.strained

export const makeSettleDeliveries = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const requeue = yield* makeRequeue
  const settleDelivered = yield* makeSettleDelivered
  const unclaim = yield* makeUnclaim

  const lockWebhooks = SqlSchema.findAll({
    Request: Schema.Struct({ ids: Schema.Array(WebhookId) }),
    Result: HealthRow,
    execute: ({ ids }) => sql`
      SELECT id, workspace_id AS "workspaceId", ${sql.literal(shownUrl)} AS url, ${sql.literal(urlMark)} AS "urlMark",
        failures, failing_since AS "failingSince", held_until AS "heldUntil", strained, disabled_reason AS "disabledReason"
      FROM webhooks WHERE id = ANY(${ids}::uuid[]) ORDER BY id FOR NO KEY UPDATE`
  })

  const writeDeliveries = SqlSchema.void({
    Request: Schema.Struct({ batch: Schema.fromJsonString(Schema.Array(DeliveryChange)), now: Timestamp }),
    execute: ({ batch, now }) =>
      sql`
      UPDATE webhook_deliveries d SET status = s.status, claim_token = NULL,
        next_at = ${onDatabaseClock(sql, sql.literal('s."nextAt"'), sql`${now}::timestamptz`)},
        log = ${appendedLog(sql)}
      FROM json_to_recordset(${batch}::json) AS s ("webhookId" uuid, "eventId" uuid, token uuid, status text,
        "nextAt" timestamptz, attempt jsonb)
      WHERE d.event_id = s."eventId" AND d.webhook_id = s."webhookId" AND d.claim_token = s.token`
  })

  const writeHealth = SqlSchema.void({
    Request: Schema.Struct({ batch: Schema.fromJsonString(Schema.Array(HealthChange)), now: Timestamp }),
    execute: ({ batch, now }) =>
      sql`
      WITH changed AS MATERIALIZED (
        SELECT * FROM json_to_recordset(${batch}::json) AS change (id uuid, failures int, "failingSince" timestamptz,
          "heldUntil" timestamptz, strained boolean, "disabledReason" text)
      )
      UPDATE webhooks w SET failures = s.failures, failing_since = s."failingSince",
        -- An unchanged time is on the database's clock already.
        held_until = CASE WHEN s."heldUntil" = date_trunc('milliseconds', w.held_until) THEN w.held_until
          ELSE ${onDatabaseClock(sql, sql.literal('s."heldUntil"'), sql`${now}::timestamptz`)} END,
        strained = s.strained, disabled_reason = coalesce(w.disabled_reason, s."disabledReason")
      -- By their ids, however many the planner expects.
      FROM changed s WHERE w.id = s.id AND w.id = ANY(ARRAY(SELECT id FROM changed))`
  })

  const settleInTransaction = (outcomes: ReadonlyArray<DeliveryOutcome>) =>
    sql.withTransaction(
      Effect.gen(function* () {
        const ids = [...new Set(outcomes.map(({ claim }) => claim.webhookId))]
        const before = yield* lockWebhooks({ ids })
        const settled = before.map((known) => {
          const { disabledReason, ...rest } = known
          const reason = disabledReason === "deleted" ? null : disabledReason
          const health = outcomes
            // Results for another URL no longer count.
            .filter(({ claim }) => claim.webhookId === known.id && claim.urlMark === known.urlMark)
            .reduce<WebhookHealth>(
              (state, { endedAt, jitter, result }) => settleHealth(state, result, endedAt, jitter),
              { ...rest, disabledReason: reason }
            )
          return { known, health }
        })
        const now = yield* DateTime.now
        yield* writeDeliveries({ batch: outcomes.map(changeFor), now })
        const changed = settled.flatMap(({ health, known }) =>
          isSameHealth(health, known) ? [] : [{ ...health, id: known.id }]
        )
        if (changed.length > 0) yield* writeHealth({ batch: changed, now })
        yield* requeue({ ids, workspaceId: null, now })
        return {
          disabled: settled.flatMap(({ health: { disabledReason: reason }, known }) =>
            known.disabledReason === null && (reason === "gone" || reason === "failing")
              ? [{ id: known.id, workspaceId: known.workspaceId, url: known.url, reason }]
              : []
          ),
          opened: settled.flatMap(({ health, known }) =>
            isCircuitOpen(health) && !isCircuitOpen(known) ? [known.id] : []
          ),
          closed: settled.flatMap(({ health, known }) =>
            !isCircuitOpen(health) && isCircuitOpen(known) ? [known.id] : []
          )
        }
      })
    )

  const settle: Webhooks["settle"] = Effect.fn("Repo.webhooks.settle")((outcomes) =>
    (outcomes.every(({ result }) => isSuccess(result))
      ? Effect.map(settleDelivered(outcomes), (closed) => ({ disabled: [], opened: [], closed }))
      : settleInTransaction(outcomes)
    ).pipe(withDatabaseTimeout("settling deliveries"))
  )

  const release: Webhooks["release"] = Effect.fn("Repo.webhooks.release")(function* (claims, heldUntil) {
    yield* unclaim(claims, { at: yield* DateTime.now, heldUntil }).pipe(withDatabaseTimeout("releasing deliveries"))
  })

  return { settle, release } satisfies Pick<Webhooks, "settle" | "release">
})
