import { Duration, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { MediaId, WorkspaceId } from "../../domain/ids.ts"
import type { LibraryFile } from "../../domain/media/libraryFile.ts"
import { MediaStatus, MediaType } from "../../domain/media/media.ts"
import { NullableTimestamp, Timestamp } from "../postgres/rows.ts"

export const unusedRetention = Duration.days(7)

/** A failed post can be published again within this time. */
const failedRetention = Duration.days(90)

/** A post fails at most this long after its time. */
const longestTry = Duration.hours(24)

const days = (duration: Duration.Duration) => `interval '${Duration.toHours(duration)} hours'`

/** A bigint, which the driver returns as text. */
export const Bytes = Schema.FiniteFromString

/**
 * The time until which post `p` needs its files: infinity until it ends; for a published post, `published` after its
 * publication. The time of a failure is not stored. A sum out of range would fail the sweep for all workspaces.
 */
export const neededWhile = (published: string) => `CASE p.status
    WHEN 'published' THEN least(p.published_at, '9999-01-01') + ${published}
    WHEN 'failed' THEN least(p.scheduled_at, '9999-01-01') + ${days(Duration.sum(failedRetention, longestTry))}
    ELSE 'infinity' END`

/** Null if no post has the file of row `m`. */
export const neededUntil = `(SELECT max(${neededWhile(days(unusedRetention))})
  FROM post_media u JOIN posts p ON p.workspace_id = u.workspace_id AND p.id = u.post_id
  WHERE u.workspace_id = m.workspace_id AND u.media_id = m.id)`

export const usedBytes = (sql: SqlClient.SqlClient, workspaceId: string, except: string | null = null) => sql`(
  SELECT coalesce(sum(size), 0)::bigint FROM (
    SELECT size FROM media WHERE workspace_id = ${workspaceId}::uuid AND id IS DISTINCT FROM ${except}::uuid
    UNION ALL SELECT size FROM card_pictures WHERE workspace_id = ${workspaceId}::uuid) taken)`

export const OwnFile = Schema.Struct({ workspaceId: WorkspaceId, id: MediaId })

export const FileRow = Schema.Struct({
  id: MediaId,
  type: Schema.NullOr(MediaType),
  contentType: Schema.NullOr(Schema.String),
  size: Bytes,
  width: Schema.NullOr(Schema.Int),
  height: Schema.NullOr(Schema.Int),
  durationMs: Schema.NullOr(Schema.Int),
  alt: Schema.String,
  status: MediaStatus,
  errorCode: Schema.NullOr(Schema.String),
  errorMessage: Schema.NullOr(Schema.String),
  createdAt: Timestamp,
  expiresAt: NullableTimestamp
})

/** A file that is being fetched has no known size. */
export const fileColumns = (sql: SqlClient.SqlClient) =>
  sql.literal(`m.id, m.type, m.content_type AS "contentType",
    (CASE WHEN m.hash IS NULL THEN 0 ELSE m.size END)::text AS size, m.width, m.height,
    m.duration_ms AS "durationMs", m.alt, m.status, m.error_code AS "errorCode", m.error_message AS "errorMessage",
    m.created_at AS "createdAt", nullif(greatest(m.kept_until, ${neededUntil}), 'infinity') AS "expiresAt"`)

export const toLibraryFile = (row: typeof FileRow.Type): LibraryFile => ({
  id: row.id,
  type: row.type,
  content_type: row.contentType,
  size: row.size,
  width: row.width,
  height: row.height,
  duration_ms: row.durationMs,
  alt: row.alt,
  status: row.status,
  error: row.errorCode === null ? null : { code: row.errorCode, message: row.errorMessage ?? "" },
  created_at: row.createdAt,
  expires_at: row.expiresAt
})
