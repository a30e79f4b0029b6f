import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { CreatorId } from "../../../src/domain/ids.ts"
import type { StoredPost } from "../../../src/domain/posts/postPlan.ts"
import { call } from "../../support/http/client.ts"
import { aPost, aPostJson, aStoredPost, postId } from "../../support/http/samplePosts.ts"
import { holder, repoWithKey, startServer } from "../../support/http/server.ts"

const groupId = "01a1fc17-dc2e-777d-ad63-000000000001"

describe("GET /v1/posts/{id}", () => {
  it.effect("A post is returned with all its members, and times in UTC with milliseconds", () =>
    Effect.gen(function* () {
      const at = DateTime.makeUnsafe("2030-01-31T09:00:00Z")
      const failed = {
        status: "failed" as const,
        platform_post_url: null,
        published_at: null,
        error: { code: "rejected" as const, message: "A duplicate", retryable: false },
        account_id: "2244994945",
        parts: null,
        copied_to: null,
        integrations: { platform: "twitter" as const }
      }
      const post = aPostJson({
        status: "failed",
        scheduled_at: at,
        platform_overrides: { twitter: "For X" },
        platform_settings: { twitter: { who_can_reply: "following" } },
        revision: 3,
        created_by: { type: "key", id: CreatorId.make(holder.keyId), name: "A key" },
        post_targets: [failed]
      })
      const url = yield* startServer({ repo: repoWithKey({ posts: { getJson: () => Effect.succeed(post) } }) })
      const { status, body } = yield* call(`${url}/v1/posts/${postId}`)
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(body, {
        data: {
          id: postId,
          status: "failed",
          content: "Hello",
          scheduled_at: "2030-01-31T09:00:00.000Z",
          published_at: null,
          tags: [],
          platform_overrides: { twitter: "For X" },
          platform_settings: { twitter: { who_can_reply: "following" } },
          media: [],
          thread: [],
          card: null,
          group_id: null,
          copied_from: null,
          reply_to: null,
          revision: 3,
          created_by: { type: "key", id: holder.keyId, name: "A key" },
          approval: null,
          post_targets: [failed],
          created_at: "1970-01-01T00:00:00.000Z"
        }
      })
    })
  )
})

describe("PATCH /v1/posts/{id}", () => {
  const updateStored = Effect.fn("updateStored")(function* (
    stored: StoredPost,
    patch: object = { content: "Changed" }
  ) {
    const repo = repoWithKey({
      posts: {
        update: (_workspace, id, decide) =>
          Effect.map(Effect.fromResult(decide(stored, [])), ({ content, overrides, scheduledAt, status, tags }) =>
            aPost({ id, content, tags, status, scheduled_at: scheduledAt, platform_overrides: overrides })
          )
      }
    })
    return yield* call(`${yield* startServer({ repo })}/v1/posts/${postId}`, "PATCH", patch)
  })

  it.effect("Only the members in the body are changed", () =>
    Effect.gen(function* () {
      const { status, body } = yield* updateStored(aStoredPost({ tags: ["kept"] }))
      assert.strictEqual(status, 200)
      assert.deepInclude(body.data, { content: "Changed", tags: ["kept"], status: "draft" })
    })
  )

  it.effect("Null leaves a member as it is, except for the time, which it removes", () =>
    Effect.gen(function* () {
      const stored = aStoredPost({
        tags: ["kept"],
        scheduledAt: DateTime.makeUnsafe(0),
        overrides: { twitter: "For X" }
      })
      const { status, body } = yield* updateStored(stored, {
        content: null,
        scheduled_at: null,
        tags: null,
        status: null,
        platform_overrides: null,
        platform_settings: null
      })
      assert.strictEqual(status, 200)
      assert.deepInclude(body.data, {
        content: "Hello",
        tags: ["kept"],
        status: "draft",
        scheduled_at: null,
        platform_overrides: { twitter: "For X" }
      })
    })
  )

  it.effect("A published post is not changed", () =>
    Effect.gen(function* () {
      const { status, body } = yield* updateStored(aStoredPost({ status: "published" }))
      assert.strictEqual(status, 400)
      assert.strictEqual(body.code, "invalid_state")
    })
  )
})

describe("POST /v1/posts/{id}/publish", () => {
  const publishStored = Effect.fn("publishStored")(function* (stored: StoredPost) {
    const repo = repoWithKey({
      posts: {
        publish: (_workspace, id, decide) =>
          Effect.as(Effect.fromResult(decide(stored, [])), aPost({ id, status: "scheduled" }))
      }
    })
    return yield* call(`${yield* startServer({ repo })}/v1/posts/${postId}/publish`, "POST")
  })

  it.effect("A draft is published with a 202 and the post in its next state", () =>
    Effect.gen(function* () {
      const { status, body } = yield* publishStored(aStoredPost())
      assert.strictEqual(status, 202)
      assert.strictEqual(body.data.status, "scheduled")
    })
  )

  it.effect("A post that is published is not published again", () =>
    Effect.gen(function* () {
      const { status, body } = yield* publishStored(aStoredPost({ status: "published" }))
      assert.strictEqual(status, 400)
      assert.strictEqual(body.code, "invalid_state")
    })
  )
})

describe("DELETE /v1/posts", () => {
  it.effect("Deleting returns a 200 with the post's id, or with the number of posts of a group", () =>
    Effect.gen(function* () {
      const repo = repoWithKey({
        posts: {
          remove: () => Effect.succeed({ leftOnPlatforms: 1 }),
          removeGroup: () => Effect.succeed({ deleted: 3, leftOnPlatforms: 2 })
        }
      })
      const url = yield* startServer({ repo })
      const post = yield* call(`${url}/v1/posts/${postId}`, "DELETE")
      assert.deepStrictEqual(
        [post.status, post.body],
        [200, { data: { id: postId, deleted: true, left_on_platforms: 1 } }]
      )
      const group = yield* call(`${url}/v1/posts/group/${groupId}`, "DELETE")
      assert.deepStrictEqual(
        [group.status, group.body],
        [200, { data: { group_id: groupId, deleted: 3, left_on_platforms: 2 } }]
      )
    })
  )
})
