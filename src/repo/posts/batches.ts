import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { PostRow } from "./rows.ts"

export const BatchRow = Schema.Struct({
  ...PostRow.fields,
  /** At most the limit plus 1. */
  found: Schema.Int
})

export const isMore = (rows: ReadonlyArray<{ readonly found: number }>): boolean =>
  rows[0] !== undefined && rows[0].found > rows.length

/**
 * The size of a post's JSON: the caller's values, and some hundred bytes for the rest. JSON can be six times as long as
 * its text.
 */
export const postSizeText = `512 + octet_length(to_json(p.content)::text) + octet_length(to_json(p.tags)::text)
    + octet_length(p.platform_overrides::text) + octet_length(p.platform_settings::text) + octet_length(p.media::text)
    + coalesce(octet_length(p.card::text), 0) + CASE WHEN p.thread = '[]' THEN 0 ELSE 6 * octet_length(p.thread::text) END
    + CASE WHEN p.approval_requested_revision IS NULL THEN 0 ELSE coalesce((SELECT max(6 * octet_length(a.content)
      + octet_length(a.platform_overrides::text) + octet_length(a.thread::text) + coalesce(6 * octet_length(a.reason), 0)) FROM post_approvals a
      WHERE a.workspace_id = p.workspace_id AND a.post_id = p.id), 0) END`

export const postSize = (sql: SqlClient.SqlClient) => sql.literal(postSizeText)

/** In bytes of JSON. Larger reads use another connection, so that short reads don't wait for them. */
export const sharedBatchBytes = 64 * 1024

export const clientFor = (maxBytes: number, own: SqlClient.SqlClient, shared: SqlClient.SqlClient) =>
  maxBytes > sharedBatchBytes ? own : shared
