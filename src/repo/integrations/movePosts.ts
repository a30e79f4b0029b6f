import { DateTime, Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { OutcomePending, WaitingPostsChoice } from "../../domain/accounts/accountChange.ts"
import { EventId, nextEventId, PostId } from "../../domain/ids.ts"
import { accountName, platformName } from "../../domain/plain/platforms.ts"
import { uploadLead } from "../../domain/publishing/uploadPolicy.ts"
import { heldUntil } from "../posts/postMedia.ts"
import { targetError } from "../posts/postJson.ts"
import { isSomewhereOut } from "../posts/storedPostRow.ts"
import { isUndecided } from "../posts/undecided.ts"
import { Timestamp } from "../postgres/rows.ts"
import { SettledPost } from "../targets/Targets.ts"
import { AccountMove, isPending, waits } from "./waitingPosts.ts"

/**
 * Posts per statement. A statement that moves 100,000 exceeds its timeout, and holds its parameters and rows in memory.
 */
const batchSize = 2000

/** More than a notification shows of a post's text. */
const excerptLength = 400

const nil = PostId.make("00000000-0000-0000-0000-000000000000")

const Batch = Schema.Struct({ ...AccountMove.fields, ids: Schema.Array(PostId) })

/**
 * Joins the surrounding transaction. Without statistics, the planner assumes a small workspace and joins each batch
 * with all its posts, which exceeds the statement timeout. So each row is looked up by its key: `OFFSET 0` prevents a
 * join, and every plan assumes that a subquery's array is short. Not prepared, because a plan from small tables reads
 * them whole.
 */
export const makeMovePosts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // The statuses are literals, so that every plan can use the partial index posts_by_status.
  const nextOf = (status: string, { after, workspaceId }: { readonly after: string; readonly workspaceId: string }) =>
    sql`(SELECT id, status FROM posts
      WHERE workspace_id = ${workspaceId}::uuid AND status = ${sql.literal(`'${status}'`)} AND id > ${after}::uuid
      ORDER BY id LIMIT ${batchSize}::int)`

  const targetOfPost = (
    { platform, workspaceId }: { readonly platform: string; readonly workspaceId: string },
    lock = ""
  ) => sql`(
    SELECT t.id, t.post_id, t.status, t.part, t.reply_to, t.sent_at, t.reconcile_from, t.account_id, t.due_since
    FROM post_targets t
    WHERE t.workspace_id = ${workspaceId}::uuid AND t.post_id = p.id AND t.platform = ${platform}
    OFFSET 0 ${sql.literal(lock)}) t`

  const postsWithTarget = (batch: typeof Batch.Encoded, lock = "") => sql`
    unnest(${batch.ids}::uuid[]) batch (id)
    CROSS JOIN LATERAL (
      SELECT p.id, p.workspace_id, p.status FROM posts p WHERE p.workspace_id = ${batch.workspaceId}::uuid AND p.id = batch.id
      OFFSET 0 ${sql.literal(lock)}) p
    CROSS JOIN LATERAL ${targetOfPost(batch, lock)}`

  /** Posts whose target is to be moved or stamped, or blocks the replacement. */
  const findNext = SqlSchema.findOne({
    Request: Schema.Struct({ ...AccountMove.fields, after: PostId }),
    Result: Schema.Struct({ last: Schema.NullOr(PostId), ids: Schema.Array(PostId) }),
    execute: (page) =>
      sql`
      WITH open AS MATERIALIZED (
        SELECT id, status FROM (
          ${nextOf("draft", page)} UNION ALL ${nextOf("scheduled", page)} UNION ALL
          ${nextOf("publishing", page)} UNION ALL ${nextOf("failed", page)}
        ) next ORDER BY id LIMIT ${batchSize}::int
      )
      SELECT (SELECT id FROM open ORDER BY id DESC LIMIT 1) AS last, array(
        SELECT p.id FROM open p CROSS JOIN LATERAL ${targetOfPost(page)}
        WHERE t.account_id IS NULL OR ${waits(sql, page)} OR ${isPending(sql, page)} ORDER BY p.id
      ) AS ids`.unprepared
  })

  // A separate statement, so that the next one sees changes from before the lock. Claims skip a locked post and target
  // until the account is replaced.
  const lock = SqlSchema.findOne({
    Request: Batch,
    Result: Schema.Struct({ pending: Schema.Boolean }),
    execute: (batch) =>
      sql`
      WITH locked AS MATERIALIZED (
        SELECT ${isPending(sql, batch)} AS pending FROM ${postsWithTarget(batch, "FOR UPDATE")}
      )
      SELECT coalesce(bool_or(pending), false) AS pending FROM locked`.unprepared
  })

  const move = SqlSchema.findOne({
    Request: Schema.Struct({
      ...Batch.fields,
      asDrafts: Schema.Boolean,
      explanation: Schema.String,
      username: Schema.String,
      eventIds: Schema.Array(EventId),
      now: Timestamp
    }),
    Result: Schema.Struct({ failed: Schema.Array(PostId) }),
    execute: (batch) => {
      const among = (column: "id" | "post_id", kind: string) =>
        sql`= ANY(ARRAY(SELECT ${sql(column)} FROM found WHERE ${sql.literal(kind)}))`
      return sql`
      WITH found AS MATERIALIZED (
        SELECT t.id, t.post_id, t.due_since, w.waits, w.waits AND NOT (w.becomes_draft OR w.ends) AS stays, w.becomes_draft, w.ends,
          w.ends AND NOT EXISTS (SELECT FROM post_targets other WHERE other.workspace_id = ${batch.workspaceId}::uuid
            AND other.post_id = t.post_id AND other.id <> t.id AND other.status IN ('pending', 'publishing')) AS ends_post,
          -- Stays with its account, and was stored by the version before.
          NOT w.waits AND t.account_id IS NULL AS is_stamped
        FROM ${postsWithTarget(batch)}
        CROSS JOIN LATERAL (
          SELECT ${waits(sql, batch)} AS waits, ${batch.asDrafts}::boolean AND t.status = 'pending' AS is_unscheduled,
            -- Partly published or tried before: it can't become a draft again.
            p.status = 'publishing' OR ${batch.asDrafts}::boolean AND p.status = 'scheduled' AND ${isSomewhereOut(sql)} AS has_begun
          OFFSET 0) choice
        CROSS JOIN LATERAL (
          SELECT choice.waits, choice.waits AND is_unscheduled AND p.status = 'scheduled' AND NOT has_begun AS becomes_draft,
            choice.waits AND is_unscheduled AND has_begun AS ends) w
      ), restarted AS (
        -- Uploads to the former account are useless, and a running one loses its claim.
        UPDATE post_target_uploads u SET status = 'waiting', attempts = 0, uploaded = NULL,
          next_at = found.due_since - ${uploadLead}::int * interval '1 second',
          claim_token = NULL, owner_id = NULL, lease_until = NULL, error_code = NULL, error_message = NULL
        FROM found WHERE u.target_id = found.id AND u.target_id ${among("id", "stays AND due_since IS NOT NULL")}
        RETURNING u.target_id
      ), canceled AS (
        DELETE FROM post_target_uploads
        WHERE target_id ${among("id", "becomes_draft OR ends OR stays AND due_since IS NULL")}
      ), others_canceled AS (
        DELETE FROM post_target_uploads WHERE status IN ('waiting', 'uploading') AND target_id = ANY(ARRAY(
          SELECT id FROM post_targets WHERE workspace_id = ${batch.workspaceId}::uuid
            AND post_id ${among("post_id", "becomes_draft")} AND platform <> ${batch.platform} AND status = 'pending'))
      ), moved AS (
        UPDATE post_targets SET account_id = ${batch.to}::text, prepared = NULL, part_uploads = NULL, processing_since = NULL,
          due_at = CASE WHEN id IN (SELECT target_id FROM restarted)
            THEN ${heldUntil(sql, sql.literal("due_since"))} ELSE due_at END
        WHERE workspace_id = ${batch.workspaceId}::uuid AND id ${among("id", "stays")}
      ), unscheduled AS (
        UPDATE post_targets SET account_id = ${batch.to}::text, prepared = NULL, part_uploads = NULL, processing_since = NULL, due_since = NULL, due_at = NULL
        WHERE workspace_id = ${batch.workspaceId}::uuid AND id ${among("id", "becomes_draft")}
      ), ended AS (
        UPDATE post_targets SET account_id = ${batch.to}::text, prepared = NULL, part_uploads = NULL, processing_since = NULL, due_since = NULL, due_at = NULL,
          status = 'failed', error_code = 'needs_reconnect', error_message = ${batch.explanation}, error_retryable = true
        WHERE workspace_id = ${batch.workspaceId}::uuid AND id ${among("id", "ends")}
      ), stamped AS (
        UPDATE post_targets SET account_id = ${batch.from}::text
        WHERE workspace_id = ${batch.workspaceId}::uuid AND id ${among("id", "is_stamped")}
      ), others_unscheduled AS (
        UPDATE post_targets SET due_since = NULL, due_at = NULL
        WHERE workspace_id = ${batch.workspaceId}::uuid AND post_id ${among("post_id", "becomes_draft")}
          AND platform <> ${batch.platform} AND status = 'pending'
      ), asked AS MATERIALIZED (
        -- They keep waiting for approval, now for the other account.
        SELECT p.id, p.revision FROM posts p
        WHERE p.workspace_id = ${batch.workspaceId}::uuid AND p.id ${among("post_id", "stays")} AND p.status = 'draft'
          AND ${sql.literal(isUndecided)}
      ), asked_on AS (
        UPDATE post_approvals a SET revision = a.revision + 1 FROM asked
        WHERE a.workspace_id = ${batch.workspaceId}::uuid AND a.post_id = asked.id AND a.revision = asked.revision
      ), revised AS (
        UPDATE posts SET revision = revision + 1, thread_changes = thread_changes + 1, approval_requested_revision =
          approval_requested_revision + CASE WHEN id = ANY(ARRAY(SELECT id FROM asked)) THEN 1 ELSE 0 END
        WHERE workspace_id = ${batch.workspaceId}::uuid AND id ${among("post_id", "stays OR ends AND NOT ends_post")}
      ), told AS (
        INSERT INTO events (id, workspace_id, type, audience, data, post_id, created_at, details)
        SELECT event_id, ${batch.workspaceId}::uuid, 'post.updated', 'history',
          jsonb_build_object('post_id', id, 'status', 'draft', 'revision', revision + 1), id, ${batch.now}::timestamptz,
          jsonb_build_object('changed', '{account}'::text[], 'account', ${batch.username}::text,
            'platform', ${batch.platform}::text, 'approval_renewed', true)
        FROM asked JOIN unnest(${batch.ids}::uuid[], ${batch.eventIds}::uuid[]) AS own (post_id, event_id) ON own.post_id = id
      ), drafted AS (
        UPDATE posts SET revision = revision + 1, thread_changes = thread_changes + 1, status = 'draft'
        WHERE workspace_id = ${batch.workspaceId}::uuid AND id ${among("post_id", "becomes_draft")}
      ), failed AS (
        UPDATE posts SET revision = revision + 1, thread_changes = thread_changes + 1, status = 'failed'
        WHERE workspace_id = ${batch.workspaceId}::uuid AND id ${among("post_id", "ends_post")}
      )
      SELECT array(SELECT post_id FROM found WHERE ends_post ORDER BY post_id) AS failed`.unprepared
    }
  })

  const findFailed = SqlSchema.findAll({
    Request: Batch,
    Result: SettledPost,
    execute: ({ ids, workspaceId }) =>
      sql`
      SELECT p.workspace_id AS "workspaceId", p.id AS "postId", p.status,
        left(p.content, ${excerptLength}::int) AS content,
        (SELECT jsonb_agg(jsonb_build_object('platform', t.platform, 'status', t.status,
            'url', t.platform_post_url, 'error', ${sql.literal(targetError)}, 'username', CASE WHEN t.error_code IS NOT NULL
              THEN (SELECT i.username FROM integrations i WHERE i.id = t.integration_id) END) ORDER BY t.position)
          FROM post_targets t WHERE t.workspace_id = p.workspace_id AND t.post_id = p.id) AS targets
      FROM posts p WHERE p.workspace_id = ${workspaceId}::uuid AND p.id = ANY(ARRAY(SELECT unnest(${ids}::uuid[])))
      ORDER BY p.id`.unprepared
  })

  /** Returns the posts that failed because they could not become drafts. Fails with `pending` if a post was claimed. */
  return Effect.fnUntraced(function* (
    request: AccountMove & { readonly username: string; readonly posts: WaitingPostsChoice },
    pending: OutcomePending
  ) {
    const explanation =
      `Another ${platformName(request.platform)} account was connected before this was sent, and waiting posts were to become drafts. ` +
      `This one had begun, so it could not. Publish it again to send it from ${accountName(request.platform, request.username)}`
    const failed: Array<SettledPost> = []
    let after = nil
    while (true) {
      const { ids, last } = yield* Effect.catchTag(findNext({ ...request, after }), "NoSuchElementError", Effect.die)
      if (last === null) return failed
      after = last
      if (ids.length === 0) continue
      const batch = { ...request, ids }
      const locked = yield* Effect.catchTag(lock(batch), "NoSuchElementError", Effect.die)
      if (locked.pending) return yield* pending
      const now = yield* DateTime.now
      const eventIds = yield* Effect.forEach(ids, () => nextEventId)
      const moved = yield* move({ ...batch, eventIds, now, asDrafts: request.posts === "drafts", explanation }).pipe(
        Effect.catchTag("NoSuchElementError", Effect.die)
      )
      if (moved.failed.length > 0) failed.push(...(yield* findFailed({ ...batch, ids: moved.failed })))
    }
  })
})
