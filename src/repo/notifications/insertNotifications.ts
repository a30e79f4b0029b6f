import { DateTime, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { nextNotificationId, NotificationId, WorkspaceId } from "../../domain/ids.ts"
import { informative, NotificationEvent } from "../../domain/notification.ts"
import { storable } from "../postgres/storable.ts"
import type { NewNotification } from "./notifications.ts"

export const NotificationRows = Schema.fromJsonString(
  Schema.Array(
    Schema.Struct({
      id: NotificationId,
      workspaceId: WorkspaceId,
      title: Schema.String,
      message: Schema.String,
      actionUrl: Schema.NullOr(Schema.String),
      event: NotificationEvent,
      createdAt: Schema.String
    })
  )
)

export const makeNotificationRows = Effect.fnUntraced(function* (
  notifications: ReadonlyArray<{ readonly workspaceId: WorkspaceId; readonly notification: NewNotification }>
) {
  const createdAt = DateTime.formatIso(yield* DateTime.now)
  return yield* Effect.forEach(notifications, ({ notification, workspaceId }) =>
    Effect.map(nextNotificationId, (id) => ({
      ...notification,
      message: storable(notification.message),
      workspaceId,
      id,
      createdAt
    }))
  )
})

/** True if a channel of the workspace gets the type; both are SQL. */
export const isForChannel = (workspaceId: string, type: string) => `EXISTS (SELECT FROM channels
    WHERE channels.workspace_id = ${workspaceId} AND disabled_reason IS NULL AND ${type} = ANY(channels.types))`

/** A published post awaits mail only if a member of its workspace wants mail about published posts. */
const isForMail = `event ->> 'type' <> '${informative}' OR EXISTS (SELECT FROM notification_preferences p
    WHERE p.workspace_id = "workspaceId" AND p.type = '${informative}' AND p.mode <> 'off') OR `

const awaitsDelivery = (sendsMail: boolean) =>
  `NULLIF(${sendsMail ? isForMail : ""}${isForChannel('"workspaceId"', "event ->> 'type'")}, false)`

export const insertNotifications = (sql: SqlClient.SqlClient, rows: string, sendsMail: boolean) => sql`
  INSERT INTO notifications (id, workspace_id, type, title, message, action_url, metadata, created_at, awaits_delivery)
  SELECT id, "workspaceId", event ->> 'type', title, message, "actionUrl", event -> 'metadata', "createdAt",
    ${sql.literal(awaitsDelivery(sendsMail))}
  FROM jsonb_to_recordset(${rows}::jsonb) AS added (id uuid, "workspaceId" uuid, title text, message text,
    "actionUrl" text, event jsonb, "createdAt" timestamptz)`
