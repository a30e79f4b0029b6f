import { DateTime, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { PostId, TargetId, type WorkspaceId } from "../../../src/domain/ids.ts"

const decodeClaims = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ targetId: TargetId, postId: PostId })))

/** Claims like the previous version, which supports neither media nor owners of claims. */
export const claimAsVersionBefore = Effect.fn("claimAsVersionBefore")(function* () {
  const sql = yield* SqlClient.SqlClient
  const now = DateTime.toDateUtc(yield* DateTime.now)
  return yield* sql`
    WITH expired AS (
      SELECT id, lease_until AS since FROM post_targets WHERE status = 'publishing' AND lease_until <= ${now}::timestamptz
    ), next AS (
      SELECT DISTINCT ON (integration_id) id, integration_id, due_at AS since FROM post_targets
      WHERE status = 'pending' AND due_at <= ${now}::timestamptz ORDER BY integration_id, due_at, id
    ), chosen AS (
      SELECT id FROM expired
      UNION ALL
      SELECT id FROM next WHERE NOT EXISTS (
        SELECT FROM post_targets busy WHERE busy.integration_id = next.integration_id AND busy.status = 'publishing')
    ), locked AS MATERIALIZED (
      SELECT t.id, p.content FROM post_targets t
      JOIN posts p ON p.workspace_id = t.workspace_id AND p.id = t.post_id
      WHERE t.id IN (SELECT id FROM chosen) AND (
        t.status = 'pending' AND t.due_at <= ${now}::timestamptz OR
        t.status = 'publishing' AND t.lease_until <= ${now}::timestamptz)
      FOR UPDATE OF p, t SKIP LOCKED
    ), claimed AS (
      UPDATE post_targets t SET status = 'publishing', attempts = t.attempts + 1,
        looks = CASE WHEN t.sent_at IS NULL THEN 0 ELSE t.looks + 1 END,
        claim_token = gen_random_uuid(), lease_until = ${now}::timestamptz + interval '3 minutes'
      FROM locked WHERE t.id = locked.id
      RETURNING t.*
    ), started AS (
      UPDATE posts p SET status = 'publishing' FROM claimed
      WHERE p.workspace_id = claimed.workspace_id AND p.id = claimed.post_id AND p.status = 'scheduled'
    )
    SELECT id AS "targetId", post_id AS "postId" FROM claimed`.pipe(Effect.flatMap(decodeClaims))
})

export const scheduleAsVersionBefore = Effect.fn("scheduleAsVersionBefore")(function* (
  workspaceId: WorkspaceId,
  id: PostId,
  time: DateTime.Utc
) {
  const sql = yield* SqlClient.SqlClient
  const at = DateTime.toDateUtc(time)
  yield* sql`
    WITH post AS (
      UPDATE posts SET status = 'scheduled', scheduled_at = ${at}::timestamptz
      WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid
    )
    UPDATE post_targets SET due_since = ${at}::timestamptz, due_at = ${at}::timestamptz,
      prepared = CASE WHEN sent_at IS NOT NULL THEN prepared END
    WHERE workspace_id = ${workspaceId}::uuid AND post_id = ${id}::uuid AND status = 'pending'`
})
