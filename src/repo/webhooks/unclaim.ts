import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { ClaimToken, EventId, WebhookId } from "../../domain/ids.ts"
import { onDatabaseClock } from "../postgres/databaseClock.ts"
import { Timestamp } from "../postgres/rows.ts"

const ClaimKeys = Schema.fromJsonString(
  Schema.Array(Schema.Struct({ webhookId: WebhookId, eventId: EventId, token: ClaimToken }))
)

/** Ends claims of deliveries as if they had not been made; they are due at a time. Their webhooks are locked, and queued again. */
export const makeUnclaim = Effect.map(SqlClient.SqlClient, (sql) =>
  SqlSchema.void({
    Request: Schema.Struct({ batch: ClaimKeys, at: Timestamp, now: Timestamp }),
    execute: ({ at, batch, now }) =>
      sql`
      UPDATE webhook_deliveries d SET attempts = d.attempts - 1, next_at = ${onDatabaseClock(sql, sql`${at}::timestamptz`, sql`${now}::timestamptz`)},
        claim_token = NULL
      FROM json_to_recordset(${batch}::json) AS s ("webhookId" uuid, "eventId" uuid, token uuid)
      WHERE d.event_id = s."eventId" AND d.webhook_id = s."webhookId" AND d.claim_token = s.token`
  })
)
