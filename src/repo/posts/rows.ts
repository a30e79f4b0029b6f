import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { ApiKeyId, PostId, WorkspaceId } from "../../domain/ids.ts"
import { LinkCard } from "../../domain/posts/linkCard.ts"
import { PostMedia } from "../../domain/media/media.ts"
import { Platform } from "../../domain/platform.ts"
import { StoredOverrides, StoredSettings } from "../../domain/posts/platformSettings.ts"
import { Post, PostStatus } from "../../domain/posts/post.ts"
import { PostApproval } from "../../domain/posts/postApproval.ts"
import { authorJson } from "../postgres/author.ts"
import { NullableTimestamp } from "../postgres/rows.ts"
import { maybeSentUnknown } from "../targets/deletedTargets.ts"

/** Identifies a post; statements never find one by its id alone. */
export const PostKey = Schema.Struct({ workspaceId: WorkspaceId, id: PostId })
export type PostKey = typeof PostKey.Type

/** A post as the API shows it. */
export interface PostJson {
  readonly id: PostId
  readonly status: PostStatus
  readonly revision: number
  /** A `Post`, encoded. */
  readonly json: string
}

/** The files of a post, as they were copied. */
const StoredMedia = Schema.Array(PostMedia)

/** The last approval of a post; its times are as `Instant` encodes them. */
const StoredApproval = Schema.Struct({
  ...PostApproval.fields,
  requested_at: Schema.NullOr(Schema.String),
  decided_at: Schema.NullOr(Schema.String)
})

/** A post with its targets, as `postColumns` selects it. */
export const PostRow = Schema.Struct({
  id: PostId,
  status: PostStatus,
  revision: Schema.Int,
  /** The members as a JSON object, with a gap in place of those that follow here. */
  json: Schema.String,
  /** Null without any. A later version may have stored some that this one does not know, and leaves out. */
  overrides: Schema.NullOr(StoredOverrides),
  settings: Schema.NullOr(StoredSettings),
  /** Null without any. */
  media: Schema.NullOr(StoredMedia),
  card: Schema.NullOr(LinkCard),
  approval: Schema.NullOr(StoredApproval)
})

