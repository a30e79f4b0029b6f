import { DateTime, Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { ClaimToken, EventId, WebhookId } from "../../domain/ids.ts"
import { onDatabaseClock } from "../postgres/databaseClock.ts"
import { Timestamp } from "../postgres/rows.ts"
import { makeRequeue } from "./queue.ts"

const ClaimKey = Schema.Struct({ webhookId: WebhookId, eventId: EventId, token: ClaimToken })

/**
 * Webhooks get no delivery before `heldUntil`. Only ids are read, so unreadable rows do not hold up other deliveries.
 */
export const makeUnclaim = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const requeue = yield* makeRequeue

  const lock = SqlSchema.void({
    Request: Schema.Array(WebhookId),
    execute: (ids) => sql`SELECT FROM webhooks WHERE id = ANY(${ids}::uuid[]) ORDER BY id FOR NO KEY UPDATE`
  })

  const writeDeliveries = SqlSchema.void({
    Request: Schema.Struct({ batch: Schema.fromJsonString(Schema.Array(ClaimKey)), at: Timestamp, now: Timestamp }),
    execute: ({ at, batch, now }) =>
      sql`
      UPDATE webhook_deliveries d SET attempts = d.attempts - 1, next_at = ${onDatabaseClock(sql, sql`${at}::timestamptz`, sql`${now}::timestamptz`)},
        claim_token = NULL
      FROM json_to_recordset(${batch}::json) AS s ("webhookId" uuid, "eventId" uuid, token uuid)
      WHERE d.event_id = s."eventId" AND d.webhook_id = s."webhookId" AND d.claim_token = s.token`
  })

  const hold = SqlSchema.void({
    Request: Schema.Struct({ ids: Schema.Array(WebhookId), until: Timestamp, now: Timestamp }),
    execute: ({ ids, now, until }) => sql`
      UPDATE webhooks SET held_until = greatest(held_until,
        ${onDatabaseClock(sql, sql`${until}::timestamptz`, sql`${now}::timestamptz`)}) WHERE id = ANY(${ids}::uuid[])`
  })

  return Effect.fnUntraced(function* (
    claims: ReadonlyArray<typeof ClaimKey.Type>,
    { at, heldUntil }: { readonly at: DateTime.Utc; readonly heldUntil?: DateTime.Utc | undefined }
  ) {
    const ids = [...new Set(claims.map(({ webhookId }) => webhookId))]
    const now = yield* DateTime.now
    yield* lock(ids)
    yield* writeDeliveries({ batch: claims, at, now })
    if (heldUntil !== undefined) yield* hold({ ids, until: heldUntil, now })
    yield* requeue({ ids, workspaceId: null, now })
  }, sql.withTransaction)
})
