import { DateTime, Effect, Option, Result, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { InvalidState } from "../../domain/errors.ts"
import { LivePlatform } from "../../domain/platform.ts"
import { PostStatus } from "../../domain/posts/post.ts"
import type { Authority } from "../../domain/people/authority.ts"
import { ApiKeyId, EventId, GroupId, nextEventId, PostId, WorkspaceId } from "../../domain/ids.ts"
import { recordDeletedPosts } from "../events/postEvents.ts"
import { ByAuthority, byAuthority, heldRight, makeAuthority } from "../people/authority.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"
import { keepDeletedTargets } from "../targets/deletedTargets.ts"
import type { Posts } from "./Posts.ts"
import { PostKey } from "./rows.ts"
import { unknownPost } from "./storedPosts.ts"

const inFlight = new InvalidState({
  message: "The post is being sent right now, or its platform is processing it; try again when that has ended"
})

/** The number of parts left on platforms. The tables still show the removed post. */
const leftOnPlatforms = (sql: SqlClient.SqlClient) =>
  sql.literal(`(SELECT coalesce(sum(CASE WHEN jsonb_typeof(t.parts) = 'array' THEN jsonb_array_length(t.parts)
      WHEN t.status = 'published' THEN 1 ELSE 0 END), 0)::int
    FROM post_targets t WHERE t.workspace_id = removed.workspace_id AND t.post_id = removed.id)`)

const GuardedPostRow = Schema.Struct({
  id: PostId,
  status: PostStatus,
  revision: Schema.Int,
  createdByKey: Schema.NullOr(ApiKeyId),
  approvalRequestedRevision: Schema.NullOr(Schema.Int)
})

const guardedPostColumns = `id, status, revision, created_by_key AS "createdByKey",
  approval_requested_revision AS "approvalRequestedRevision"`

const GroupKey = Schema.Struct({ workspaceId: WorkspaceId, groupId: GroupId })

export const makeRemovePosts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { hold } = yield* makeAuthority

  // Not prepared: a plan from a time with few posts would read all targets.
  const deletePosts = SqlSchema.findAll({
    Request: Schema.Struct({
      workspaceId: WorkspaceId,
      ids: Schema.Array(PostId),
      eventIds: Schema.Array(EventId),
      ...ByAuthority.fields,
      now: Timestamp
    }),
    Result: Schema.Struct({ id: PostId, left: Schema.Int }),
    execute: ({ eventIds, ids, now, workspaceId, ...by }) => {
      const right = heldRight(sql, { ...by, workspaceId, now })
      return sql`
      WITH ${right.rows}, removed AS (
        DELETE FROM posts p WHERE workspace_id = ${workspaceId}::uuid AND id = ANY(${ids}::uuid[]) AND ${right.holds}
          AND NOT EXISTS (SELECT FROM post_targets t
            WHERE t.workspace_id = p.workspace_id AND t.post_id = p.id AND (t.status = 'publishing'
              -- A platform that has taken the post publishes it after it was deleted too.
              OR t.status = 'pending' AND t.processing_since IS NOT NULL AND t.sent_at IS NOT NULL
                AND t.platform = ANY(${LivePlatform.literals}::text[])))
        RETURNING workspace_id, id, content, platform_overrides, thread
      ), kept AS (${keepDeletedTargets(sql, now)}), ${recordDeletedPosts(sql, ids, eventIds, now, by)}
      SELECT id, ${leftOnPlatforms(sql)} AS left FROM removed`.unprepared
    }
  })

  const refuse = (by: Authority | undefined) => Effect.andThen(hold(by), Effect.fail(inFlight))

  // Reads no column that may be malformed, because deleting such a post is the way out.
  const lockPost = SqlSchema.findOneOption({
    Request: PostKey,
    Result: GuardedPostRow,
    execute: ({ id, workspaceId }) => sql`
      SELECT ${sql.literal(guardedPostColumns)} FROM posts
      WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid FOR UPDATE`
  })

  const remove: Posts["remove"] = (workspaceId, id, decide = () => Result.void, by) =>
    sql
      .withTransaction(
        Effect.gen(function* () {
          const post = yield* lockPost({ workspaceId, id })
          if (Option.isNone(post)) return yield* unknownPost
          yield* Effect.fromResult(decide(post.value))
          const [removed] = yield* deletePosts({
            workspaceId,
            ids: [id],
            eventIds: [yield* nextEventId],
            ...byAuthority(by),
            now: yield* DateTime.now
          })
          if (removed === undefined) return yield* refuse(by)
          return { leftOnPlatforms: removed.left }
        })
      )
      .pipe(withDatabaseTimeout("deleting a post"), Effect.withSpan("Repo.posts.remove"))

  const lockGroup = SqlSchema.findAll({
    Request: GroupKey,
    Result: GuardedPostRow,
    execute: ({ groupId, workspaceId }) => sql`
      SELECT ${sql.literal(guardedPostColumns)} FROM posts WHERE workspace_id = ${workspaceId}::uuid AND group_id = ${groupId}::uuid
      ORDER BY id FOR UPDATE`
  })

  const removeGroup: Posts["removeGroup"] = (workspaceId, groupId, decide = () => Result.void, by) =>
    sql
      .withTransaction(
        Effect.gen(function* () {
          const posts = yield* lockGroup({ workspaceId, groupId })
          yield* Effect.forEach(posts, (post) => Effect.fromResult(decide(post)), { discard: true })
          // Not by group, because another post may have joined it and been claimed since the lock.
          const removed = yield* deletePosts({
            workspaceId,
            ids: posts.map(({ id }) => id),
            eventIds: yield* Effect.forEach(posts, () => nextEventId),
            ...byAuthority(by),
            now: yield* DateTime.now
          })
          if (removed.length < posts.length) return yield* refuse(by)
          return { deleted: removed.length, leftOnPlatforms: removed.reduce((sum, { left }) => sum + left, 0) }
        })
      )
      .pipe(withDatabaseTimeout("deleting a group"), Effect.withSpan("Repo.posts.removeGroup"))

  return { remove, removeGroup }
})
