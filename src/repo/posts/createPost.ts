import { DateTime, Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { InvalidRequest } from "../../domain/errors.ts"
import { EventId, GroupId, MediaId, nextEventId, nextPostId, PostId, WorkspaceId } from "../../domain/ids.ts"
import { LinkCard } from "../../domain/posts/linkCard.ts"
import { PostMedia } from "../../domain/media/media.ts"
import { namedFiles } from "../../domain/media/mediaPlan.ts"
import { Platform } from "../../domain/platform.ts"
import type { Authority } from "../../domain/people/authority.ts"
import { PlatformOverrides, PlatformSettings } from "../../domain/posts/platformSettings.ts"
import { isDueSoon } from "../../domain/pollInterval.ts"
import { PostStatus } from "../../domain/posts/post.ts"
import { Thread, threadMedia } from "../../domain/posts/thread.ts"
import { firstRevision } from "../../domain/posts/postPlan.ts"
import { explainFullGroup, maxGroupPosts } from "../../domain/posts/postSize.ts"
import { startOf, uploadLead } from "../../domain/publishing/uploadPolicy.ts"
import { makeIdempotency } from "../idempotency.ts"
import { recordPostChange } from "../events/postEvents.ts"
import { ByAuthority, byAuthority, heldRight, makeAuthority } from "../people/authority.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { NullableTimestamp, Timestamp } from "../postgres/rows.ts"
import { dueChannel } from "../targets/dueChannel.ts"
import { heldUntil } from "./postMedia.ts"
import { makeCreateBatchedPost } from "./batchedPosts.ts"
import type { CreatedPost, Posts } from "./Posts.ts"
import { connectedAccounts, makeRequireConnected, NewTargets, newTargets } from "./postTargets.ts"

const NewPost = Schema.Struct({
  id: PostId,
  workspaceId: WorkspaceId,
  groupId: Schema.NullOr(GroupId),
  status: PostStatus,
  content: Schema.String,
  scheduledAt: NullableTimestamp,
  tags: Schema.Array(Schema.String),
  overrides: Schema.fromJsonString(PlatformOverrides),
  settings: Schema.fromJsonString(PlatformSettings),
  media: Schema.fromJsonString(Schema.Array(PostMedia)),
  mediaIds: Schema.Array(MediaId),
  thread: Schema.fromJsonString(Thread),
  card: Schema.NullOr(Schema.fromJsonString(LinkCard)),
  createdAt: Timestamp,
  ...ByAuthority.fields,
  ...NewTargets.fields,
  dueAt: NullableTimestamp,
  slotAt: NullableTimestamp,
  eventId: EventId,
  wakes: Schema.Boolean
})

const groupIsFull = InvalidRequest.because({ path: ["group_id"], message: explainFullGroup })

export const makeCreatePost = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { hold } = yield* makeAuthority
  const { once, useOf } = yield* makeIdempotency
  const createBatched = yield* makeCreateBatchedPost
  const requireConnected = yield* makeRequireConnected

  /** Orders uploads if the post is scheduled. */
  const storeMedia = ({ createdAt, mediaIds }: typeof NewPost.Encoded) => sql`, files AS (
        INSERT INTO post_media (workspace_id, post_id, media_id, position)
        SELECT post.workspace_id, post.id, file.id, file.position
        FROM post CROSS JOIN unnest(${mediaIds}::uuid[]) WITH ORDINALITY AS file(id, position)
      ), uploads AS (
        INSERT INTO post_target_uploads (workspace_id, target_id, status, start_at, next_at, revision)
        SELECT t.workspace_id, t.id, 'waiting', start.at, greatest(start.at, least(${createdAt}::timestamptz, clock_timestamp())), ${firstRevision}::int
        FROM targets t CROSS JOIN LATERAL (SELECT t.due_since - ${uploadLead}::int * interval '1 second' AS at) start
        WHERE t.due_since IS NOT NULL
      )`

  // Concurrent statements don't see each other's posts, so a group may exceed its limit by the posts of a few
  // connections. The byte limit bounds its list anyway.
  const insert = SqlSchema.findOne({
    Request: NewPost,
    Result: Schema.Struct({ authorized: Schema.Boolean, connected: Schema.Array(Platform), groupFull: Schema.Boolean }),
    execute: (post) => {
      const right = heldRight(sql, { ...post, now: post.createdAt })
      return sql`
      WITH ${right.rows}, ${connectedAccounts(sql, post)}, full_group AS (
        SELECT FROM posts WHERE workspace_id = ${post.workspaceId}::uuid AND group_id = ${post.groupId}::uuid
        OFFSET ${maxGroupPosts - 1}::int LIMIT 1
      ), post AS (
        INSERT INTO posts (id, workspace_id, group_id, status, content, scheduled_at, tags,
          platform_overrides, platform_settings, media, thread, card, created_at, created_by_key, created_by_user, slot_at)
        SELECT ${post.id}::uuid, ${post.workspaceId}::uuid, ${post.groupId}::uuid, ${post.status}, ${post.content},
          ${post.scheduledAt}::timestamptz, ${post.tags}::text[], ${post.overrides}::jsonb, ${post.settings}::jsonb,
          ${post.media}::jsonb, ${post.thread}::jsonb, ${post.card}::jsonb, ${post.createdAt}::timestamptz, ${post.byKey}::uuid, ${post.byUser}::uuid, ${post.slotAt}::timestamptz
        WHERE ${right.holds} AND (SELECT count(*) FROM connected) = ${post.platforms.length}::int AND NOT EXISTS (SELECT FROM full_group)
        RETURNING workspace_id, id, status, revision, scheduled_at
      ), ${recordPostChange(sql, post.eventId, post.createdAt, post)}, targets AS (
        INSERT INTO post_targets (id, workspace_id, post_id, integration_id, account_id, platform, position, status,
          due_since, due_at)
        SELECT c.target_id, post.workspace_id, post.id, c.id, c.account_id, c.platform, c.position, 'pending',
          ${post.dueAt}::timestamptz, ${post.mediaIds.length === 0 ? sql`${post.dueAt}::timestamptz` : heldUntil(sql, sql`${post.dueAt}::timestamptz`)}
        FROM connected c CROSS JOIN post
        RETURNING id, workspace_id, due_since
      )${post.mediaIds.length === 0 ? sql.literal("") : storeMedia(post)}
      SELECT ${right.holds} AS authorized, array(SELECT platform FROM connected) AS connected, EXISTS (SELECT FROM full_group) AS "groupFull",
        (SELECT pg_notify(${dueChannel}, '') FROM post WHERE ${post.wakes}::boolean) AS woken`
    }
  })

  const prepare = Effect.fnUntraced(function* (workspaceId: WorkspaceId, plan: Parameters<Posts["create"]>[1]) {
    const now = yield* DateTime.now
    const id = yield* nextPostId
    const targets = yield* newTargets(plan.platforms)
    const post = {
      card: null,
      slotAt: null,
      ...plan,
      id,
      workspaceId,
      createdAt: now,
      ...targets,
      dueAt: plan.status === "draft" ? null : plan.scheduledAt,
      eventId: yield* nextEventId,
      wakes:
        plan.status === "scheduled" &&
        isDueSoon(startOf({ media: threadMedia(plan), scheduledAt: plan.scheduledAt }), now)
    }
    const created: CreatedPost = { id, status: plan.status, scheduled_at: plan.scheduledAt, platforms: plan.platforms }
    return { post, created, mediaIds: namedFiles(threadMedia(plan)) }
  })
  type Prepared = Effect.Success<ReturnType<typeof prepare>>

  const createAlone = Effect.fnUntraced(function* ({ created, mediaIds, post }: Prepared, by: Authority | undefined) {
    const { authorized, connected, groupFull } = yield* insert({ ...post, ...byAuthority(by), mediaIds }).pipe(
      Effect.catchTag("NoSuchElementError", Effect.die)
    )
    if (!authorized) {
      yield* hold(by)
      return yield* Effect.die("The right to create a post was lost and given back at this moment")
    }
    yield* requireConnected(post.platforms, connected)
    if (groupFull) return yield* groupIsFull
    return created
  })

  const createOnce: Posts["createOnce"] = Effect.fnUntraced(
    function* (workspaceId, plan, by, key) {
      const prepared = yield* prepare(workspaceId, plan)
      const { created, mediaIds, post } = prepared
      // The batch stores no files, checks no group's limit, and holds only a program's right.
      if (by?.author.type === "key" && mediaIds.length === 0 && post.groupId === null) {
        const use = key === undefined ? null : yield* useOf(key, created)
        if (yield* createBatched({ ...post, byKey: by.author.id, use })) return { result: created, replayed: false }
      }
      return yield* once(key, createAlone(prepared, by))
    },
    // The timeout covers both statements.
    withDatabaseTimeout("creating a post"),
    Effect.withSpan("Repo.posts.create")
  )
  const create: Posts["create"] = (workspaceId, plan, by) =>
    createOnce(workspaceId, plan, by, undefined).pipe(
      Effect.map(({ result }) => result),
      Effect.catchTag(["IdempotencyInFlight", "IdempotencyMismatch"], Effect.die)
    )

  return { create, createOnce }
})
