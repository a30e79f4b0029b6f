import { DateTime, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { nextNotificationId, NotificationId, WorkspaceId } from "../../domain/ids.ts"
import { NotificationEvent } from "../../domain/notification.ts"
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

export const insertNotifications = (sql: SqlClient.SqlClient, rows: string) => sql`
  INSERT INTO notifications (id, workspace_id, type, title, message, action_url, metadata, created_at)
  SELECT id, "workspaceId", event ->> 'type', title, message, "actionUrl", event -> 'metadata', "createdAt"
  FROM jsonb_to_recordset(${rows}::jsonb) AS added (id uuid, "workspaceId" uuid, title text, message text,
    "actionUrl" text, event jsonb, "createdAt" timestamptz)`
