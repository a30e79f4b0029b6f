import { DateTime, Effect, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { InvalidState, NotFound } from "../../domain/errors.ts"
import { EventId, WebhookId, WorkspaceId } from "../../domain/ids.ts"
import { DeliveryStatus } from "../../domain/webhooks/webhook.ts"
import { EventRows, insertEvents, makeEventRows } from "../events/record.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"
import { makeRequeue } from "./queue.ts"
import { deliveryColumns, DeliveryRow, unknownWebhook } from "./rows.ts"
import type { Webhooks } from "./Webhooks.ts"

const disabled = new InvalidState({ message: "The webhook is disabled; enable it first" })

const Keys = Schema.Struct({ workspaceId: WorkspaceId, webhookId: WebhookId })

export const makeDeliveries = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const requeue = yield* makeRequeue
  const columns = deliveryColumns(sql)

  const lockWebhook = SqlSchema.findOneOption({
    Request: Keys,
    Result: Schema.Struct({ enabled: Schema.Boolean }),
    execute: ({ webhookId, workspaceId }) => sql`
      SELECT disabled_reason IS NULL AS enabled FROM webhooks
      WHERE workspace_id = ${workspaceId}::uuid AND id = ${webhookId}::uuid AND deleted_at IS NULL FOR NO KEY UPDATE`
  })

  const withQueue = <A, E, R>(key: typeof Keys.Type, effect: Effect.Effect<A, E, R>) =>
    sql.withTransaction(
      Effect.gen(function* () {
        const found = yield* lockWebhook(key)
        if (Option.isNone(found)) return yield* unknownWebhook
        if (!found.value.enabled) return yield* disabled
        const result = yield* effect
        yield* requeue({ ids: [key.webhookId], workspaceId: key.workspaceId, now: yield* DateTime.now })
        return result
      })
    )

  const insertTest = SqlSchema.findOne({
    Request: Schema.Struct({ ...Keys.fields, eventId: EventId, events: EventRows, now: Timestamp }),
    Result: Schema.Struct({ id: EventId }),
    execute: ({ eventId, events, now, webhookId, workspaceId }) => sql`
      WITH recorded AS (${insertEvents(sql, events)})
      INSERT INTO webhook_deliveries (event_id, webhook_id, workspace_id, status, next_at, queued_at)
      VALUES (${eventId}::uuid, ${webhookId}::uuid, ${workspaceId}::uuid, 'pending', least(${now}::timestamptz, clock_timestamp()),
        ${now}::timestamptz)
      RETURNING event_id AS id`
  })

  const findDelivery = SqlSchema.findOneOption({
    Request: Schema.Struct({ ...Keys.fields, eventId: EventId }),
    Result: DeliveryRow,
    execute: ({ eventId, webhookId, workspaceId }) => sql`
      SELECT ${columns} FROM webhook_deliveries d JOIN events e ON e.id = d.event_id AND e.workspace_id = d.workspace_id
      WHERE d.workspace_id = ${workspaceId}::uuid AND d.webhook_id = ${webhookId}::uuid AND d.event_id = ${eventId}::uuid`
  })

  const readDelivery = Effect.fnUntraced(function* (key: typeof Keys.Type, eventId: EventId) {
    const found = yield* findDelivery({ ...key, eventId })
    if (Option.isSome(found)) return found.value
    return yield* new NotFound({ message: "There is no such delivery of this webhook" })
  })

  const test: Webhooks["test"] = Effect.fn("Repo.webhooks.test")((workspaceId, webhookId) => {
    const key = { workspaceId, webhookId }
    return withQueue(
      key,
      Effect.gen(function* () {
        const event = { type: "webhook.test", data: { webhook_id: webhookId } } as const
        const events = yield* makeEventRows([{ workspaceId, event }])
        const [row] = events
        if (row === undefined) return yield* unknownWebhook
        yield* insertTest({ ...key, eventId: row.id, events, now: yield* DateTime.now })
        return yield* readDelivery(key, row.id)
      })
    ).pipe(Effect.catchTag("NoSuchElementError", Effect.die), withDatabaseTimeout("testing a webhook"))
  })

  const findDeliveries = SqlSchema.findAll({
    Request: Schema.Struct({
      ...Keys.fields,
      limit: Schema.Int,
      status: Schema.NullOr(DeliveryStatus),
      before: Schema.NullOr(EventId)
    }),
    Result: DeliveryRow,
    execute: ({ before, limit, status, webhookId, workspaceId }) => sql`
      SELECT ${columns} FROM (
        SELECT * FROM webhook_deliveries WHERE ${sql.and([
          sql`workspace_id = ${workspaceId}::uuid AND webhook_id = ${webhookId}::uuid`,
          // The status is a literal, because the index of failed deliveries is partial.
          ...(status === null ? [] : [sql`status = ${sql.literal(`'${status}'`)}`]),
          ...(before === null ? [] : [sql`event_id < ${before}::uuid`])
        ])} ORDER BY event_id DESC LIMIT ${limit}::int) d
      JOIN events e ON e.id = d.event_id AND e.workspace_id = d.workspace_id
      ORDER BY d.event_id DESC`
  })

  const findWebhook = SqlSchema.findOneOption({
    Request: Keys,
    Result: Schema.Struct({ id: WebhookId }),
    execute: ({ webhookId, workspaceId }) => sql`
      SELECT id FROM webhooks
      WHERE workspace_id = ${workspaceId}::uuid AND id = ${webhookId}::uuid AND deleted_at IS NULL`
  })

  const deliveries: Webhooks["deliveries"] = Effect.fn("Repo.webhooks.deliveries")((workspaceId, webhookId, query) =>
    Effect.gen(function* () {
      const key = { workspaceId, webhookId }
      if (Option.isNone(yield* findWebhook(key))) return yield* unknownWebhook
      return yield* findDeliveries({ ...key, ...query })
    }).pipe(withDatabaseTimeout("listing deliveries"))
  )

  const queueAgain = SqlSchema.void({
    Request: Schema.Struct({ ...Keys.fields, eventId: EventId, now: Timestamp }),
    execute: ({ eventId, now, webhookId, workspaceId }) => sql`
      UPDATE webhook_deliveries SET status = 'pending', attempts = 0, claim_token = NULL,
        next_at = least(${now}::timestamptz, clock_timestamp()), queued_at = ${now}::timestamptz
      WHERE workspace_id = ${workspaceId}::uuid AND webhook_id = ${webhookId}::uuid AND event_id = ${eventId}::uuid
        AND (claim_token IS NULL OR next_at <= least(${now}::timestamptz, clock_timestamp()))`
  })

  const resend: Webhooks["resend"] = Effect.fn("Repo.webhooks.resend")((workspaceId, webhookId, eventId) => {
    const key = { workspaceId, webhookId }
    return withQueue(
      key,
      Effect.gen(function* () {
        yield* queueAgain({ ...key, eventId, now: yield* DateTime.now })
        return yield* readDelivery(key, eventId)
      })
    ).pipe(withDatabaseTimeout("sending a delivery again"))
  })

  const queueMissed = SqlSchema.findOne({
    Request: Schema.Struct({ ...Keys.fields, since: Timestamp, limit: Schema.Int, now: Timestamp }),
    Result: Schema.Struct({ queued: Schema.Int }),
    // A position is the event's time in microseconds, or greater, so the lower bound includes all events since.
    execute: ({ limit, now, since, webhookId, workspaceId }) =>
      sql`
      WITH missed AS (
        SELECT e.id FROM events e CROSS JOIN webhooks w
        WHERE w.workspace_id = ${workspaceId}::uuid AND w.id = ${webhookId}::uuid
          AND e.workspace_id = ${workspaceId}::uuid
          AND e.position >= (extract(epoch FROM ${since}::timestamptz) * 1000000)::bigint
          AND e.created_at >= ${since}::timestamptz AND (w.events IS NULL OR e.type = ANY(w.events))
          AND NOT EXISTS (SELECT FROM webhook_deliveries d
            WHERE d.workspace_id = ${workspaceId}::uuid AND d.event_id = e.id AND d.webhook_id = w.id
              AND d.status <> 'failed')
        ORDER BY e.position LIMIT ${limit}::int
      ), queued AS (
        INSERT INTO webhook_deliveries (event_id, webhook_id, workspace_id, status, next_at, queued_at)
        SELECT id, ${webhookId}::uuid, ${workspaceId}::uuid, 'pending', least(${now}::timestamptz, clock_timestamp()),
          ${now}::timestamptz FROM missed
        ON CONFLICT ON CONSTRAINT webhook_deliveries_pk DO UPDATE SET status = 'pending', attempts = 0,
          next_at = excluded.next_at, queued_at = excluded.queued_at
        WHERE webhook_deliveries.status = 'failed'
        RETURNING event_id
      )
      SELECT count(*)::int AS queued FROM queued`.unprepared
  })

  const replay: Webhooks["replay"] = Effect.fn("Repo.webhooks.replay")((workspaceId, webhookId, since, limit) => {
    const key = { workspaceId, webhookId }
    const queue = Effect.flatMap(DateTime.now, (now) => queueMissed({ ...key, since, limit, now }))
    return withQueue(key, queue).pipe(
      Effect.map(({ queued }) => queued),
      Effect.catchTag("NoSuchElementError", Effect.die),
      withDatabaseTimeout("replaying events")
    )
  })

  return { test, deliveries, resend, replay } satisfies Pick<Webhooks, "test" | "deliveries" | "resend" | "replay">
})
