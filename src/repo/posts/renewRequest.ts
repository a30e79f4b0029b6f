import { DateTime, Effect, Equal, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { PlatformOverrides } from "../../domain/posts/platformSettings.ts"
import { isSameThread, type PostChange, type StoredPost } from "../../domain/posts/postPlan.ts"
import { Thread } from "../../domain/posts/thread.ts"
import { Timestamp } from "../postgres/rows.ts"
import { makeDecisions } from "./decisions.ts"
import { PostKey } from "./rows.ts"
import { isUndecided } from "./undecided.ts"

/**
 * Lets a draft wait for approval at the revision that a change makes. Runs under the post's lock, before the change.
 * Returns false if the draft waits for nobody. A request with other texts is another row, so that the former texts can
 * be compared with them.
 */
export const makeRenewRequest = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { outdated } = yield* makeDecisions

  const renew = SqlSchema.findOne({
    Request: Schema.Struct({
      ...PostKey.fields,
      before: Schema.Int,
      revision: Schema.Int,
      changesTexts: Schema.Boolean,
      content: Schema.String,
      overrides: Schema.fromJsonString(PlatformOverrides),
      thread: Schema.fromJsonString(Thread),
      now: Timestamp
    }),
    Result: Schema.Struct({ isRenewed: Schema.Boolean }),
    execute: (request) => {
      const own = sql`workspace_id = ${request.workspaceId}::uuid AND post_id = ${request.id}::uuid`
      return sql`
      WITH post AS (
        UPDATE posts p SET approval_requested_revision = ${request.revision}::int
        WHERE p.workspace_id = ${request.workspaceId}::uuid AND p.id = ${request.id}::uuid AND p.status = 'draft'
          AND ${sql.literal(isUndecided)}
        RETURNING p.workspace_id, p.id
      ), former AS (
        SELECT requested_at FROM post_approvals WHERE ${own} AND revision = ${request.before}::int
      ), moved AS (
        UPDATE post_approvals SET revision = ${request.revision}::int
        WHERE ${own} AND revision = ${request.before}::int AND NOT ${request.changesTexts}::boolean AND EXISTS (SELECT FROM post)
      ), removed AS (
        DELETE FROM post_approvals
        WHERE ${request.changesTexts}::boolean AND EXISTS (SELECT FROM post) AND ${outdated(request.revision, request)}
      ), stored AS (
        INSERT INTO post_approvals (workspace_id, post_id, revision, status, requested_at, content, platform_overrides, thread)
        SELECT workspace_id, id, ${request.revision}::int, 'requested',
          coalesce((SELECT requested_at FROM former), ${request.now}::timestamptz), ${request.content}, ${request.overrides}::jsonb,
          ${request.thread}::jsonb
        FROM post WHERE ${request.changesTexts}::boolean
      )
      SELECT EXISTS (SELECT FROM post) AS "isRenewed"`
    }
  })

  return Effect.fnUntraced(function* (key: PostKey, before: StoredPost, change: PostChange) {
    const { content, overrides, revision, thread } = change
    if (change.keepsRequest !== true || revision === before.revision) return false
    const changesTexts =
      content !== before.content || !Equal.equals(overrides, before.overrides) || !isSameThread(thread, before.thread)
    const texts = { content, overrides, thread }
    const now = yield* DateTime.now
    const { isRenewed } = yield* renew({ ...key, ...texts, before: before.revision, revision, changesTexts, now })
    return isRenewed
  })
})
