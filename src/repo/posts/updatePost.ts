import { DateTime, Effect, Equal, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { EventId, nextEventId } from "../../domain/ids.ts"
import { LinkCard } from "../../domain/posts/linkCard.ts"
import { PostMedia } from "../../domain/media/media.ts"
import { namedFiles } from "../../domain/media/mediaPlan.ts"
import { PlatformOverrides, PlatformSettings } from "../../domain/posts/platformSettings.ts"
import { detailsOfChange } from "../../domain/posts/changeDetails.ts"
import { EventDetails } from "../../domain/webhooks/eventDetails.ts"
import { isDueSoon } from "../../domain/pollInterval.ts"
import { PostStatus } from "../../domain/posts/post.ts"
import { isSameTime, type PostChange, type StoredPost } from "../../domain/posts/postPlan.ts"
import { hasSameFiles, Thread, threadMedia } from "../../domain/posts/thread.ts"
import { startOf } from "../../domain/publishing/uploadPolicy.ts"
import { recordPostChange } from "../events/postEvents.ts"
import { ByAuthority, byAuthority, heldRight, makeAuthority } from "../people/authority.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { NullableTimestamp, Timestamp } from "../postgres/rows.ts"
import { hasUploads, makePostMedia } from "./postMedia.ts"
import { makeDecisions } from "./decisions.ts"
import type { ChangeOptions, DecideChange, Posts } from "./Posts.ts"
import { makePostTargets } from "./postTargets.ts"
import { makeRenewRequest } from "./renewRequest.ts"
import { parsePost, PostKey, PostRow, toPostJson } from "./rows.ts"
import { dueTime, keepText, makeStoredPosts, readChanged } from "./storedPosts.ts"

interface Update<E, E2> extends ChangeOptions<E> {
  readonly decide: DecideChange<E>
  /** Runs before the change is written. */
  readonly alongside?: (change: PostChange, before: StoredPost) => Effect.Effect<unknown, E2>
}

const alone = () => Effect.void

/** Platforms may forget a file within a day, so a post that is moved far ahead uploads its files again. */
const isBegun = (startsAt: DateTime.Utc | null, now: DateTime.Utc) =>
  startsAt !== null && DateTime.isLessThanOrEqualTo(startsAt, now)

const renewed = (details: EventDetails): EventDetails => ({ ...details, approval_renewed: true })

export const makeUpdatePost = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { lock } = yield* makeStoredPosts
  const { approveByScheduling } = yield* makeDecisions
  const { hold } = yield* makeAuthority
  const postMedia = yield* makePostMedia
  const { changePlatforms, lockAccounts } = yield* makePostTargets
  const renewRequest = yield* makeRenewRequest

  const writeChange = SqlSchema.findOne({
    Request: Schema.Struct({
      ...PostKey.fields,
      status: PostStatus,
      content: Schema.String,
      scheduledAt: NullableTimestamp,
      tags: Schema.Array(Schema.String),
      /** Null leaves the stored value. */
      overrides: Schema.NullOr(Schema.fromJsonString(PlatformOverrides)),
      settings: Schema.NullOr(Schema.fromJsonString(PlatformSettings)),
      media: Schema.NullOr(Schema.fromJsonString(Schema.Array(PostMedia))),
      hasMedia: Schema.Boolean,
      thread: Schema.NullOr(Schema.fromJsonString(Thread)),
      card: Schema.NullOr(Schema.fromJsonString(LinkCard)),
      setsCard: Schema.Boolean,
      revision: Schema.Int,
      dueAt: NullableTimestamp,
      keepsUploads: Schema.Boolean,
      keepsTime: Schema.Boolean,
      /** Null leaves the slot that the post holds. The database frees it if the post gets another time. */
      slotAt: NullableTimestamp,
      eventId: EventId,
      details: Schema.fromJsonString(EventDetails),
      ...ByAuthority.fields,
      now: Timestamp,
      wakes: Schema.Boolean
    }),
    Result: Schema.Struct({ ...PostRow.fields, changed: Schema.Boolean }),
    execute: (change) => {
      const right = heldRight(sql, change)
      const isUploaded = sql`(${change.keepsUploads}::boolean AND ${hasUploads(sql)})`
      return sql`
      WITH ${right.rows}, post AS (
        UPDATE posts SET status = ${change.status}, content = ${change.content}, scheduled_at = ${change.scheduledAt}::timestamptz,
          slot_at = coalesce(${change.slotAt}::timestamptz, slot_at), tags = ${change.tags}::text[], revision = ${change.revision}::int,
          platform_overrides = coalesce(${change.overrides}::jsonb, platform_overrides),
          platform_settings = coalesce(${change.settings}::jsonb, platform_settings), media = coalesce(${change.media}::jsonb, media),
          card = CASE WHEN ${change.setsCard}::boolean THEN ${change.card}::jsonb ELSE card END,
          thread = coalesce(${change.thread}::jsonb, thread), thread_changes = thread_changes + (thread <> '[]')::int
        WHERE workspace_id = ${change.workspaceId}::uuid AND id = ${change.id}::uuid AND ${right.holds}
        RETURNING *
      ), ${recordPostChange(sql, change.eventId, change.now, change, change.details)}, changed AS (
        -- Reads the post as it was before the change: that text may have gone out.
        UPDATE post_targets t SET due_since = due.at, due_at = ${dueTime(sql, change.hasMedia, sql.literal("due.at"), isUploaded)},
          prepared = CASE WHEN t.sent_at IS NOT NULL OR ${isUploaded} THEN t.prepared END,
          processing_since = CASE WHEN t.sent_at IS NOT NULL THEN t.processing_since END,
          part_uploads = CASE WHEN t.sent_at IS NOT NULL OR ${isUploaded} THEN t.part_uploads END, reconcile_text = ${keepText(sql)}
        FROM posts p CROSS JOIN LATERAL (
          -- If what failed is sent later than the post's time, a change that keeps that time keeps the later one.
          SELECT coalesce(CASE WHEN ${change.keepsTime}::boolean THEN (
            SELECT max(own.due_since) FROM post_targets own WHERE own.workspace_id = ${change.workspaceId}::uuid AND own.post_id = ${change.id}::uuid
              AND own.status = 'pending') END, ${change.dueAt}::timestamptz) AS at OFFSET 0) due
        WHERE p.workspace_id = ${change.workspaceId}::uuid AND p.id = ${change.id}::uuid
          AND t.workspace_id = p.workspace_id AND t.post_id = p.id AND t.status = 'pending'
        RETURNING t.*
      )${readChanged(sql, change, change.wakes)}`
    }
  })

  const holdSlot = SqlSchema.void({
    Request: Schema.Struct({ ...PostKey.fields, slotAt: Timestamp }),
    execute: ({ id, slotAt, workspaceId }) => sql`
      UPDATE posts SET slot_at = ${slotAt}::timestamptz WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid`
  })

  const followMedia = Effect.fnUntraced(function* (
    key: PostKey,
    { media, status, thread }: PostChange,
    keepsUploads: boolean
  ) {
    yield* postMedia.link({ ...key, ids: namedFiles(threadMedia({ media, thread })) })
    if (!keepsUploads) yield* postMedia.cancelUploads(key)
    if (status === "scheduled") yield* postMedia.orderUploads(key, "at its time")
  })

  const write = Effect.fnUntraced(function* <E, E2 = never>(
    key: PostKey,
    { alongside = alone, by, changesPlatforms = false, decide, filesAfter, findSlot }: Update<E, E2>
  ) {
    if (changesPlatforms) yield* lockAccounts(key)
    const post = yield* lock(key)
    const library = yield* postMedia.lockMedia(key.workspaceId, filesAfter?.(post) ?? namedFiles(threadMedia(post)))
    const slotAt = findSlot === undefined ? undefined : yield* findSlot(post)
    const change = yield* Effect.fromResult(decide(post, library, slotAt))
    yield* alongside(change, post)
    const isRenewed = yield* renewRequest(key, post, change)
    yield* changePlatforms(key, post.platforms, change.platforms)
    const { media, scheduledAt, status, thread } = change
    const hasMedia = threadMedia(change).length > 0
    const now = yield* DateTime.now
    const startsAt = startOf({ media: threadMedia(change), scheduledAt })
    const keepsUploads =
      status === "scheduled" && post.status === "scheduled" && hasSameFiles(post, change) && isBegun(startsAt, now)
    const details = detailsOfChange(post, change, by?.author)
    const changed = yield* writeChange({
      ...change,
      card: change.card ?? null,
      setsCard: change.card !== undefined,
      overrides: Equal.equals(change.overrides, post.overrides) ? null : change.overrides,
      settings: Equal.equals(change.settings, post.settings) ? null : change.settings,
      media: Equal.equals(media, post.media) ? null : media,
      hasMedia,
      thread: Equal.equals(thread, post.thread) ? null : thread,
      ...key,
      dueAt: status === "draft" ? null : scheduledAt,
      keepsUploads,
      keepsTime: status === "scheduled" && post.status === "scheduled" && isSameTime(scheduledAt, post.scheduledAt),
      slotAt: slotAt ?? null,
      eventId: yield* nextEventId,
      details: isRenewed ? renewed(details) : details,
      ...byAuthority(by),
      now,
      wakes: status === "scheduled" && isDueSoon(startsAt, now)
    })
    if (!changed.changed) {
      yield* hold(by)
      return yield* Effect.die("The right to change a post was lost and given back at this moment")
    }
    // The database has freed the slot of an unscheduled post, even if it is the one that the post takes.
    if (slotAt !== undefined && status === "draft" && post.status === "scheduled") yield* holdSlot({ ...key, slotAt })
    if (hasMedia || threadMedia(post).length > 0) yield* followMedia(key, change, keepsUploads)
    return parsePost(toPostJson(changed).json)
  })

  const update: Posts["update"] = (workspaceId, id, decide, options) =>
    sql
      .withTransaction(
        write(
          { workspaceId, id },
          {
            ...options,
            decide,
            alongside: (change, before) =>
              change.status === "scheduled"
                ? approveByScheduling({ workspaceId, id }, before, change, options?.by?.author)
                : Effect.void
          }
        )
      )
      .pipe(
        Effect.catchTag("NoSuchElementError", Effect.die),
        withDatabaseTimeout("updating a post"),
        Effect.withSpan("Repo.posts.update")
      )

  return { update, write }
})
