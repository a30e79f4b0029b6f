import type { SqlClient, Statement } from "effect/sql"

/** In microseconds. */
export const positionNow = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"

/**
 * True if workspace `w` has a webhook, or a client has read its events. With EXISTS, the planner might read the
 * webhooks of all workspaces.
 */
export const followed = `w.events_read_at IS NOT NULL OR (
    SELECT true FROM webhooks h WHERE h.workspace_id = w.id AND h.disabled_reason IS NULL LIMIT 1) IS NOT NULL AS followed`

/**
 * Locks the workspaces as a foreign key does, so that a new follower waits for transactions that record without
 * followers. Their events get positions immediately, which saves a second row version. Only followers need positions in
 * commit order.
 */
export const lockFollowed = (sql: SqlClient.SqlClient, ids: Statement.Fragment) => sql`
  SELECT w.id, ${sql.literal(followed)} FROM workspaces w WHERE w.id = ${ids} FOR KEY SHARE`
