import { DateTime, Effect, Equal, Predicate, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { EventId, nextEventId } from "../../domain/ids.ts"
import { LinkCard } from "../../domain/posts/linkCard.ts"
import { PostMedia } from "../../domain/media/media.ts"
import { namedFiles, refreshMedia } from "../../domain/media/mediaPlan.ts"
import { Platform } from "../../domain/platform.ts"
import { PostStatus } from "../../domain/posts/post.ts"
import type { StoredPost } from "../../domain/posts/postPlan.ts"
import { looksBeforeResend } from "../../domain/publishing/retryPolicy.ts"
import type { PostLookups } from "../../domain/posts/lookups.ts"
import { PlatformSettings } from "../../domain/posts/platformSettings.ts"
import { Thread, threadMedia } from "../../domain/posts/thread.ts"
import { refreshThread } from "../../domain/posts/threadPlan.ts"
import { recordPostChange } from "../events/postEvents.ts"
import { ByAuthority, byAuthority, heldRight, makeAuthority } from "../people/authority.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { isSubmitted } from "../../domain/posts/approval.ts"
import { Timestamp } from "../postgres/rows.ts"
import type { DueHere } from "../targets/dueChannel.ts"
import { hasUploads, makePostMedia } from "./postMedia.ts"
import { makeDecisions } from "./decisions.ts"
import type { Posts } from "./Posts.ts"
import { parsePost, PostKey, PostRow, toPostJson } from "./rows.ts"
import { dueTime, keepText, makeStoredPosts, readChanged } from "./storedPosts.ts"

const changesLookups = (
  lookups: PostLookups | void,
  { card = null, settings, thread }: StoredPost
): lookups is PostLookups => lookups !== undefined && !Equal.equals(lookups, { card, settings, thread })

export const makePublishPost = Effect.fnUntraced(function* (dueHere: DueHere) {
  const sql = yield* SqlClient.SqlClient
  const { lock, read } = yield* makeStoredPosts
  const { hold } = yield* makeAuthority
  const postMedia = yield* makePostMedia
  const { approveByScheduling } = yield* makeDecisions

  // A target that is already due keeps its time, so that the order is idempotent. A post that failed keeps its planned
  // time. After an unknown outcome `prepared` stays, so that the next attempt first reconciles. A post that is being
  // published does not change, except for the platform that `platform` names.
  const dueSince = sql.literal("least(CASE WHEN t.status = 'pending' THEN t.due_since END, (SELECT now FROM moment))")
  const makeDue = SqlSchema.findOne({
    Request: Schema.Struct({
      ...PostKey.fields,
      status: PostStatus,
      revision: Schema.Int,
      platform: Schema.NullOr(Platform),
      /** True if no approval can have been requested since the post was read. */
      isLocked: Schema.Boolean,
      eventId: EventId,
      ...ByAuthority.fields,
      now: Timestamp,
      hasMedia: Schema.Boolean
    }),
    Result: Schema.Struct({ ...PostRow.fields, changed: Schema.Boolean }),
    execute: ({ eventId, hasMedia, id, isLocked, now, platform, revision, status, workspaceId, ...by }) => {
      const right = heldRight(sql, { ...by, workspaceId, now })
      return sql`
      WITH ${right.rows}, moment AS MATERIALIZED (
        -- Never ahead of the database's clock, by which the post is due.
        SELECT least(${now}::timestamptz, clock_timestamp()) AS now
      ), post AS (
        UPDATE posts SET status = CASE WHEN status = 'publishing' THEN status ELSE 'scheduled' END, scheduled_at = due.at,
          -- Also if the time stays, so that who has read the post before the order can't order it again.
          revision = revision + (status IN ('failed', 'publishing') OR scheduled_at IS DISTINCT FROM due.at)::int,
          thread_changes = thread_changes + (thread <> '[]')::int
        FROM (SELECT least(CASE WHEN status <> 'draft' THEN scheduled_at END, moment.now) AS at FROM moment CROSS JOIN posts
          WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid
            AND (status <> 'publishing' OR ${platform}::text IS NOT NULL)) due
        WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid
          AND status = ${status} AND revision = ${revision}::int
          AND (${isLocked}::boolean OR status <> 'draft' OR approval_requested_revision IS NULL) AND ${right.holds}
        RETURNING posts.*
      ), ${recordPostChange(sql, eventId, now, by)}, changed AS (
        UPDATE post_targets t SET status = 'pending', due_since = ${dueSince},
          due_at = ${dueTime(sql, hasMedia, dueSince, hasUploads(sql))},
          reconcile_text = ${keepText(sql)},
          -- The person who orders this has looked, so that one look of the service is enough.
          attempts = 0, looks = CASE WHEN sent_at IS NULL THEN 0 ELSE ${looksBeforeResend - 1}::int END, resend_ordered = sent_at IS NOT NULL,
          prepared = CASE WHEN sent_at IS NOT NULL OR ${hasUploads(sql)} THEN prepared END,
          part_uploads = CASE WHEN sent_at IS NOT NULL OR ${hasUploads(sql)} THEN part_uploads END,
          processing_since = NULL, error_code = NULL, error_message = NULL, error_retryable = NULL
        -- By the post's id, so that no plan begins with all targets of the platform.
        FROM post p WHERE t.workspace_id = ${workspaceId}::uuid AND t.post_id = ${id}::uuid AND t.status IN ('pending', 'failed')
          AND t.copied_to IS NULL AND (${platform}::text IS NULL OR t.platform = ${platform} AND t.status = 'failed')
        RETURNING t.*
      )${readChanged(sql, { id, workspaceId }, true, hasMedia ? "" : dueHere.payload)}`
    }
  })

  const storeRefreshed = SqlSchema.void({
    Request: Schema.Struct({
      ...PostKey.fields,
      card: Schema.NullOr(Schema.fromJsonString(LinkCard)),
      /** Null if they stay. */
      settings: Schema.NullOr(Schema.fromJsonString(PlatformSettings)),
      media: Schema.fromJsonString(Schema.Array(PostMedia)),
      thread: Schema.fromJsonString(Thread)
    }),
    execute: ({ card, id, media, settings, thread, workspaceId }) => sql`
      UPDATE posts SET card = ${card}::jsonb, media = ${media}::jsonb, thread = ${thread}::jsonb,
        platform_settings = coalesce(${settings}::jsonb, platform_settings)
      WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid`
  })

  // Tries without a transaction first, in half the round trips. A transaction follows if the post has media to lock,
  // has another card or picture, was submitted for approval, has failed (a copy may take over its targets), has changed
  // since, or is being published.
  const publish: Posts["publish"] = (workspaceId, id, decide, by, platform) => {
    const key = { workspaceId, id }
    const writeDue = Effect.fnUntraced(function* (post: StoredPost, now: DateTime.Utc, isLocked: boolean) {
      const { revision, status } = post
      const eventId = yield* nextEventId
      const hasMedia = threadMedia(post).length > 0
      const due = yield* makeDue({
        ...key,
        revision,
        status,
        platform: platform ?? null,
        isLocked,
        eventId,
        ...byAuthority(by),
        now,
        hasMedia
      })
      if (due.changed && !hasMedia) yield* sql.afterCommit(dueHere.tell)
      return due
    })
    const unlocked = Effect.gen(function* () {
      if (platform !== undefined) return undefined
      const post = yield* read(key)
      if (threadMedia(post).length > 0 || isSubmitted(post) || post.status === "failed") return undefined
      const lookups = yield* Effect.fromResult(decide(post, []))
      if (changesLookups(lookups, post)) return undefined
      const due = yield* writeDue(post, yield* DateTime.now, false)
      return due.changed ? due : undefined
    })
    const locked = Effect.gen(function* () {
      const post = yield* lock(key)
      const library = yield* postMedia.lockMedia(workspaceId, namedFiles(threadMedia(post)))
      const lookups = yield* Effect.fromResult(decide(post, library))
      const stored = { card: post.card ?? null, media: post.media, settings: null, thread: post.thread }
      const { card, settings, thread: carded } = lookups ?? { ...post, card: stored.card }
      const refreshed = {
        card,
        media: refreshMedia(post.media, library),
        settings: Equal.equals(settings, post.settings) ? null : settings,
        thread: refreshThread(carded, library)
      }
      if (!Equal.equals(refreshed, stored)) yield* storeRefreshed({ ...key, ...refreshed })
      const now = yield* DateTime.now
      const revision = post.revision + (Equal.equals(post.scheduledAt, now) ? 0 : 1)
      yield* approveByScheduling(key, post, { ...post, revision }, by?.author)
      const due = yield* writeDue(post, now, true)
      if (!due.changed) yield* hold(by)
      if (threadMedia(refreshed).length > 0) yield* postMedia.orderUploads(key, "now")
      return due
    })
    return unlocked.pipe(
      Effect.catchTag("NoSuchElementError", () => Effect.undefined),
      Effect.filterOrElse(Predicate.isNotUndefined, () => sql.withTransaction(locked)),
      Effect.map((row) => parsePost(toPostJson(row).json)),
      Effect.catchTag("NoSuchElementError", Effect.die),
      withDatabaseTimeout("publishing a post"),
      Effect.withSpan("Repo.posts.publish")
    )
  }

  return publish
})
