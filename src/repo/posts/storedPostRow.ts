import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { ApiKeyId } from "../../domain/ids.ts"
import { PostMedia } from "../../domain/media/media.ts"
import { duplicateWarning } from "../../domain/plain/posts.ts"
import { Platform } from "../../domain/platform.ts"
import { LinkCard } from "../../domain/posts/linkCard.ts"
import { StoredOverrides, StoredSettings } from "../../domain/posts/platformSettings.ts"
import { PostStatus } from "../../domain/posts/post.ts"
import { Thread } from "../../domain/posts/thread.ts"
import { NullableTimestamp } from "../postgres/rows.ts"
import { maybeSentUnknown } from "../targets/deletedTargets.ts"
import { storedTags } from "./postJson.ts"

/** An unreadable value fails the decoding, because a change would overwrite it. */
export const StoredPostRow = Schema.Struct({
  status: PostStatus,
  content: Schema.String,
  platforms: Schema.Array(Platform),
  scheduledAt: NullableTimestamp,
  tags: Schema.Array(Schema.String),
  overrides: StoredOverrides,
  settings: StoredSettings,
  media: Schema.Array(PostMedia),
  thread: Thread,
  card: Schema.NullOr(LinkCard),
  revision: Schema.Int,
  createdByKey: Schema.NullOr(ApiKeyId),
  approvalRequestedRevision: Schema.NullOr(Schema.Int),
  maybePublished: Schema.Boolean,
  isSomewhereOut: Schema.Boolean,
  hasUnknownOutcome: Schema.Boolean,
  isBegun: Schema.Boolean,
  isCopied: Schema.Boolean
})

/** True if the post `p`, or a part of its thread, is published, which a draft would hide. */
export const isSomewhereOut = (sql: SqlClient.SqlClient) =>
  sql.literal(`EXISTS (SELECT FROM post_targets o
      WHERE o.workspace_id = p.workspace_id AND o.post_id = p.id AND (o.status = 'published' OR o.part > 1))`)

export const storedPostColumns = (sql: SqlClient.SqlClient) =>
  sql`p.status, p.content, ${sql.literal(storedTags)} AS tags, p.scheduled_at AS "scheduledAt",
    p.platform_overrides AS overrides, p.platform_settings AS settings, p.media, p.thread, p.card, p.revision,
    p.created_by_key AS "createdByKey", p.approval_requested_revision AS "approvalRequestedRevision",
    array(SELECT t.platform FROM post_targets t
      WHERE t.workspace_id = p.workspace_id AND t.post_id = p.id ORDER BY t.position) AS platforms,
    EXISTS (SELECT FROM post_targets t
      WHERE t.workspace_id = p.workspace_id AND t.post_id = p.id
        AND (t.status = 'published' OR t.sent_at IS NOT NULL OR t.part > 1
          OR t.reconcile_from IS NOT NULL AND t.due_since < t.reconcile_until))
      AS "maybePublished",
    ${isSomewhereOut(sql)} AS "isSomewhereOut",
    EXISTS (SELECT FROM post_targets t
      WHERE t.workspace_id = p.workspace_id AND t.post_id = p.id AND t.status = 'failed' AND t.copied_to IS NULL
        AND (t.error_code = 'outcome_unknown' OR strpos(t.error_message, ${duplicateWarning}) > 0))
      AS "hasUnknownOutcome",
    EXISTS (SELECT FROM post_targets t
      WHERE t.workspace_id = p.workspace_id AND t.post_id = p.id
        AND (t.status <> 'pending' OR t.attempts > 0 OR t.part > 1 OR t.reply_to IS NOT NULL OR t.sent_at IS NOT NULL OR ${maybeSentUnknown(sql)}))
      AS "isBegun",
    p.status = 'failed' AND NOT EXISTS (SELECT FROM post_targets t
      WHERE t.workspace_id = p.workspace_id AND t.post_id = p.id AND t.status = 'failed' AND t.copied_to IS NULL)
      AS "isCopied"`
