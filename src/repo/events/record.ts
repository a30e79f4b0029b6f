import { DateTime, Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { audienceOf, EventAudience, NewEvent } from "../../domain/webhooks/event.ts"
import { EventDetails } from "../../domain/webhooks/eventDetails.ts"
import { EventId, nextEventId, WorkspaceId } from "../../domain/ids.ts"
import { makeCountNotification } from "../notifications/countNotification.ts"
import { insertNotifications, makeNotificationRows, NotificationRows } from "../notifications/insertNotifications.ts"
import { SendsMail } from "../notifications/SendsMail.ts"
import { AuthorIds, authorIds } from "../postgres/author.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import type { Events, RecordedEvent } from "./Events.ts"
import { lockFollowed, positionNow } from "./position.ts"

export const EventRows = Schema.fromJsonString(
  Schema.Array(
    Schema.Struct({
      id: EventId,
      workspaceId: WorkspaceId,
      audience: EventAudience,
      event: NewEvent,
      details: Schema.NullOr(EventDetails),
      ...AuthorIds.fields,
      createdAt: Schema.String
    })
  )
)

export const makeEventRows = Effect.fnUntraced(function* (events: ReadonlyArray<RecordedEvent>) {
  const createdAt = DateTime.formatIso(yield* DateTime.now)
  return yield* Effect.forEach(events, ({ by, details = null, event, workspaceId }) =>
    Effect.map(nextEventId, (id) => ({
      id,
      workspaceId,
      audience: audienceOf(event.type),
      event,
      details,
      ...authorIds(by),
      createdAt
    }))
  )
})

export const insertEvents = (sql: SqlClient.SqlClient, rows: string) => sql`
  INSERT INTO events (id, workspace_id, type, audience, data, post_id, integration_id, by_key, by_user, created_at,
    position, details)
  WITH recorded AS MATERIALIZED (
    SELECT *, row_number() OVER () AS place FROM jsonb_to_recordset(${rows}::jsonb)
      AS row (id uuid, "workspaceId" uuid, audience text, event jsonb, details jsonb, "byKey" uuid, "byUser" uuid,
        "createdAt" timestamptz)
  ), workspace AS MATERIALIZED (
    ${lockFollowed(sql, sql`ANY(ARRAY(SELECT "workspaceId" FROM recorded))`)}
  )
  SELECT r.id, "workspaceId", event ->> 'type', audience, event -> 'data', (event -> 'data' ->> 'post_id')::uuid,
    (event -> 'data' ->> 'integration_id')::uuid, "byKey", "byUser", "createdAt",
    CASE WHEN audience = 'webhooks' AND NOT w.followed THEN ${sql.literal(positionNow)} + place END,
    -- JSON's null is not SQL's.
    nullif(details, 'null')
  FROM recorded r JOIN workspace w ON w.id = "workspaceId"`

export const makeRecord = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const sendsMail = yield* SendsMail
  const countNotification = yield* makeCountNotification

  const insert = SqlSchema.void({
    Request: Schema.Struct({ events: EventRows, notifications: NotificationRows }),
    execute: ({ events, notifications }) =>
      sql`
      WITH notified AS (${insertNotifications(sql, notifications, sendsMail)})
      ${insertEvents(sql, events)}`
  })

  const record: Events["record"] = Effect.fn("Repo.events.record")(function* ({ events, notifications }) {
    if (events.length === 0 && notifications.length === 0) return
    const added = yield* Effect.filter(notifications, ({ notification, workspaceId }) =>
      Effect.map(countNotification(workspaceId, notification), (isCounted) => !isCounted)
    )
    yield* insert({ events: yield* makeEventRows(events), notifications: yield* makeNotificationRows(added) })
  }, withDatabaseTimeout("recording events"))
  return record
})
