import type { SqlClient, Statement } from "effect/sql"

/** In microseconds, as SQL. */
export const positionNow = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"

/**
 * True if the workspace `w` has a webhook, or a client has read its events, as SQL. By EXISTS, the planner might read
 * the webhooks of all workspaces.
 */
export const followed = `w.events_read_at IS NOT NULL OR (
    SELECT true FROM webhooks h WHERE h.workspace_id = w.id AND h.disabled_reason IS NULL LIMIT 1) IS NOT NULL AS followed`

/**
 * Only followers rely on positions in commit order, which the dispatcher gives. Other events have their position from
 * the start, which saves a second version of the row. The lock, which a foreign key takes as well, makes a new follower
 * wait for events that are being recorded without one.
 */
export const lockFollowed = (sql: SqlClient.SqlClient, ids: Statement.Fragment) => sql`
  SELECT w.id, ${sql.literal(followed)} FROM workspaces w WHERE w.id = ${ids} FOR KEY SHARE`
