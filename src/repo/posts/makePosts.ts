import { DateTime, Effect, Equal, Predicate, Result, Schema } from "effect"
import { SqlClient, SqlSchema, type Statement } from "effect/sql"
import { InvalidState, NotFound } from "../../domain/errors.ts"
import { EventId, GroupId, nextEventId, PostId, WorkspaceId } from "../../domain/ids.ts"
import { LinkCard } from "../../domain/linkCard.ts"
import { PostMedia } from "../../domain/media.ts"
import { namedFiles, refreshMedia } from "../../domain/mediaPlan.ts"
import { PlatformOverrides, PlatformSettings } from "../../domain/platformSettings.ts"
import { isDueSoon } from "../../domain/pollInterval.ts"
import { startOf } from "../../domain/uploadPolicy.ts"
import { PostStatus } from "../../domain/post.ts"
import type { PostChange, StoredPost } from "../../domain/postPlan.ts"
import { recordDeletedPosts, recordPostChange } from "../events/postEvents.ts"
import { ReadClient } from "../postgres/database.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { NullableTimestamp, Timestamp } from "../postgres/rows.ts"
import { keepDeletedTargets } from "../targets/deletedTargets.ts"
import { dueChannel } from "../targets/dueChannel.ts"
import { makeCreatePost } from "./createPost.ts"
import { makeListPosts } from "./listPosts.ts"
import { hasUploads, heldUntil, makePostMedia } from "./postMedia.ts"
import type { Posts } from "./Posts.ts"
import {
  GuardedPostRow,
  guardedPostColumns,
  parsePost,
  postColumns,
  PostKey,
  PostRow,
  StoredPostRow,
  storedPostColumns,
  toPostJson
} from "./rows.ts"
import { makeSearchPosts } from "./searchPosts.ts"

const unknownPost = new NotFound({ message: "There is no such post in this workspace" })

const inFlight = new InvalidState({
  message: "The post is being sent right now; try again when that attempt has ended"
})

/**
 * Keeps the text of a post `p` that a process which the database does not know of may have sent: the next look of its target
 * `t` searches for it too, so that a change does not send the post again.
 */
const keepText = (sql: SqlClient.SqlClient) =>
  sql.literal(`CASE WHEN t.reconcile_from IS NOT NULL AND t.sent_at IS NULL
    THEN coalesce(t.reconcile_text, p.platform_overrides ->> t.platform, p.content) ELSE t.reconcile_text END`)

/** Whether a decision names another card than the one that is stored. */
const changesCard = (card: LinkCard | null | void, post: StoredPost): card is LinkCard | null =>
  card !== undefined && !Equal.equals(card, post.card ?? null)

const GroupKey = Schema.Struct({ workspaceId: WorkspaceId, groupId: GroupId })

const toPost = (row: typeof PostRow.Type) => parsePost(toPostJson(row).json)

const IdRow = Schema.Struct({ id: PostId })

