import { DateTime, Duration, Effect, Schema } from "effect"
import { SqlClient, SqlSchema, type Statement } from "effect/sql"
import { MediaId } from "../../domain/ids.ts"
import { MediaFile } from "../../domain/media/media.ts"
import { attemptWindow } from "../../domain/publishing/retryPolicy.ts"
import { uploadLead } from "../../domain/publishing/uploadPolicy.ts"
import { ReadClient } from "../postgres/database.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"
import type { Posts } from "./Posts.ts"
import { PostKey } from "./rows.ts"

/**
 * A target that waits for uploads falls due a second after its window has ended. Until then it is not claimed, and a
 * finished upload moves its due time back.
 */
const heldFor = Duration.toSeconds(Duration.sum(attemptWindow, Duration.seconds(1)))

export const heldUntil = (sql: SqlClient.SqlClient, time: Statement.Fragment) =>
  sql`${time} + ${heldFor}::int * interval '1 second'`

/**
 * True if target `t` has uploads from which nothing was prepared yet, as `readStored` would find. A thread's files are
 * uploaded together, even if its current part has none.
 */
export const hasUploads = (sql: SqlClient.SqlClient) =>
  sql.literal(
    `coalesce(t.part_uploads IS NOT NULL AND t.prepared IS NULL OR t.prepared ->> '_tag' = 'Uploads' OR t.prepared = jsonb_build_object('uploads', t.prepared -> 'uploads'), false)`
  )

const Ids = Schema.Struct({ ...PostKey.fields, ids: Schema.Array(MediaId) })

export const makePostMedia = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const shared = yield* ReadClient
  const Library = Schema.Struct({ workspaceId: PostKey.fields.workspaceId, ids: Schema.Array(MediaId) })
  const files = ({ ids, workspaceId }: typeof Library.Encoded) => sql`
    SELECT id, CASE status WHEN 'uploading' THEN 'processing' ELSE status END AS status, size::int, facts, renditions, alt,
      error_message AS failure
    FROM media WHERE workspace_id = ${workspaceId}::uuid AND id = ANY(${ids}::uuid[]) AND removed_at IS NULL ORDER BY id`

  const find = SqlSchema.findAll({
    Request: Library,
    Result: MediaFile,
    execute: (library) => shared`${files(library)}`
  })

  const findForShare = SqlSchema.findAll({
    Request: Library,
    Result: MediaFile,
    execute: (library) => sql`${files(library)} FOR SHARE`
  })

  const readBy =
    (findFiles: typeof find): Posts["lockMedia"] =>
    (workspaceId, ids) =>
      ids.length === 0
        ? Effect.succeed([])
        : findFiles({ workspaceId, ids }).pipe(withDatabaseTimeout("reading the media of a post"))

  const readMedia = readBy(find)
  const lockMedia = readBy(findForShare)

  const link = SqlSchema.void({
    Request: Ids,
    execute: ({ id, ids, workspaceId }) => sql`
      WITH gone AS (
        DELETE FROM post_media WHERE workspace_id = ${workspaceId}::uuid AND post_id = ${id}::uuid
          AND media_id <> ALL(${ids}::uuid[])
      )
      INSERT INTO post_media (workspace_id, post_id, media_id, position)
      SELECT ${workspaceId}::uuid, ${id}::uuid, media_id, position
      FROM unnest(${ids}::uuid[]) WITH ORDINALITY AS file(media_id, position)
      ON CONFLICT (workspace_id, post_id, media_id) DO UPDATE SET position = excluded.position`
  })

  const cancelUploads = SqlSchema.void({
    Request: PostKey,
    execute: ({ id, workspaceId }) => sql`
      DELETE FROM post_target_uploads u USING post_targets t
      WHERE t.workspace_id = ${workspaceId}::uuid AND t.post_id = ${id}::uuid AND u.target_id = t.id`
  })

  const order = SqlSchema.void({
    Request: Schema.Struct({ ...PostKey.fields, now: Timestamp, waits: Schema.Boolean }),
    execute: ({ id, now, waits, workspaceId }) => {
      const isBegun = sql.literal("post_target_uploads.status = 'waiting'")
      const waitsAsBefore = sql`${isBegun} AND ${waits}::boolean
        AND (post_target_uploads.uploaded IS NOT NULL OR post_target_uploads.attempts > 0)`
      const unlessWaiting = (column: string, value: Statement.Fragment) =>
        sql`CASE WHEN ${waitsAsBefore} THEN post_target_uploads.${sql(column)} ELSE ${value} END`
      return sql`
      INSERT INTO post_target_uploads (workspace_id, target_id, status, start_at, next_at, revision)
      SELECT t.workspace_id, t.id, 'waiting', start.at, greatest(start.at, least(${now}::timestamptz, clock_timestamp())), p.revision
      FROM posts p JOIN post_targets t ON t.workspace_id = p.workspace_id AND t.post_id = p.id
      CROSS JOIN LATERAL (SELECT t.due_since - ${uploadLead}::int * interval '1 second' AS at) start
      WHERE p.workspace_id = ${workspaceId}::uuid AND p.id = ${id}::uuid
        AND EXISTS (SELECT FROM post_media file WHERE file.workspace_id = p.workspace_id AND file.post_id = p.id)
        AND t.status = 'pending' AND t.due_since IS NOT NULL AND t.sent_at IS NULL AND t.prepared IS NULL
        AND t.part_uploads IS NULL
      ON CONFLICT (target_id) DO UPDATE SET status = 'waiting', start_at = excluded.start_at, revision = excluded.revision,
        next_at = ${unlessWaiting("next_at", sql.literal("excluded.next_at"))},
        attempts = ${unlessWaiting("attempts", sql.literal("0"))},
        error_code = ${unlessWaiting("error_code", sql.literal("NULL"))},
        error_message = ${unlessWaiting("error_message", sql.literal("NULL"))},
        uploaded = CASE WHEN ${isBegun} THEN post_target_uploads.uploaded END,
        claim_token = NULL, owner_id = NULL, lease_until = NULL
      WHERE post_target_uploads.status <> 'uploading'`
    }
  })

  /** Orders what is not uploaded. What has begun goes on: at once, or at its next time. */
  const orderUploads = (key: PostKey, goesOn: "now" | "at its time") =>
    Effect.flatMap(DateTime.now, (now) => order({ ...key, now, waits: goesOn === "at its time" }))

  return { readMedia, lockMedia, link, cancelUploads, orderUploads }
})
