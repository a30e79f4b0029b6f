import { DateTime, Duration, Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { IntegrationId, NotificationId, smallestIdAt, WorkspaceId } from "../../domain/ids.ts"
import { NotificationEvent } from "../../domain/notification.ts"
import { storable } from "../postgres/storable.ts"
import { isForChannel } from "./insertNotifications.ts"
import type { NewNotification } from "./notifications.ts"
import { SendsMail } from "./SendsMail.ts"

const countingPeriod = Duration.hours(1)

/**
 * Counts a notification in an unread one of the last hour. False if there was none; concurrent calls may each find
 * none.
 */
export const makeCountNotification = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const sendsMail = yield* SendsMail

  const awaits = sql.literal(sendsMail ? "true" : `NULLIF(${isForChannel("n.workspace_id", "n.type")}, false)`)

  const countUp = SqlSchema.findAll({
    Request: Schema.Struct({
      workspaceId: WorkspaceId,
      integrationId: IntegrationId,
      since: Schema.String,
      title: Schema.String,
      message: Schema.String,
      actionUrl: Schema.String,
      event: Schema.fromJsonString(NotificationEvent)
    }),
    Result: Schema.Struct({ id: NotificationId }),
    execute: ({ actionUrl, event, integrationId, message, since, title, workspaceId }) => sql`
      UPDATE notifications n SET title = replace(${title}, '{count}', counted.count::text), message = ${message},
        action_url = ${actionUrl}, awaits_delivery = ${awaits},
        metadata = (${event}::jsonb -> 'metadata') || jsonb_build_object('count', counted.count)
      FROM (
        -- A count that can't be read would keep the outcome of a post from being stored.
        SELECT id, CASE WHEN metadata ->> 'count' ~ '^[0-9]{1,9}$' THEN (metadata ->> 'count')::int ELSE 1 END + 1 AS count
        FROM notifications known
        WHERE workspace_id = ${workspaceId}::uuid AND id >= ${since}::uuid AND type = ${event}::jsonb ->> 'type'
          AND metadata ->> 'integration_id' = ${integrationId}
          AND NOT EXISTS (SELECT FROM notification_reads r
            WHERE r.workspace_id = known.workspace_id AND r.notification_id = known.id)
          AND NOT EXISTS (SELECT FROM members m
            WHERE m.workspace_id = known.workspace_id AND m.notifications_read_before > known.id)
        ORDER BY id DESC LIMIT 1 FOR UPDATE) counted
      WHERE n.id = counted.id RETURNING n.id`
  })

  return Effect.fnUntraced(function* (workspaceId: WorkspaceId, { counted, event }: NewNotification) {
    if (counted === undefined) return false
    const since = smallestIdAt(DateTime.subtractDuration(yield* DateTime.now, countingPeriod))
    const found = yield* countUp({ ...counted, message: storable(counted.message), workspaceId, since, event })
    return found.length > 0
  })
})
