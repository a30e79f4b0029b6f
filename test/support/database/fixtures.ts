import { type DateTime, Effect, Redacted } from "effect"
import type { WorkspaceId } from "../../../src/domain/ids.ts"
import type { LivePlatform, Platform } from "../../../src/domain/platform.ts"
import type { PostPlan } from "../../../src/domain/posts/postPlan.ts"
import { parsePost } from "../../../src/repo/posts/rows.ts"
import { Repo } from "../../../src/repo/Repo.ts"

/** Creates a workspace with a connected account on each of the platforms. */
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

/** The plan of a post that is scheduled for a time, or of a draft if the time is null. */
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

/** All posts of a workspace, newest first. */
export const allPosts = Effect.fn("allPosts")(function* (workspaceId: WorkspaceId) {
  const { posts } = yield* Repo
  const list = yield* posts.list(workspaceId, { status: null, limit: 10_000, maxBytes: 1e9, before: null })
  return list.posts.map(({ json }) => parsePost(json))
})