/** An instant as `Instant` encodes it. Sessions are in UTC. */
const iso = (column: string) => `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/**
 * The approval of the post `p`; looked up only where one was requested or decided. The version before requests approval
 * without a row in `post_approvals`.
 */
const lastApproval = `CASE WHEN p.approval_requested_revision IS NOT NULL THEN (SELECT to_json(approval) FROM (
      SELECT coalesce(a.status, 'requested') AS status, p.approval_requested_revision AS revision,
        ${iso("a.requested_at")} AS requested_at, ${iso("a.decided_at")} AS decided_at,
        ${authorJson("a.decided_by_key", "a.decided_by_user", "p.workspace_id")} AS decided_by, a.reason,
        (SELECT to_json(requested) FROM (SELECT r.content, r.platform_overrides FROM post_approvals r
          WHERE r.workspace_id = p.workspace_id AND r.post_id = p.id AND r.revision < p.revision
          ORDER BY r.revision DESC LIMIT 1) requested) AS requested
      FROM (SELECT) one LEFT JOIN post_approvals a ON a.workspace_id = p.workspace_id AND a.post_id = p.id
        AND a.revision = p.approval_requested_revision) approval) END`

/** The member that stands for the gap, and the gap: no text within the JSON has a quotation mark that is not escaped. */
const gapMember = "~"
const gap = `,"${gapMember}":null,`

/** The JSON is built by the database, in the order of `Post`: decoding and encoding its members would take longer. */
const columns = (targets: string, approval: string) => `p.id, p.status, p.revision,
    (SELECT to_json(post)::text FROM (SELECT p.id, p.status, p.content, ${iso("p.scheduled_at")} AS scheduled_at,
      ${iso("p.published_at")} AS published_at, p.tags, NULL AS "${gapMember}", p.group_id, p.copied_from, p.revision,
      ${authorJson("p.created_by_key", "p.created_by_user", "p.workspace_id")} AS created_by,
      array(SELECT to_json(target) FROM (SELECT t.status, t.platform_post_url,
          ${iso("t.published_at")} AS published_at,
          CASE WHEN t.error_code IS NOT NULL THEN (SELECT to_json(error) FROM (SELECT
            t.error_code AS code, t.error_message AS message, t.error_retryable AS retryable) error) END AS error,
          coalesce(t.account_id, CASE WHEN t.status IN ('pending', 'publishing') THEN
            (SELECT i.account_id FROM integrations i
              WHERE i.workspace_id = t.workspace_id AND i.id = t.integration_id AND i.platform = t.platform) END)
            AS account_id, t.copied_to,
          (SELECT to_json(integration) FROM (SELECT t.platform) integration) AS integrations
        FROM ${targets} t WHERE t.workspace_id = p.workspace_id AND t.post_id = p.id ORDER BY t.position) target)
        AS post_targets,
      ${iso("p.created_at")} AS created_at) post) AS json,
    nullif(p.platform_overrides, '{}') AS overrides, nullif(p.platform_settings, '{}') AS settings,
    nullif(p.media, '[]') AS media, p.card, ${approval} AS approval`

/** The columns of a `PostRow`, from a row of `posts` under the alias `p` and rows of `post_targets` in `targets`. */
export const postColumns = (sql: SqlClient.SqlClient, targets = "post_targets") =>
  sql.literal(columns(targets, lastApproval))

/** A `PostRow` without its approval, and whether it has one, as `quickPostColumns` selects it. */
export const QuickPostRow = Schema.Struct({ ...PostRow.fields, hasApproval: Schema.Boolean })

/**
 * The columns of a `QuickPostRow`, as text: PostgreSQL prepares each subquery of a statement whenever it runs, also those that it
 * then does not need, and the approval's take a fifth of the time to read one post.
 */
export const quickPostColumns = `${columns("post_targets", "NULL::json")},
    p.approval_requested_revision IS NOT NULL AS "hasApproval"`

/** Joins what the database built with the members that it does not know. */
export const toPostJson = ({
  approval,
  card,
  id,
  json: members,
  media,
  overrides,
  revision,
  settings,
  status
}: typeof PostRow.Type): PostJson => {
  const texts = JSON.stringify(overrides ?? {})
  const own = JSON.stringify(settings ?? {})
  const files = JSON.stringify(media ?? [])
  const start = members.indexOf(gap)
  const json = `${members.slice(0, start)},"platform_overrides":${texts},"platform_settings":${own},"media":${files},"card":${JSON.stringify(card)},"approval":${JSON.stringify(approval)},${members.slice(start + gap.length)}`
  return { id, status, revision, json }
}

/** Reads a post that is JSON. */
export const parsePost = Schema.decodeSync(Schema.fromJsonString(Schema.toCodecJson(Post)))

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
  media: StoredMedia,
  card: Schema.NullOr(LinkCard),
  revision: Schema.Int,
  createdByKey: Schema.NullOr(ApiKeyId),
  approvalRequestedRevision: Schema.NullOr(Schema.Int),
  maybePublished: Schema.Boolean,
  isBegun: Schema.Boolean,
  isCopied: Schema.Boolean
})

/** The columns of a `StoredPostRow`, from `posts` under the alias `p`. */
export const storedPostColumns = (sql: SqlClient.SqlClient) =>
  sql`p.status, p.content, p.tags, p.scheduled_at AS "scheduledAt",
    p.platform_overrides AS overrides, p.platform_settings AS settings, p.media, p.card, p.revision,
    p.created_by_key AS "createdByKey", p.approval_requested_revision AS "approvalRequestedRevision",
    array(SELECT t.platform FROM post_targets t
      WHERE t.workspace_id = p.workspace_id AND t.post_id = p.id ORDER BY t.position) AS platforms,
    EXISTS (SELECT FROM post_targets t
      WHERE t.workspace_id = p.workspace_id AND t.post_id = p.id AND t.status <> 'published'
        AND (t.sent_at IS NOT NULL OR t.reconcile_from IS NOT NULL AND t.due_since < t.reconcile_until))
      AS "maybePublished",
    EXISTS (SELECT FROM post_targets t
      WHERE t.workspace_id = p.workspace_id AND t.post_id = p.id
        AND (t.status <> 'pending' OR t.attempts > 0 OR t.sent_at IS NOT NULL OR ${maybeSentUnknown(sql)}))
      AS "isBegun",
    p.status = 'failed' AND NOT EXISTS (SELECT FROM post_targets t
      WHERE t.workspace_id = p.workspace_id AND t.post_id = p.id AND t.status = 'failed' AND t.copied_to IS NULL)
      AS "isCopied"`
