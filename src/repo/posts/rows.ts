import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { ApiKeyId, PostId, WorkspaceId } from "../../domain/ids.ts"
import { Platform } from "../../domain/platform.ts"
import { StoredOverrides, StoredSettings } from "../../domain/platformSettings.ts"
import { Post, PostStatus } from "../../domain/post.ts"
import { NullableTimestamp, Timestamp } from "../postgres/rows.ts"

/** Identifies a post; statements never find one by its id alone. */
export const PostKey = Schema.Struct({ workspaceId: WorkspaceId, id: PostId })
export type PostKey = typeof PostKey.Type

/** A post with its targets, as `postColumns` selects it. */
export const PostRow = Schema.Struct({
  ...Post.fields,
  scheduled_at: NullableTimestamp,
  published_at: NullableTimestamp,
  created_at: Timestamp,
  platform_settings: StoredSettings
})

/** The columns of a `PostRow`, from `posts` under the alias `p`. */
export const postColumns = (sql: SqlClient.SqlClient) =>
  sql.literal(`p.id, p.status, p.content, p.scheduled_at, p.published_at, p.tags, p.group_id, p.created_at,
    p.platform_overrides, p.platform_settings, p.revision,
    CASE WHEN p.created_by_key IS NOT NULL
      THEN (SELECT jsonb_build_object('type', 'key', 'id', k.id, 'name', k.name)
        FROM api_keys k WHERE k.id = p.created_by_key)
      ELSE (SELECT jsonb_build_object('type', 'user', 'id', u.id, 'name', u.email)
        FROM users u WHERE u.id = p.created_by_user) END AS created_by,
    (SELECT coalesce(jsonb_agg(jsonb_build_object(
        'status', t.status,
        'platform_post_url', t.platform_post_url,
        'published_at', t.published_at,
        'error', CASE WHEN t.error_code IS NOT NULL THEN
          jsonb_build_object('code', t.error_code, 'message', t.error_message, 'retryable', t.error_retryable) END,
        'account_id', coalesce(t.account_id, CASE WHEN t.status IN ('pending', 'publishing') THEN
          (SELECT i.account_id FROM integrations i
            WHERE i.workspace_id = t.workspace_id AND i.id = t.integration_id AND i.platform = t.platform) END),
        'integrations', jsonb_build_object('platform', t.platform)
      ) ORDER BY t.position), '[]')
      FROM post_targets t WHERE t.workspace_id = p.workspace_id AND t.post_id = p.id) AS post_targets`)

/** What decides whether a stored post may be deleted, as `guardedPostColumns` selects it. */
export const GuardedPostRow = Schema.Struct({
  id: PostId,
  status: PostStatus,
  revision: Schema.Int,
  createdByKey: Schema.NullOr(ApiKeyId),
  approvalRequestedRevision: Schema.NullOr(Schema.Int)
})

/** The columns of a `GuardedPostRow`, from `posts`. */
export const guardedPostColumns = (sql: SqlClient.SqlClient) =>
  sql.literal(`id, status, revision, created_by_key AS "createdByKey",
    approval_requested_revision AS "approvalRequestedRevision"`)

/** What decisions on a stored post depend on, as `storedPostColumns` selects it. */
export const StoredPostRow = Schema.Struct({
  status: PostStatus,
  content: Schema.String,
  platforms: Schema.Array(Platform),
  scheduledAt: NullableTimestamp,
  tags: Schema.Array(Schema.String),
  overrides: StoredOverrides,
  settings: StoredSettings,
  revision: Schema.Int,
  createdByKey: Schema.NullOr(ApiKeyId),
  approvalRequestedRevision: Schema.NullOr(Schema.Int),
  maybePublished: Schema.Boolean
})

/** The columns of a `StoredPostRow`, from `posts` under the alias `p`. */
export const storedPostColumns = (sql: SqlClient.SqlClient) =>
  sql.literal(`p.status, p.content, p.tags, p.scheduled_at AS "scheduledAt",
    p.platform_overrides AS overrides, p.platform_settings AS settings, p.revision,
    p.created_by_key AS "createdByKey", p.approval_requested_revision AS "approvalRequestedRevision",
    array(SELECT t.platform FROM post_targets t
      WHERE t.workspace_id = p.workspace_id AND t.post_id = p.id ORDER BY t.position) AS platforms,
    EXISTS (SELECT FROM post_targets t
      WHERE t.workspace_id = p.workspace_id AND t.post_id = p.id AND t.status <> 'published'
        AND (t.sent_at IS NOT NULL OR t.reconcile_from IS NOT NULL AND t.due_since < t.reconcile_until))
      AS "maybePublished"`)
