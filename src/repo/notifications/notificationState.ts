import type { SqlClient } from "effect/sql"
import { informative, type NotificationLevel } from "../../domain/notification.ts"
import { isUndecided } from "../posts/undecided.ts"
import { isoTime } from "../postgres/rows.ts"

/** The condition of the index notifications_of_attention. */
const asksSomething = `type <> '${informative}'`

export const isOfLevel = (sql: SqlClient.SqlClient, level: NotificationLevel) =>
  sql.literal(level === "attention" ? asksSomething : `type = '${informative}'`)

export const levelOf = (sql: SqlClient.SqlClient) =>
  sql.literal(`CASE WHEN n.${asksSomething} THEN 'attention' ELSE 'info' END`)

export const isMutedFor = (sql: SqlClient.SqlClient, userId: string) =>
  sql`n.type = ANY (SELECT unnest(u.muted_notifications) FROM users u WHERE u.id = ${userId}::uuid)`

/**
 * True if the matter of notification `n` is settled. Checked on reading, so that settling a post writes nothing. A
 * notification that counts several posts stays until it is read.
 */
export const isSettled = (sql: SqlClient.SqlClient) =>
  // An unreadable id in the JSON would fail the whole page.
  sql.literal(`CASE WHEN n.type = 'outlook.checked' THEN n.metadata ->> 'need_you' = '0' AND n.metadata ->> 'unchecked' = '0'
        AND n.metadata -> 'findings' = '[]' OR n.metadata ->> 'until' < ${isoTime("clock_timestamp()")}
    WHEN n.type = 'publishing.held' THEN NOT EXISTS (SELECT FROM publishing_state
      WHERE ${isoTime("held_since")} = n.metadata ->> 'held_since')
    WHEN n.type IN ('post.failed', 'post.unconfirmed', 'post.approval_requested', 'post.draft_overdue') AND n.metadata ->> 'post_id' ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN CASE n.type
    WHEN 'post.draft_overdue' THEN n.metadata -> 'count' IS NULL AND NOT EXISTS (SELECT FROM posts p
      WHERE p.workspace_id = n.workspace_id AND p.id = (n.metadata ->> 'post_id')::uuid AND p.status = 'draft'
        AND ${isoTime("p.scheduled_at")} = n.metadata ->> 'scheduled_at')
    WHEN 'post.unconfirmed' THEN NOT EXISTS (SELECT FROM post_targets t
      WHERE t.workspace_id = n.workspace_id AND t.post_id = (n.metadata ->> 'post_id')::uuid
        AND t.platform = n.metadata ->> 'platform' AND t.status IN ('pending', 'publishing') AND t.sent_at IS NOT NULL)
    WHEN 'post.failed' THEN n.metadata -> 'count' IS NULL AND NOT EXISTS (SELECT FROM posts p
      WHERE p.workspace_id = n.workspace_id AND p.id = (n.metadata ->> 'post_id')::uuid AND p.status <> 'published')
    WHEN 'post.approval_requested' THEN NOT EXISTS (SELECT FROM posts p
        WHERE p.workspace_id = n.workspace_id AND p.id = (n.metadata ->> 'post_id')::uuid AND p.status = 'draft'
          AND ${isUndecided})
      OR EXISTS (SELECT FROM notifications later WHERE later.workspace_id = n.workspace_id AND later.id > n.id
        AND later.type = 'post.approval_requested' AND later.metadata ->> 'post_id' = n.metadata ->> 'post_id')
    END ELSE false END`)
