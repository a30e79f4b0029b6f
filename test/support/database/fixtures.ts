import { type DateTime, Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { nextUserId, type WorkspaceId } from "../../../src/domain/ids.ts"
import type { LivePlatform, Platform } from "../../../src/domain/platform.ts"
import type { PostPlan } from "../../../src/domain/posts/postPlan.ts"
import { parsePost } from "../../../src/repo/posts/rows.ts"
import { Repo } from "../../../src/repo/Repo.ts"

/** Creates a workspace with an account on each platform. */
export const makeWorkspace = Effect.fn("makeWorkspace")(function* (
  platforms: ReadonlyArray<LivePlatform> = ["twitter", "bluesky"]
) {
  const repo = yield* Repo
  const workspace = yield* repo.workspaces.create("A team")
  for (const platform of platforms) {
    yield* repo.integrations.connect(workspace.id, {
      platform,
      accountId: `account-${platform}`,
      username: `team_${platform}`,
      displayName: null,
      avatarUrl: null,
      serviceUrl: null,
      credentials: Redacted.make(`credentials of ${platform}`)
    })
  }
  return workspace.id
})

/** Returns the editor's authority. */
export const makeEditor = Effect.fn("makeEditor")(function* (workspaceId: WorkspaceId) {
  const sql = yield* SqlClient.SqlClient
  const id = yield* nextUserId
  yield* sql`INSERT INTO users (id, email, password, created_at) VALUES (${id}::uuid, ${`${id}@example.com`}, '', now())`
  yield* sql`INSERT INTO members (workspace_id, user_id, role, created_at)
    VALUES (${workspaceId}::uuid, ${id}::uuid, 'editor', now())`
  return { author: { type: "user", id }, workspaceId, roles: ["editor"] } as const
})

/** The plan of a scheduled post, or of a draft if the time is null. */
export const plan = (scheduledAt: DateTime.Utc | null, platforms: ReadonlyArray<Platform> = ["twitter"]): PostPlan => ({
  status: scheduledAt === null ? "draft" : "scheduled",
  content: "Hello",
  platforms,
  scheduledAt,
  tags: [],
  overrides: {},
  settings: {},
  media: [],
  thread: [],
  groupId: null
})

/** All posts, newest first. */
export const allPosts = Effect.fn("allPosts")(function* (workspaceId: WorkspaceId) {
  const { posts } = yield* Repo
  const list = yield* posts.list(workspaceId, { status: null, limit: 10_000, maxBytes: 1e9, before: null })
  return list.posts.map(({ json }) => parsePost(json))
})
