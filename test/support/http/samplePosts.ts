import { assert } from "@effect/vitest"
import { DateTime, Effect, Schema } from "effect"
import { IntegrationId, PostId } from "../../../src/domain/ids.ts"
import type { Integration } from "../../../src/domain/accounts/integration.ts"
import { Post } from "../../../src/domain/posts/post.ts"
import type { PostPlan, StoredPost } from "../../../src/domain/posts/postPlan.ts"
import type { PostBatch, Posts } from "../../../src/repo/posts/Posts.ts"
import type { PostJson } from "../../../src/repo/posts/rows.ts"
import type { ExpectedCalls } from "../database/fakeRepo.ts"
import { holder, repoWithKey } from "./server.ts"

export const postId = PostId.make("01a1fc17-dc2e-777d-ad63-5a461a1bba44")

export const aPost = (changes: Partial<Post> = {}): Post => ({
  id: postId,
  status: "draft",
  content: "Hello",
  scheduled_at: null,
  published_at: null,
  tags: [],
  group_id: null,
  copied_from: null,
  reply_to: null,
  platform_overrides: {},
  platform_settings: {},
  media: [],
  thread: [],
  card: null,
  approval: null,
  revision: 1,
  created_by: null,
  post_targets: [
    {
      status: "pending",
      platform_post_url: null,
      published_at: null,
      error: null,
      account_id: "2244994945",
      parts: null,
      copied_to: null,
      integrations: { platform: "twitter" }
    }
  ],
  created_at: DateTime.makeUnsafe("1970-01-01T00:00:00Z"),
  ...changes
})

export const encodePost = Schema.encodeSync(Schema.fromJsonString(Schema.toCodecJson(Post)))

/** A post as the Repo encodes it. */
export const aPostJson = (changes: Partial<Post> = {}): PostJson => {
  const post = aPost(changes)
  return { id: post.id, status: post.status, revision: post.revision, json: encodePost(post) }
}

export const aStoredPost = (changes: Partial<StoredPost> = {}): StoredPost => ({
  status: "draft",
  content: "Hello",
  platforms: ["twitter"],
  scheduledAt: null,
  tags: [],
  overrides: {},
  settings: {},
  media: [],
  thread: [],
  revision: 1,
  createdByKey: null,
  approvalRequestedRevision: null,
  maybePublished: false,
  isSomewhereOut: false,
  hasUnknownOutcome: false,
  isBegun: false,
  isCopied: false,
  ...changes
})

export const anIntegration: Integration = {
  id: IntegrationId.make("01a1fc17-dc2e-777d-ad63-000000000003"),
  platform: "twitter",
  account_id: "2244994945",
  username: "team",
  display_name: "The team",
  avatar_url: null,
  status: "connected",
  created_at: DateTime.makeUnsafe("1970-01-01T00:00:00Z")
}

/** Creates any post for the key's workspace, and records its plan. */
export const creatingPosts = (plans: Array<PostPlan> = []): ExpectedCalls => {
  const create: Posts["create"] = (workspaceId, plan) =>
    Effect.sync(() => {
      assert.strictEqual(workspaceId, holder.workspaceId)
      plans.push(plan)
      return { id: postId, status: plan.status, scheduled_at: plan.scheduledAt, platforms: plan.platforms }
    })
  const createOnce: Posts["createOnce"] = (workspaceId, plan, by) =>
    Effect.map(create(workspaceId, plan, by), (result) => ({ result, replayed: false }))
  return { posts: { create, createOnce } }
}

/** A Repo with one post and no due targets. */
export const repoWithPost = repoWithKey({
  posts: { getJson: () => Effect.succeed(aPostJson()) },
  targets: { backlog: Effect.succeed({ due: 0, oldest: null, oldestUpload: null }) }
})

export const noPosts: PostBatch = { posts: [], more: false }
