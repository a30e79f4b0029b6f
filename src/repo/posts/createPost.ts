import { DateTime, Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { IntegrationNotConnected, InvalidRequest } from "../../domain/errors.ts"
import {
  ApiKeyId,
  EventId,
  GroupId,
  nextEventId,
  nextPostId,
  nextTargetId,
  PostId,
  TargetId,
  UserId,
  WorkspaceId
} from "../../domain/ids.ts"
import { formatIssues } from "../../domain/issues.ts"
import { Platform, whyNotConnected } from "../../domain/platform.ts"
import { PlatformOverrides, PlatformSettings } from "../../domain/platformSettings.ts"
import { isDueSoon } from "../../domain/pollInterval.ts"
import { PostStatus } from "../../domain/post.ts"
import { explainFullGroup, maxGroupPosts } from "../../domain/postSize.ts"
import { recordPostChange } from "../events/postEvents.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { NullableTimestamp, Timestamp } from "../postgres/rows.ts"
import { dueChannel } from "../targets/dueChannel.ts"
import type { Posts } from "./Posts.ts"

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
  createdAt: Timestamp,
  createdByKey: Schema.NullOr(ApiKeyId),
  createdByUser: Schema.NullOr(UserId),
  /** One for each of `targetIds`. */
  platforms: Schema.Array(Platform),
  targetIds: Schema.Array(TargetId),
  dueAt: NullableTimestamp,
  eventId: EventId,
  wakes: Schema.Boolean
})

const groupFullIssue = { path: ["group_id"], message: explainFullGroup }
const groupIsFull = new InvalidRequest({ message: formatIssues([groupFullIssue]), errors: [groupFullIssue] })

export const makeCreatePost = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Posts that are created at the same moment don't see each other, so a group may exceed its limit by as many as a few
  // connections create at once. Its list is bounded by its size anyway.
  const insert = SqlSchema.findOne({
    Request: NewPost,
    Result: Schema.Struct({ connected: Schema.Array(Platform), groupFull: Schema.Boolean }),
    execute: (post) => sql`
      WITH connected AS (
        SELECT i.id, i.platform, i.account_id, requested.target_id, requested.position
        FROM unnest(${post.platforms}::text[], ${post.targetIds}::uuid[])
          WITH ORDINALITY AS requested(platform, target_id, position)
        JOIN integrations i ON i.workspace_id = ${post.workspaceId}::uuid AND i.platform = requested.platform
          AND i.status <> 'disconnected'
        -- Waits for a replacement of the account, and then reads the next one's id.
        FOR KEY SHARE OF i
      ), full_group AS (
        SELECT FROM posts WHERE workspace_id = ${post.workspaceId}::uuid AND group_id = ${post.groupId}::uuid
        OFFSET ${maxGroupPosts - 1}::int LIMIT 1
      ), post AS (
        INSERT INTO posts (id, workspace_id, group_id, status, content, scheduled_at, tags,
          platform_overrides, platform_settings, created_at, created_by_key, created_by_user)
        SELECT ${post.id}::uuid, ${post.workspaceId}::uuid, ${post.groupId}::uuid, ${post.status}, ${post.content},
          ${post.scheduledAt}::timestamptz, ${post.tags}::text[], ${post.overrides}::jsonb, ${post.settings}::jsonb,
          ${post.createdAt}::timestamptz, ${post.createdByKey}::uuid, ${post.createdByUser}::uuid
        WHERE (SELECT count(*) FROM connected) = ${post.platforms.length}::int AND NOT EXISTS (SELECT FROM full_group)
        RETURNING workspace_id, id, status, revision, scheduled_at
      ), ${recordPostChange(sql, post.eventId, post.createdAt)}, targets AS (
        INSERT INTO post_targets (id, workspace_id, post_id, integration_id, account_id, platform, position, status,
          due_since, due_at)
        SELECT c.target_id, post.workspace_id, post.id, c.id, c.account_id, c.platform, c.position, 'pending',
          ${post.dueAt}::timestamptz, ${post.dueAt}::timestamptz
        FROM connected c CROSS JOIN post
      )
      SELECT array(SELECT platform FROM connected) AS connected, EXISTS (SELECT FROM full_group) AS "groupFull",
        (SELECT pg_notify(${dueChannel}, '') FROM post WHERE ${post.wakes}::boolean) AS woken`
  })

  const createSpan = Effect.withSpan("Repo.posts.create")
  const create: Posts["create"] = Effect.fnUntraced(function* (workspaceId, plan, creator) {
    const now = yield* DateTime.now
    const id = yield* nextPostId
    const targetIds = yield* Effect.forEach(plan.platforms, () => nextTargetId)
    const { connected, groupFull } = yield* insert({
      ...plan,
      id,
      workspaceId,
      createdAt: now,
      createdByKey: creator?.type === "key" ? creator.id : null,
      createdByUser: creator?.type === "user" ? creator.id : null,
      targetIds,
      dueAt: plan.status === "draft" ? null : plan.scheduledAt,
      eventId: yield* nextEventId,
      wakes: plan.status === "scheduled" && isDueSoon(plan.scheduledAt, now)
    }).pipe(Effect.catchTag("NoSuchElementError", Effect.die), withDatabaseTimeout("creating a post"))
    const missing = plan.platforms.filter((platform) => !connected.includes(platform))
    if (missing.length > 0) {
      return yield* new IntegrationNotConnected({
        message: missing.map(whyNotConnected).join("; "),
        platforms: missing
      })
    }
    if (groupFull) return yield* groupIsFull
    return { id, status: plan.status, scheduled_at: plan.scheduledAt, platforms: plan.platforms }
  }, createSpan)
  return create
})