export const makePosts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const shared = yield* ReadClient
  const columns = postColumns(sql)
  const postMedia = yield* makePostMedia

  const find = SqlSchema.findOne({
    Request: PostKey,
    Result: PostRow,
    execute: ({ id, workspaceId }) => shared`
      SELECT ${columns} FROM posts p WHERE p.workspace_id = ${workspaceId}::uuid AND p.id = ${id}::uuid`
  })

  const selectStored = ({ id, workspaceId }: typeof PostKey.Encoded) => sql`
    SELECT ${storedPostColumns(sql)} FROM posts p WHERE p.workspace_id = ${workspaceId}::uuid AND p.id = ${id}::uuid`

  const findStored = SqlSchema.findOne({ Request: PostKey, Result: StoredPostRow, execute: selectStored })

  const findForUpdate = SqlSchema.findOne({
    Request: PostKey,
    Result: StoredPostRow,
    execute: (key) => sql`${selectStored(key)} FOR UPDATE`
  })

  /**
   * The end of a statement that has changed a post in `post` and its targets in `changed`: reads the post as it is then. The
   * tables show it as it was before the statement.
   */
  const readChanged = ({ id, workspaceId }: typeof PostKey.Encoded, wakes: boolean) => sql`
    , targets AS (
      SELECT * FROM changed
      UNION ALL
      SELECT * FROM post_targets t WHERE workspace_id = ${workspaceId}::uuid AND post_id = ${id}::uuid
        AND NOT EXISTS (SELECT FROM changed c WHERE c.id = t.id)
    )
    SELECT ${postColumns(sql, "targets")}, EXISTS (SELECT FROM post) AS changed,
      (SELECT pg_notify(${dueChannel}, '') WHERE ${wakes}::boolean) AS woken FROM (
      SELECT * FROM post
      UNION ALL
      SELECT * FROM posts WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid AND NOT EXISTS (SELECT FROM post)
    ) p`

  const readBy = (findBy: typeof findStored) => (key: PostKey) =>
    Effect.catchTag(findBy(key), "NoSuchElementError", () => Effect.fail(unknownPost))

  /** Reads a post to decide on: what is written then has to find it as it was read, or it is locked until the transaction ends. */
  const read = readBy(findStored)
  const lock = readBy(findForUpdate)

  // Not Effect.fn, here and where else every request passes: it records the stack of each call.
  const getSpan = Effect.withSpan("Repo.posts.get")
  const getJson: Posts["getJson"] = (workspaceId, id) =>
    find({ workspaceId, id }).pipe(
      Effect.catchTag("NoSuchElementError", () => Effect.fail(unknownPost)),
      Effect.map(toPostJson),
      withDatabaseTimeout("reading a post"),
      getSpan
    )

  const get: Posts["get"] = (workspaceId, id) => Effect.map(getJson(workspaceId, id), ({ json }) => parsePost(json))

  /** When a target `t` falls due, by the post's time: with media it is held until its files are uploaded, unless it was sent before. */
  const dueTime = (hasMedia: boolean, time: Statement.Fragment, isUploaded = sql.literal("false")) =>
    hasMedia
      ? sql`CASE WHEN t.sent_at IS NOT NULL OR ${isUploaded} THEN ${time} ELSE ${heldUntil(sql, time)} END`
      : time

  const writeChange = SqlSchema.findOne({
    Request: Schema.Struct({
      ...PostKey.fields,
      status: PostStatus,
      content: Schema.String,
      scheduledAt: NullableTimestamp,
      tags: Schema.Array(Schema.String),
      /** Null where they stay as they are stored. */
      overrides: Schema.NullOr(Schema.fromJsonString(PlatformOverrides)),
      settings: Schema.NullOr(Schema.fromJsonString(PlatformSettings)),
      media: Schema.NullOr(Schema.fromJsonString(Schema.Array(PostMedia))),
      hasMedia: Schema.Boolean,
      card: Schema.NullOr(Schema.fromJsonString(LinkCard)),
      setsCard: Schema.Boolean,
      revision: Schema.Int,
      dueAt: NullableTimestamp,
      eventId: EventId,
      now: Timestamp,
      wakes: Schema.Boolean
    }),
    Result: PostRow,
    execute: ({
      card,
      content,
      dueAt,
      eventId,
      hasMedia,
      id,
      media,
      now,
      overrides,
      revision,
      scheduledAt,
      setsCard,
      settings,
      status,
      tags,
      wakes,
      workspaceId
    }) => sql`
      WITH post AS (
        UPDATE posts SET status = ${status}, content = ${content}, scheduled_at = ${scheduledAt}::timestamptz,
          tags = ${tags}::text[], revision = ${revision}::int,
          platform_overrides = coalesce(${overrides}::jsonb, platform_overrides),
          platform_settings = coalesce(${settings}::jsonb, platform_settings), media = coalesce(${media}::jsonb, media),
          card = CASE WHEN ${setsCard}::boolean THEN ${card}::jsonb ELSE card END
        WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid
        RETURNING *
      ), ${recordPostChange(sql, eventId, now)}, changed AS (
        -- Reads the post as it was before the change: that text may have gone out.
        UPDATE post_targets t SET due_since = ${dueAt}::timestamptz, due_at = ${dueTime(hasMedia, sql`${dueAt}::timestamptz`)},
          prepared = CASE WHEN t.sent_at IS NOT NULL THEN t.prepared END, reconcile_text = ${keepText(sql)}
        FROM posts p WHERE p.workspace_id = ${workspaceId}::uuid AND p.id = ${id}::uuid
          AND t.workspace_id = p.workspace_id AND t.post_id = p.id AND t.status = 'pending'
        RETURNING t.*
      )${readChanged({ id, workspaceId }, wakes)}`
  })

  /** Makes the links and the uploads of a post those of its change. */
  const followMedia = Effect.fnUntraced(function* (key: PostKey, { media, status }: PostChange) {
    yield* postMedia.link({ ...key, ids: media.map((file) => file.id) })
    yield* postMedia.cancelUploads(key)
    if (status === "scheduled") yield* postMedia.orderUploads(key)
  })

  const update: Posts["update"] = (workspaceId, id, decide, files) =>
    sql
      .withTransaction(
        Effect.gen(function* () {
          const post = yield* lock({ workspaceId, id })
          const library = yield* postMedia.lockMedia(workspaceId, files ?? namedFiles(post.media))
          const change = yield* Effect.fromResult(decide(post, library))
          const { media, scheduledAt, status } = change
          const now = yield* DateTime.now
          const changed = yield* writeChange({
            ...change,
            card: change.card ?? null,
            setsCard: change.card !== undefined,
            overrides: Equal.equals(change.overrides, post.overrides) ? null : change.overrides,
            settings: Equal.equals(change.settings, post.settings) ? null : change.settings,
            media: Equal.equals(media, post.media) ? null : media,
            hasMedia: media.length > 0,
            workspaceId,
            id,
            dueAt: status === "draft" ? null : scheduledAt,
            eventId: yield* nextEventId,
            now,
            wakes: status === "scheduled" && isDueSoon(startOf(change), now)
          })
          if (media.length > 0 || post.media.length > 0) yield* followMedia({ workspaceId, id }, change)
          return toPost(changed)
        })
      )
      .pipe(
        Effect.catchTag("NoSuchElementError", Effect.die),
        withDatabaseTimeout("updating a post"),
        Effect.withSpan("Repo.posts.update")
      )

  // A post that is due already keeps its time, so that the order is idempotent. After an unknown outcome `prepared` stays,
  // so that the next attempt reconciles before it sends. A post that is being published stays as it stands.
  const makeDue = SqlSchema.findOne({
    Request: Schema.Struct({
      ...PostKey.fields,
      status: PostStatus,
      revision: Schema.Int,
      eventId: EventId,
      now: Timestamp,
      hasMedia: Schema.Boolean
    }),
    Result: Schema.Struct({ ...PostRow.fields, changed: Schema.Boolean }),
    execute: ({ eventId, hasMedia, id, now, revision, status, workspaceId }) => sql`
      WITH post AS (
        UPDATE posts SET status = 'scheduled', scheduled_at = due.at,
          revision = revision + (scheduled_at IS DISTINCT FROM due.at)::int
        FROM (SELECT CASE WHEN status = 'scheduled' THEN least(scheduled_at, ${now}::timestamptz)
          ELSE ${now}::timestamptz END AS at FROM posts
          WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid AND status <> 'publishing') due
        WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid
          AND status = ${status} AND revision = ${revision}::int
        RETURNING posts.*
      ), ${recordPostChange(sql, eventId, now)}, changed AS (
        UPDATE post_targets t SET status = 'pending', due_since = p.scheduled_at,
          due_at = ${dueTime(hasMedia, sql.literal("p.scheduled_at"), hasUploads(sql))},
          reconcile_text = ${keepText(sql)},
          attempts = 0, looks = 0, resend_ordered = sent_at IS NOT NULL,
          prepared = CASE WHEN sent_at IS NOT NULL OR ${hasUploads(sql)} THEN prepared END,
          error_code = NULL, error_message = NULL, error_retryable = NULL
        FROM post p WHERE t.workspace_id = p.workspace_id AND t.post_id = p.id AND t.status IN ('pending', 'failed')
        RETURNING t.*
      )${readChanged({ id, workspaceId }, true)}`
  })

  const storeCard = SqlSchema.void({
    Request: Schema.Struct({ ...PostKey.fields, card: Schema.NullOr(Schema.fromJsonString(LinkCard)) }),
    execute: ({ card, id, workspaceId }) => sql`
      UPDATE posts SET card = ${card}::jsonb WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid`
  })

  const storeMedia = SqlSchema.void({
    Request: Schema.Struct({ ...PostKey.fields, media: Schema.fromJsonString(Schema.Array(PostMedia)) }),
    execute: ({ id, media, workspaceId }) => sql`
      UPDATE posts SET media = ${media}::jsonb WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid`
  })

  // Without a transaction first, in half the round trips. With one if the post has media, which is locked, or another card, or
  // has changed since, or is being published.
  const publish: Posts["publish"] = (workspaceId, id, decide) => {
    const key = { workspaceId, id }
    const writeDue = Effect.fnUntraced(function* ({ media, revision, status }: StoredPost) {
      const eventId = yield* nextEventId
      return yield* makeDue({ ...key, revision, status, eventId, now: yield* DateTime.now, hasMedia: media.length > 0 })
    })
    const unlocked = Effect.gen(function* () {
      const post = yield* read(key)
      if (post.media.length > 0) return undefined
      const card = yield* Effect.fromResult(decide(post, []))
      if (changesCard(card, post)) return undefined
      const due = yield* writeDue(post)
      return due.changed ? due : undefined
    })
    const locked = Effect.gen(function* () {
      const post = yield* lock(key)
      const library = yield* postMedia.lockMedia(workspaceId, namedFiles(post.media))
      const card = yield* Effect.fromResult(decide(post, library))
      if (changesCard(card, post)) yield* storeCard({ ...key, card })
      const media = refreshMedia(post.media, library)
      if (!Equal.equals(media, post.media)) yield* storeMedia({ ...key, media })
      const due = yield* writeDue(post)
      if (media.length > 0) yield* postMedia.orderUploads(key)
      return due
    })
    return unlocked.pipe(
      Effect.catchTag("NoSuchElementError", () => Effect.undefined),
      Effect.filterOrElse(Predicate.isNotUndefined, () => sql.withTransaction(locked)),
      Effect.map(toPost),
      Effect.catchTag("NoSuchElementError", Effect.die),
      withDatabaseTimeout("publishing a post"),
      Effect.withSpan("Repo.posts.publish")
    )
  }

  const markRequested = SqlSchema.findAll({
    Request: PostKey,
    Result: IdRow,
    execute: ({ id, workspaceId }) => sql`
      UPDATE posts SET approval_requested_revision = revision
      WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid AND status = 'draft'
        AND approval_requested_revision IS DISTINCT FROM revision RETURNING id`
  })

  const requestApproval: Posts["requestApproval"] = Effect.fn("Repo.posts.requestApproval")((workspaceId, id) =>
    Effect.map(markRequested({ workspaceId, id }), (marked) => marked.length > 0).pipe(
      withDatabaseTimeout("requesting approval")
    )
  )

  // Not prepared: a plan from when there were few posts would read all targets.
  const deletePosts = SqlSchema.findAll({
    Request: Schema.Struct({
      workspaceId: WorkspaceId,
      ids: Schema.Array(PostId),
      eventIds: Schema.Array(EventId),
      now: Timestamp
    }),
    Result: IdRow,
    execute: ({ eventIds, ids, now, workspaceId }) =>
      sql`
      WITH removed AS (
        DELETE FROM posts p WHERE workspace_id = ${workspaceId}::uuid AND id = ANY(${ids}::uuid[])
          AND NOT EXISTS (SELECT FROM post_targets t
            WHERE t.workspace_id = p.workspace_id AND t.post_id = p.id AND t.status = 'publishing')
        RETURNING workspace_id, id, content, platform_overrides
      ), kept AS (${keepDeletedTargets(sql, now)}), ${recordDeletedPosts(sql, ids, eventIds, now)}
      SELECT id FROM removed`.unprepared
  })

  const remove: Posts["remove"] = (workspaceId, id, decide = () => Result.void) =>
    sql
      .withTransaction(
        Effect.gen(function* () {
          yield* Effect.fromResult(decide(yield* lock({ workspaceId, id })))
          const removed = yield* deletePosts({
            workspaceId,
            ids: [id],
            eventIds: [yield* nextEventId],
            now: yield* DateTime.now
          })
          if (removed.length === 0) return yield* inFlight
        })
      )
      .pipe(withDatabaseTimeout("deleting a post"), Effect.withSpan("Repo.posts.remove"))

  const lockGroup = SqlSchema.findAll({
    Request: GroupKey,
    Result: GuardedPostRow,
    execute: ({ groupId, workspaceId }) => sql`
      SELECT ${guardedPostColumns(sql)} FROM posts WHERE workspace_id = ${workspaceId}::uuid AND group_id = ${groupId}::uuid
      ORDER BY id FOR UPDATE`
  })

  const removeGroup: Posts["removeGroup"] = (workspaceId, groupId, decide = () => Result.void) =>
    sql
      .withTransaction(
        Effect.gen(function* () {
          const posts = yield* lockGroup({ workspaceId, groupId })
          yield* Effect.forEach(posts, (post) => Effect.fromResult(decide(post)), { discard: true })
          // Deletes by id and not by group: another post may have been added to it and claimed since the lock.
          const removed = yield* deletePosts({
            workspaceId,
            ids: posts.map(({ id }) => id),
            eventIds: yield* Effect.forEach(posts, () => nextEventId),
            now: yield* DateTime.now
          })
          if (removed.length < posts.length) return yield* inFlight
          return removed.length
        })
      )
      .pipe(withDatabaseTimeout("deleting a group"), Effect.withSpan("Repo.posts.removeGroup"))

  return {
    create: yield* makeCreatePost,
    get,
    getJson,
    lockMedia: postMedia.lockMedia,
    ...(yield* makeListPosts),
    search: yield* makeSearchPosts(),
    update,
    publish,
    requestApproval,
    remove,
    removeGroup
  } satisfies Posts
})
