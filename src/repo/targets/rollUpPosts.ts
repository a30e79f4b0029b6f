import { DateTime, Effect, Schema, Struct } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { IntegrationId } from "../../domain/ids.ts"
import { TargetError, TargetStatus } from "../../domain/posts/post.ts"
import { rollUp } from "../../domain/publishing/rollUp.ts"
import { Claim, SettledPost } from "./Targets.ts"

const { platform, postId } = Claim.fields

type PostKey = Pick<SettledPost, "workspaceId" | "postId">

/** Without what else a caller knows of the post. */
const keyOf = ({ postId: id, workspaceId }: PostKey): PostKey => ({ workspaceId, postId: id })

/** Gives posts the status that follows from their targets, in the transaction that has locked them and changed the targets. */
export const makeRollUpPosts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const findTargets = SqlSchema.findAll({
    Request: Schema.String,
    Result: Schema.Struct({
      postId,
      platform,
      status: TargetStatus,
      url: Schema.NullOr(Schema.String),
      error: Schema.NullOr(TargetError),
      integrationId: IntegrationId
    }),
    execute: (keys) =>
      sql`
      SELECT t.* FROM jsonb_to_recordset(${keys}::jsonb) AS key ("workspaceId" uuid, "postId" uuid) CROSS JOIN LATERAL (
        SELECT post_id AS "postId", platform, status, platform_post_url AS url, integration_id AS "integrationId", CASE WHEN error_code IS NOT NULL THEN jsonb_build_object(
          'code', error_code, 'message', error_message, 'retryable', error_retryable) END AS error
        FROM post_targets WHERE workspace_id = key."workspaceId" AND post_id = key."postId"
        ORDER BY position OFFSET 0) t`
  })

  const writePosts = SqlSchema.findAll({
    Request: Schema.String,
    Result: SettledPost.mapFields(Struct.omit(["targets"])),
    execute: (batch) =>
      sql`
      WITH settled AS MATERIALIZED (
        SELECT * FROM jsonb_to_recordset(${batch}::jsonb)
          AS settled ("workspaceId" uuid, "postId" uuid, status text, "publishedAt" timestamptz)
      )
      -- The outcome of a lost claim can find a post that was made a draft or scheduled again, and waits for its other targets.
      UPDATE posts p SET
        status = CASE WHEN s.status = 'publishing' AND p.status IN ('draft', 'scheduled') THEN p.status ELSE s.status END,
        scheduled_at = CASE WHEN s."publishedAt" IS NOT NULL THEN coalesce(p.scheduled_at, s."publishedAt")
          ELSE p.scheduled_at END,
        published_at = s."publishedAt"
      -- By their ids, however many the planner expects.
      FROM settled s WHERE p.workspace_id = s."workspaceId" AND p.id = s."postId"
        AND p.workspace_id = ANY(ARRAY(SELECT "workspaceId" FROM settled)) AND p.id = ANY(ARRAY(SELECT "postId" FROM settled))
      RETURNING p.workspace_id AS "workspaceId", p.id AS "postId", p.status, p.content`
  })

  return Effect.fnUntraced(function* (keys: ReadonlyArray<PostKey>, now: DateTime.Utc) {
    const targets = Map.groupBy(yield* findTargets(JSON.stringify(keys.map(keyOf))), (target) => target.postId)
    const time = DateTime.formatIso(now)
    const rolledUp = keys.map(({ postId: id, workspaceId: workspace }) => {
      const status = rollUp((targets.get(id) ?? []).map((target) => target.status))
      return { workspaceId: workspace, postId: id, status, publishedAt: status === "published" ? time : null }
    })
    const posts = yield* writePosts(JSON.stringify(rolledUp))
    return posts.map((post): SettledPost => ({ ...post, targets: targets.get(post.postId) ?? [] }))
  })
})
