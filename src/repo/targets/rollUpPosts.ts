import { DateTime, Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { rollUp } from "../../domain/publishing/rollUp.ts"
import { shownStatus, targetError } from "../posts/postJson.ts"
import { SettledPost } from "./Targets.ts"

type PostKey = Pick<SettledPost, "workspaceId" | "postId">

const keyOf = ({ postId, workspaceId }: PostKey): PostKey => ({ workspaceId, postId })

export const rolledUp = (post: SettledPost): SettledPost => ({
  ...post,
  status: rollUp(
    post.targets.map(({ status }) => status),
    post.status
  )
})

/** Joins the transaction that locked the posts and changed the targets. */
export const makeRollUpPosts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const find = SqlSchema.findAll({
    Request: Schema.String,
    Result: SettledPost,
    execute: (keys) =>
      sql`
      SELECT p.* FROM jsonb_to_recordset(${keys}::jsonb) AS key ("workspaceId" uuid, "postId" uuid) CROSS JOIN LATERAL (
        SELECT workspace_id AS "workspaceId", id AS "postId", status, content, (
          SELECT coalesce(jsonb_agg(jsonb_build_object('platform', platform, 'status', ${sql.literal(shownStatus)}, 'url', platform_post_url,
            'integrationId', integration_id, 'error', ${sql.literal(targetError)}, 'username', CASE WHEN error_code IS NOT NULL
              THEN (SELECT i.username FROM integrations i WHERE i.id = t.integration_id) END) ORDER BY position), '[]')
          FROM post_targets t WHERE t.workspace_id = posts.workspace_id AND t.post_id = posts.id) AS targets
        FROM posts WHERE workspace_id = key."workspaceId" AND id = key."postId" OFFSET 0) p`
  })

  const write = SqlSchema.void({
    Request: Schema.String,
    execute: (batch) =>
      sql`
      WITH settled AS MATERIALIZED (
        SELECT * FROM jsonb_to_recordset(${batch}::jsonb)
          AS settled ("workspaceId" uuid, "postId" uuid, status text, "publishedAt" timestamptz)
      )
      UPDATE posts p SET status = s.status, published_at = s."publishedAt",
        scheduled_at = CASE WHEN s."publishedAt" IS NOT NULL THEN coalesce(p.scheduled_at, s."publishedAt")
          ELSE p.scheduled_at END
      -- By their ids, however many the planner expects.
      FROM settled s WHERE p.workspace_id = s."workspaceId" AND p.id = s."postId"
        AND p.workspace_id = ANY(ARRAY(SELECT "workspaceId" FROM settled)) AND p.id = ANY(ARRAY(SELECT "postId" FROM settled))`
  })

  const readPosts = (keys: ReadonlyArray<PostKey>) => find(JSON.stringify(keys.map(keyOf)))

  const writePosts = (posts: ReadonlyArray<SettledPost>, now: DateTime.Utc) => {
    const time = DateTime.formatIso(now)
    return write(
      JSON.stringify(
        posts.map((post) => ({
          ...keyOf(post),
          status: post.status,
          publishedAt: post.status === "published" ? time : null
        }))
      )
    )
  }

  const rollUpPosts = Effect.fnUntraced(function* (keys: ReadonlyArray<PostKey>, now: DateTime.Utc) {
    const posts = (yield* readPosts(keys)).map(rolledUp)
    yield* writePosts(posts, now)
    return posts
  })
  return { readPosts, writePosts, rollUpPosts }
})
