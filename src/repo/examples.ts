import { DateTime, Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { type DatabaseUnavailable, InvalidState } from "../domain/errors.ts"
import { ApiKeyId, MediaId, PostId, type WorkspaceId } from "../domain/ids.ts"
import { TargetError, TargetStatus } from "../domain/posts/post.ts"
import type { Settlement } from "../domain/publishing/settlement.ts"
import { withDatabaseTimeout } from "./postgres/databaseErrors.ts"
import { NullableTimestamp } from "./postgres/rows.ts"
import { makeRollUpPosts } from "./targets/rollUpPosts.ts"
import { outcomeOf } from "./targets/targetChange.ts"
import { Claim, type EndedTarget, type SettledPost } from "./targets/Targets.ts"

const { attempts, integration, platform, postId, workspaceId } = Claim.fields

export interface ExampleTarget extends Pick<Claim, "workspaceId" | "postId" | "platform" | "attempts"> {}

/** The demo's example posts. Their history is written without attempts. */
export interface Examples {
  /** Joins a surrounding transaction. */
  readonly settle: (
    target: ExampleTarget,
    settlement: Settlement
  ) => Effect.Effect<{ readonly posts: ReadonlyArray<SettledPost>; readonly ended: EndedTarget }, DatabaseUnavailable>
  readonly count: (workspaceId: WorkspaceId, posts: ReadonlyArray<PostId>) => Effect.Effect<number, DatabaseUnavailable>
  /**
   * Removes the posts with their events and notifications, and API keys. While one of the posts is being sent, fails
   * and removes nothing. Returns the files that no other post uses.
   */
  readonly remove: (
    workspaceId: WorkspaceId,
    rows: {
      readonly posts: ReadonlyArray<PostId>
      readonly keys: ReadonlyArray<ApiKeyId>
      readonly files: ReadonlyArray<MediaId>
    }
  ) => Effect.Effect<
    { readonly removed: number; readonly unused: ReadonlyArray<MediaId> },
    InvalidState | DatabaseUnavailable
  >
}

const inFlight = new InvalidState({
  message: "An example post is being sent right now; try again when that attempt has ended"
})

const PostIds = Schema.Struct({ workspaceId, ids: Schema.Array(postId) })

export const makeExamples = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { rollUpPosts } = yield* makeRollUpPosts

  const writeTarget = SqlSchema.findOne({
    Request: Schema.Struct({
      workspaceId,
      postId,
      platform,
      attempts,
      status: TargetStatus,
      dueAt: NullableTimestamp,
      publishedAt: NullableTimestamp,
      platformPostId: Schema.NullOr(Schema.String),
      url: Schema.NullOr(Schema.String),
      error: Schema.NullOr(TargetError)
    }),
    Result: Schema.Struct({ id: integration.fields.id }),
    execute: (target) => sql`
      WITH target AS (
        UPDATE post_targets SET status = ${target.status}, attempts = ${target.attempts}::int,
          due_at = ${target.dueAt}::timestamptz, due_since = CASE WHEN ${target.dueAt}::timestamptz IS NOT NULL THEN due_since END,
          published_at = ${target.publishedAt}::timestamptz, platform_post_id = ${target.platformPostId},
          platform_post_url = ${target.url}, error_code = ${target.error?.code ?? null},
          error_message = ${target.error?.message ?? null}, error_retryable = ${target.error?.retryable ?? null}
        WHERE workspace_id = ${target.workspaceId}::uuid AND post_id = ${target.postId}::uuid AND platform = ${target.platform}
        RETURNING id, integration_id
      ), uploads AS (
        DELETE FROM post_target_uploads USING target WHERE target_id = target.id
      ), post AS (
        -- As a claim leaves it.
        UPDATE posts SET status = 'publishing'
        WHERE workspace_id = ${target.workspaceId}::uuid AND id = ${target.postId}::uuid AND status = 'scheduled'
      )
      SELECT integration_id AS id FROM target`
  })

  const settle: Examples["settle"] = Effect.fn("Repo.examples.settle")(
    function* (target, settlement) {
      const now = yield* DateTime.now
      const outcome = outcomeOf(settlement)
      const { id } = yield* writeTarget({
        ...target,
        ...outcome,
        publishedAt: settlement._tag === "Published" ? now : null
      })
      const posts = yield* rollUpPosts([target], now)
      return { posts, ended: { claim: { ...target, integration: { id } }, settlement } }
    },
    Effect.catchTag("NoSuchElementError", Effect.die),
    withDatabaseTimeout("settling an example")
  )

  const countPosts = SqlSchema.findOne({
    Request: PostIds,
    Result: Schema.Struct({ count: Schema.Int }),
    execute: (posts) => sql`
      SELECT count(*)::int AS count FROM posts
      WHERE workspace_id = ${posts.workspaceId}::uuid AND id = ANY(${posts.ids}::uuid[])`
  })

  const count: Examples["count"] = Effect.fn("Repo.examples.count")((id, ids) =>
    countPosts({ workspaceId: id, ids }).pipe(
      Effect.catchTag("NoSuchElementError", Effect.die),
      Effect.map((row) => row.count),
      withDatabaseTimeout("counting examples")
    )
  )

  const lockPosts = SqlSchema.findAll({
    Request: PostIds,
    Result: Schema.Struct({ id: PostId }),
    execute: (posts) => sql`
      SELECT id FROM posts WHERE workspace_id = ${posts.workspaceId}::uuid AND id = ANY(${posts.ids}::uuid[])
      ORDER BY id FOR UPDATE`
  })

  // Not prepared: a plan from when there were few posts would read all targets.
  const deletePosts = SqlSchema.findAll({
    Request: PostIds,
    Result: Schema.Struct({ id: PostId }),
    execute: (posts) =>
      sql`
      DELETE FROM posts p WHERE workspace_id = ${posts.workspaceId}::uuid AND id = ANY(${posts.ids}::uuid[])
        AND NOT EXISTS (SELECT FROM post_targets t
          WHERE t.workspace_id = p.workspace_id AND t.post_id = p.id AND t.status = 'publishing')
      RETURNING id`.unprepared
  })

  const deleteTraces = SqlSchema.void({
    Request: Schema.Struct({ ...PostIds.fields, keys: Schema.Array(ApiKeyId) }),
    execute: ({ ids, keys, workspaceId: workspace }) => sql`
      WITH events AS (
        DELETE FROM events WHERE workspace_id = ${workspace}::uuid AND post_id = ANY(${ids}::uuid[])
      ), notifications AS (
        DELETE FROM notifications WHERE workspace_id = ${workspace}::uuid AND metadata ->> 'post_id' = ANY(${ids}::text[])
      )
      DELETE FROM api_keys WHERE workspace_id = ${workspace}::uuid AND id = ANY(${keys}::uuid[])`
  })

  const findUnused = SqlSchema.findAll({
    Request: Schema.Struct({ workspaceId, ids: Schema.Array(MediaId) }),
    Result: Schema.Struct({ id: MediaId }),
    execute: (files) => sql`
      SELECT file.id FROM unnest(${files.ids}::uuid[]) AS file(id)
      WHERE NOT EXISTS (SELECT FROM post_media WHERE workspace_id = ${files.workspaceId}::uuid AND media_id = file.id)`
  })

  const remove: Examples["remove"] = Effect.fn("Repo.examples.remove")((id, { files, keys, posts }) =>
    sql
      .withTransaction(
        Effect.gen(function* () {
          const locked = yield* lockPosts({ workspaceId: id, ids: posts })
          const removed = yield* deletePosts({ workspaceId: id, ids: posts })
          if (removed.length < locked.length) return yield* inFlight
          yield* deleteTraces({ workspaceId: id, ids: posts, keys })
          const unused = yield* findUnused({ workspaceId: id, ids: files })
          return { removed: removed.length, unused: unused.map((file) => file.id) }
        })
      )
      .pipe(withDatabaseTimeout("removing examples"))
  )

  return { settle, count, remove } satisfies Examples
})
