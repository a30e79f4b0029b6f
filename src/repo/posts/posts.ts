import { DateTime, Effect, type Result, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { type DatabaseUnavailable, type IntegrationNotConnected, InvalidState, NotFound } from "../../domain/errors.ts"
import { type GroupId, PostId, type WorkspaceId } from "../../domain/ids.ts"
import type { Platform } from "../../domain/platform.ts"
import type { Post, PostStatus } from "../../domain/post.ts"
import type { PostChange, PostPlan, StoredPost } from "../../domain/postPlan.ts"
import { makeCreatePost } from "./createPost.ts"
import { dueChannel, isDueSoon } from "../postgres/channel.ts"
import { postColumns, PostRow, StoredPostRow, storedPostColumns } from "./rows.ts"
import { orUnavailable } from "../postgres/query.ts"

export interface CreatedPost {
  readonly id: PostId
  readonly status: PostStatus
  readonly scheduled_at: DateTime.Utc | null
  readonly platforms: ReadonlyArray<Platform>
}

export interface PostQuery {
  readonly status: PostStatus | null
  readonly limit: number
  /** Only posts older than this one. */
  readonly before: PostId | null
}

export interface Posts {
  /** One round trip. */
  readonly create: (
    workspaceId: WorkspaceId,
    plan: PostPlan
  ) => Effect.Effect<CreatedPost, IntegrationNotConnected | DatabaseUnavailable>
  /** One round trip. */
  readonly get: (workspaceId: WorkspaceId, id: PostId) => Effect.Effect<Post, NotFound | DatabaseUnavailable>
  /** Newest first; one round trip. */
  readonly list: (workspaceId: WorkspaceId, query: PostQuery) => Effect.Effect<ReadonlyArray<Post>, DatabaseUnavailable>
  /** Newest first. */
  readonly listGroup: (
    workspaceId: WorkspaceId,
    groupId: GroupId
  ) => Effect.Effect<ReadonlyArray<Post>, DatabaseUnavailable>
  /** Decides on the post as it stands under a lock, then writes what was decided. */
  readonly update: <E>(
    workspaceId: WorkspaceId,
    id: PostId,
    decide: (post: StoredPost) => Result.Result<PostChange, E>
  ) => Effect.Effect<Post, E | NotFound | DatabaseUnavailable>
  /** Makes the post due now; of a failed one the failed targets only. */
  readonly publish: <E>(
    workspaceId: WorkspaceId,
    id: PostId,
    decide: (post: StoredPost) => Result.Result<void, E>
  ) => Effect.Effect<Post, E | NotFound | DatabaseUnavailable>
  /** After this nothing of the post is sent. InvalidState while an attempt is in flight. */
  readonly remove: (
    workspaceId: WorkspaceId,
    id: PostId
  ) => Effect.Effect<void, NotFound | InvalidState | DatabaseUnavailable>
  /** All or nothing; answers how many posts were removed. */
  readonly removeGroup: (
    workspaceId: WorkspaceId,
    groupId: GroupId
  ) => Effect.Effect<number, InvalidState | DatabaseUnavailable>
}

const unknownPost = new NotFound({ message: "There is no such post in this workspace" })

const inFlight = new InvalidState({
  message: "The post is being sent right now; try again when that attempt has ended"
})

const toDate = (time: DateTime.Utc | null) => (time === null ? null : DateTime.toDateUtc(time))

export const makePosts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = postColumns(sql)
  const decodePosts = Schema.decodeUnknownEffect(Schema.Array(PostRow))
  const wake = sql`SELECT pg_notify(${dueChannel}, '')`

  const read = (workspaceId: WorkspaceId, id: PostId) =>
    SqlSchema.findOne({
      Request: Schema.Void,
      Result: PostRow,
      execute: () =>
        sql`SELECT ${columns} FROM posts p WHERE p.workspace_id = ${workspaceId}::uuid AND p.id = ${id}::uuid`
    })(undefined).pipe(Effect.catchTag("NoSuchElementError", () => Effect.fail(unknownPost)))

  /** Reads a post for a decision and keeps it from changing until the transaction ends. */
  const lock = (workspaceId: WorkspaceId, id: PostId) =>
    SqlSchema.findOne({
      Request: Schema.Void,
      Result: StoredPostRow,
      execute: () =>
        sql`SELECT ${storedPostColumns(sql)} FROM posts p
          WHERE p.workspace_id = ${workspaceId}::uuid AND p.id = ${id}::uuid FOR UPDATE`
    })(undefined).pipe(Effect.catchTag("NoSuchElementError", () => Effect.fail(unknownPost)))

  const get: Posts["get"] = Effect.fn("Repo.posts.get")((workspaceId, id) =>
    read(workspaceId, id).pipe(orUnavailable("reading a post"))
  )

  const list: Posts["list"] = Effect.fn("Repo.posts.list")((workspaceId, query) =>
    sql`SELECT ${columns} FROM posts p WHERE ${sql.and([
      sql`p.workspace_id = ${workspaceId}::uuid`,
      ...(query.status === null ? [] : [sql`p.status = ${sql.literal(`'${query.status}'`)}`]),
      ...(query.before === null ? [] : [sql`p.id < ${query.before}::uuid`])
    ])} ORDER BY p.id DESC LIMIT ${query.limit}`.pipe(Effect.flatMap(decodePosts), orUnavailable("listing posts"))
  )

  const listGroup: Posts["listGroup"] = Effect.fn("Repo.posts.listGroup")((workspaceId, groupId) =>
    sql`SELECT ${columns} FROM posts p
      WHERE p.workspace_id = ${workspaceId}::uuid AND p.group_id = ${groupId}::uuid ORDER BY p.id DESC`.pipe(
      Effect.flatMap(decodePosts),
      orUnavailable("listing a group")
    )
  )

  const update: Posts["update"] = (workspaceId, id, decide) =>
    sql
      .withTransaction(
        Effect.gen(function* () {
          const change = yield* Effect.fromResult(decide(yield* lock(workspaceId, id)))
          const dueAt = change.status === "draft" ? null : toDate(change.scheduledAt)
          yield* sql`
        WITH post AS (
          UPDATE posts SET status = ${change.status}, content = ${change.content},
            scheduled_at = ${toDate(change.scheduledAt)}::timestamptz, tags = ${change.tags}::text[]
          WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid
        )
        UPDATE post_targets SET due_since = ${dueAt}::timestamptz, due_at = ${dueAt}::timestamptz,
          prepared = CASE WHEN sent_at IS NOT NULL THEN prepared END
        WHERE workspace_id = ${workspaceId}::uuid AND post_id = ${id}::uuid AND status = 'pending'`
          if (change.status === "scheduled" && isDueSoon(change.scheduledAt, yield* DateTime.now)) yield* wake
          return yield* read(workspaceId, id)
        })
      )
      .pipe(orUnavailable("updating a post"), Effect.withSpan("Repo.posts.update"))

  const publish: Posts["publish"] = (workspaceId, id, decide) =>
    sql
      .withTransaction(
        Effect.gen(function* () {
          yield* Effect.fromResult(decide(yield* lock(workspaceId, id)))
          const now = DateTime.toDateUtc(yield* DateTime.now)
          // A post that is due already keeps its time, so that the order can be repeated. After an unknown outcome the
          // prepared record stays, so that the next attempt looks for it before it sends.
          yield* sql`
        WITH post AS (
          UPDATE posts SET status = 'scheduled',
            scheduled_at = CASE WHEN status = 'scheduled' THEN least(scheduled_at, ${now}::timestamptz) ELSE ${now}::timestamptz END
          WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid
          RETURNING workspace_id, id, scheduled_at
        )
        UPDATE post_targets t SET status = 'pending', due_since = post.scheduled_at, due_at = post.scheduled_at, attempts = 0, looks = 0,
          prepared = CASE WHEN sent_at IS NOT NULL THEN prepared END,
          resend_ordered = sent_at IS NOT NULL,
          error_code = NULL, error_message = NULL, error_retryable = NULL
        FROM post WHERE t.workspace_id = post.workspace_id AND t.post_id = post.id AND t.status IN ('pending', 'failed')`
          yield* wake
          return yield* read(workspaceId, id)
        })
      )
      .pipe(orUnavailable("publishing a post"), Effect.withSpan("Repo.posts.publish"))

  const remove: Posts["remove"] = Effect.fn("Repo.posts.remove")((workspaceId, id) =>
    sql
      .withTransaction(
        Effect.gen(function* () {
          yield* lock(workspaceId, id)
          const removed = yield* sql`DELETE FROM posts p WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid
        AND NOT EXISTS (SELECT FROM post_targets t
          WHERE t.workspace_id = p.workspace_id AND t.post_id = p.id AND t.status = 'publishing') RETURNING id`
          if (removed.length === 0) return yield* inFlight
        })
      )
      .pipe(orUnavailable("deleting a post"))
  )

  const removeGroup: Posts["removeGroup"] = Effect.fn("Repo.posts.removeGroup")((workspaceId, groupId) =>
    sql
      .withTransaction(
        Effect.gen(function* () {
          const posts = yield* sql`SELECT id FROM posts
        WHERE workspace_id = ${workspaceId}::uuid AND group_id = ${groupId}::uuid ORDER BY id FOR UPDATE`.pipe(
            Effect.flatMap(Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: PostId }))))
          )
          // Of those alone that are locked: another may have been added and claimed since.
          const removed = yield* sql`DELETE FROM posts p
        WHERE workspace_id = ${workspaceId}::uuid AND id = ANY(${posts.map(({ id }) => id)}::uuid[])
        AND NOT EXISTS (SELECT FROM post_targets t
          WHERE t.workspace_id = p.workspace_id AND t.post_id = p.id AND t.status = 'publishing') RETURNING id`
          if (removed.length < posts.length) return yield* inFlight
          return removed.length
        })
      )
      .pipe(orUnavailable("deleting a group"))
  )

  return { create: yield* makeCreatePost, get, list, listGroup, update, publish, remove, removeGroup } satisfies Posts
})
