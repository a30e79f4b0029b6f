import type { SqlClient, Statement } from "effect/sql"

/** The position of an event that is recorded now, as SQL: the time in microseconds. */
export const positionNow = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"

/**
 * Whether the workspace `w` is followed, as SQL: by a webhook, or by a client that has read its events. Not by EXISTS, for which
 * the planner may read the webhooks of all workspaces.
 */
export const followed = `w.events_read_at IS NOT NULL OR (
    SELECT true FROM webhooks h WHERE h.workspace_id = w.id AND h.disabled_reason IS NULL LIMIT 1) IS NOT NULL AS followed`

/**
 * Selects workspaces by their ids, and whether they are followed.
 * Only followers rely on positions in the order in which transactions commit, which the dispatcher gives. Any other event has
 * its position from the start, which saves a second version of its row.
 *
 * The lock, which a foreign key takes as well, makes who begins to follow wait for what is being recorded without a follower.
 */
export const lockFollowed = (sql: SqlClient.SqlClient, ids: Statement.Fragment) => sql`
  SELECT w.id, ${sql.literal(followed)} FROM workspaces w WHERE w.id = ${ids} FOR KEY SHARE`
