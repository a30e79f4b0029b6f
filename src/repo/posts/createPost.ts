import { DateTime, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { IntegrationNotConnected } from "../../domain/errors.ts"
import { nextPostId, nextTargetId, type WorkspaceId } from "../../domain/ids.ts"
import { Platform, whyNotConnected } from "../../domain/platform.ts"
import { PlatformOverrides, PlatformSettings } from "../../domain/platformSettings.ts"
import type { PostPlan } from "../../domain/postPlan.ts"
import { dueChannel, isDueSoon } from "../postgres/channel.ts"
import type { Posts } from "./posts.ts"
import { orUnavailable } from "../postgres/query.ts"

const encodeOverrides = Schema.encodeSync(Schema.fromJsonString(PlatformOverrides))
const encodeSettings = Schema.encodeSync(Schema.fromJsonString(PlatformSettings))

/** Stores a post with its targets, or nothing where one of its platforms is not connected. */
export const makeCreatePost = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const insert = (workspaceId: WorkspaceId, plan: PostPlan) =>
    Effect.gen(function* () {
      const now = yield* DateTime.now
      const id = yield* nextPostId
      const targetIds = yield* Effect.forEach(plan.platforms, () => nextTargetId)
      const scheduledAt = plan.scheduledAt === null ? null : DateTime.toDateUtc(plan.scheduledAt)
      const dueAt = plan.status === "draft" ? null : scheduledAt
      const wakes = plan.status === "scheduled" && isDueSoon(plan.scheduledAt, now)
      const rows = yield* sql`
        WITH connected AS (
          SELECT i.id, i.platform, asked.target_id, asked.position
          FROM unnest(${plan.platforms}::text[], ${targetIds}::uuid[]) WITH ORDINALITY AS asked(platform, target_id, position)
          JOIN integrations i
            ON i.workspace_id = ${workspaceId}::uuid AND i.platform = asked.platform AND i.status <> 'disconnected'
        ), post AS (
          INSERT INTO posts (id, workspace_id, group_id, status, content, scheduled_at, tags,
            platform_overrides, platform_settings, created_at)
          SELECT ${id}::uuid, ${workspaceId}::uuid, ${plan.groupId}::uuid, ${plan.status}, ${plan.content},
            ${scheduledAt}::timestamptz, ${plan.tags}::text[], ${encodeOverrides(plan.overrides)}::jsonb,
            ${encodeSettings(plan.settings)}::jsonb, ${DateTime.toDateUtc(now)}::timestamptz
          WHERE (SELECT count(*) FROM connected) = ${plan.platforms.length}::int
          RETURNING workspace_id, id
        ), targets AS (
          INSERT INTO post_targets (id, workspace_id, post_id, integration_id, platform, position, status, due_since, due_at)
          SELECT c.target_id, post.workspace_id, post.id, c.id, c.platform, c.position, 'pending',
            ${dueAt}::timestamptz, ${dueAt}::timestamptz
          FROM connected c CROSS JOIN post
        )
        SELECT array(SELECT platform FROM connected) AS connected,
          (SELECT pg_notify(${dueChannel}, '') FROM post WHERE ${wakes}::boolean) AS woken`
      return { id, rows }
    })

  const decode = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ connected: Schema.Array(Platform) })]))

  const create: Posts["create"] = Effect.fn("Repo.posts.create")(function* (workspaceId, plan) {
    const { id, rows } = yield* insert(workspaceId, plan).pipe(orUnavailable("creating a post"))
    const [{ connected }] = yield* decode(rows).pipe(Effect.orDie)
    const missing = plan.platforms.filter((platform) => !connected.includes(platform))
    if (missing.length > 0) {
      return yield* new IntegrationNotConnected({
        message: missing.map(whyNotConnected).join("; "),
        platforms: missing
      })
    }
    return { id, status: plan.status, scheduled_at: plan.scheduledAt, platforms: plan.platforms }
  })
  return create
})
