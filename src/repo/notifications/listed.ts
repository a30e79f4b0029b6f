import type { SqlClient } from "effect/sql"
import { isSettled } from "./notificationState.ts"

/** The columns of `listed`, and of the claimed delivery `c`. */
export const claimColumns = `c.id, c.claim_token AS token, c.attempts, c.workspace_id AS "workspaceId",
  w.name AS "workspaceName", c.type, c.count, listed.notifications,
  cardinality(c.notification_ids) - jsonb_array_length(listed.notifications) AS missing`

/** The notifications of the claimed delivery `c` that still matter, as JSON. */
export const listed = (sql: SqlClient.SqlClient) => sql`
  SELECT coalesce(jsonb_agg(jsonb_build_object('type', n.type, 'title', n.title, 'message', n.message,
    'actionUrl', n.action_url, 'count',
    CASE WHEN n.metadata ->> 'count' ~ '^[0-9]{1,9}$' THEN (n.metadata ->> 'count')::int ELSE 1 END) ORDER BY n.id), '[]')
    AS notifications
  FROM notifications n WHERE n.workspace_id = c.workspace_id AND n.id = ANY(c.notification_ids)
    AND NOT ${isSettled(sql)}`
