import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { OutcomePending, WaitingPostsChoice } from "../../domain/accountChange.ts"
import { PostId } from "../../domain/ids.ts"
import { platformNames } from "../../domain/platform.ts"
import { SettledPost } from "../targets/Targets.ts"
import { AccountMove, isPending, waits } from "./waitingPosts.ts"

/**
 * Posts of one statement. Moving 100,000 takes longer than the server allows a statement, and a statement's parameters and
 * rows are held in memory.
 */
const batchSize = 2000

/** More than a notification shows of a post's text. */
const excerptLength = 400

const nil = PostId.make("00000000-0000-0000-0000-000000000000")

const Batch = Schema.Struct({ ...AccountMove.fields, ids: Schema.Array(PostId) })

/** Moves what waits for one account to another one, in the surrounding transaction. */
export const makeMovePosts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // The statuses are literals, so that every plan may use the partial index posts_by_status.
  const nextOf = (status: string, { after, workspaceId }: { readonly after: string; readonly workspaceId: string }) =>
    sql`(SELECT id FROM posts
      WHERE workspace_id = ${workspaceId}::uuid AND status = ${sql.literal(`'${status}'`)} AND id > ${after}::uuid
      ORDER BY id LIMIT ${batchSize}::int)`

  const findNext = SqlSchema.findOne({
    Request: Schema.Struct({ ...AccountMove.fields, after: PostId }),
    Result: Schema.Struct({ ids: Schema.Array(PostId) }),
    execute: (page) => sql`
      SELECT array(SELECT id FROM (
        ${nextOf("draft", page)} UNION ALL ${nextOf("scheduled", page)} UNION ALL
        ${nextOf("publishing", page)} UNION ALL ${nextOf("failed", page)}
      ) open ORDER BY id LIMIT ${batchSize}::int) AS ids`
  })

  /** The batch's posts as `p`, with their target for the account as `t`: by whole keys, which no plan looks up otherwise. */
  const postsWithTarget = ({ ids, platform, workspaceId }: typeof Batch.Encoded) => sql`
    unnest(${ids}::uuid[]) batch (id)
    JOIN posts p ON p.workspace_id = ${workspaceId}::uuid AND p.id = batch.id
    JOIN post_targets t ON t.workspace_id = ${workspaceId}::uuid AND t.post_id = batch.id AND t.platform = ${platform}`

  // In a statement of its own, so that the next one sees what others had changed before the lock. The post is locked with its
  // target, as everywhere: a claim passes both over until the account is replaced.
  const lock = SqlSchema.findOne({
    Request: Batch,
    Result: Schema.Struct({ pending: Schema.Boolean }),
    execute: (batch) => sql`
      WITH locked AS MATERIALIZED (
        SELECT ${isPending(sql, batch)} AS pending FROM ${postsWithTarget(batch)}
        ORDER BY p.id FOR UPDATE OF p, t
      )
      SELECT coalesce(bool_or(pending), false) AS pending FROM locked`
  })

  const move = SqlSchema.findOne({
    Request: Schema.Struct({ ...Batch.fields, asDrafts: Schema.Boolean, explanation: Schema.String }),
    Result: Schema.Struct({ failed: Schema.Array(PostId) }),
    execute: (batch) => sql`
      WITH waiting AS MATERIALIZED (
        SELECT t.id, t.post_id,
          ${batch.asDrafts}::boolean AND t.status = 'pending' AND p.status = 'scheduled' AS becomes_draft,
          -- Partly published, or tried before: there is no way back to a draft.
          ${batch.asDrafts}::boolean AND t.status = 'pending' AND p.status = 'publishing' AS ends
        FROM ${postsWithTarget(batch)} WHERE ${waits(sql, batch)}
      ), moved AS (
        UPDATE post_targets t SET account_id = ${batch.to}::text, prepared = NULL,
          status = CASE WHEN w.ends THEN 'failed' ELSE t.status END,
          due_since = CASE WHEN NOT (w.ends OR w.becomes_draft) THEN t.due_since END,
          due_at = CASE WHEN NOT (w.ends OR w.becomes_draft) THEN t.due_at END,
          error_code = CASE WHEN w.ends THEN 'needs_reconnect' ELSE t.error_code END,
          error_message = CASE WHEN w.ends THEN ${batch.explanation} ELSE t.error_message END,
          error_retryable = w.ends OR t.error_retryable
        FROM waiting w WHERE t.id = w.id
      ), stamped AS (
        -- What stays, and was stored by the version before.
        UPDATE post_targets t SET account_id = ${batch.from}::text
        FROM unnest(${batch.ids}::uuid[]) batch (id)
        JOIN posts p ON p.workspace_id = ${batch.workspaceId}::uuid AND p.id = batch.id
        WHERE t.workspace_id = ${batch.workspaceId}::uuid AND t.post_id = batch.id AND t.platform = ${batch.platform}
          AND t.account_id IS NULL AND NOT ${waits(sql, batch)}
      ), others_unscheduled AS (
        UPDATE post_targets t SET due_since = NULL, due_at = NULL
        FROM waiting w WHERE w.becomes_draft AND t.workspace_id = ${batch.workspaceId}::uuid
          AND t.post_id = w.post_id AND t.id <> w.id AND t.status = 'pending'
      ), revised AS (
        UPDATE posts p SET revision = p.revision + 1, approval_requested_revision = NULL,
          status = CASE
            WHEN w.becomes_draft THEN 'draft'
            WHEN w.ends AND NOT EXISTS (SELECT FROM post_targets t WHERE t.workspace_id = p.workspace_id
              AND t.post_id = p.id AND t.id <> w.id AND t.status IN ('pending', 'publishing')) THEN 'failed'
            ELSE p.status END
        FROM waiting w WHERE p.workspace_id = ${batch.workspaceId}::uuid AND p.id = w.post_id
        RETURNING p.id, w.ends AND p.status = 'failed' AS failed
      )
      SELECT array(SELECT id FROM revised WHERE failed ORDER BY id) AS failed`
  })

  const findFailed = SqlSchema.findAll({
    Request: Batch,
    Result: SettledPost,
    execute: ({ ids, workspaceId }) => sql`
      SELECT p.workspace_id AS "workspaceId", p.id AS "postId", p.status,
        left(p.content, ${excerptLength}::int) AS content,
        (SELECT jsonb_agg(jsonb_build_object('platform', t.platform, 'error', CASE WHEN t.error_code IS NOT NULL THEN
            jsonb_build_object('code', t.error_code, 'message', t.error_message, 'retryable', t.error_retryable) END)
            ORDER BY t.position)
          FROM post_targets t WHERE t.workspace_id = p.workspace_id AND t.post_id = p.id) AS targets
      FROM posts p WHERE p.workspace_id = ${workspaceId}::uuid AND p.id = ANY(${ids}::uuid[]) ORDER BY p.id`
  })

  /**
   * Returns the posts that have failed, because they were to become drafts and can't. Fails with `pending` where a post was
   * claimed meanwhile.
   */
  return Effect.fnUntraced(function* (
    request: AccountMove & { readonly username: string; readonly posts: WaitingPostsChoice },
    pending: OutcomePending
  ) {
    const explanation =
      `Another ${platformNames[request.platform]} account was connected before this was sent, and what waited was to become ` +
      `a draft, which a post that has begun can't. Publish it again to send it from @${request.username}`
    const failed: Array<SettledPost> = []
    let after = nil
    while (true) {
      const { ids } = yield* Effect.catchTag(findNext({ ...request, after }), "NoSuchElementError", Effect.die)
      const last = ids.at(-1)
      if (last === undefined) return failed
      const batch = { ...request, ids }
      const locked = yield* Effect.catchTag(lock(batch), "NoSuchElementError", Effect.die)
      if (locked.pending) return yield* pending
      const moved = yield* move({ ...batch, asDrafts: request.posts === "drafts", explanation }).pipe(
        Effect.catchTag("NoSuchElementError", Effect.die)
      )
      if (moved.failed.length > 0) failed.push(...(yield* findFailed({ ...batch, ids: moved.failed })))
      after = last
    }
  })
})
