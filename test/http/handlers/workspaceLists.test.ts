import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { NotificationId } from "../../../src/domain/ids.ts"
import type { Notification } from "../../../src/domain/notification.ts"
import { call, errorPaths } from "../../support/http/client.ts"
import { repoWithKey, startServer } from "../../support/http/server.ts"
import { anIntegration, postId } from "../../support/http/samplePosts.ts"

const notification: Notification = {
  id: NotificationId.make("01a1fc17-dc2e-777d-ad63-000000000004"),
  title: "Published on X",
  message: "Hello",
  level: "info",
  read: false,
  action_url: null,
  created_at: DateTime.makeUnsafe("1970-01-01T00:00:00Z"),
  type: "post.published",
  metadata: { post_id: postId, platforms: ["twitter"] }
}

describe("GET /v1/integrations", () => {
  it.effect("Each account is listed with its status", () =>
    Effect.gen(function* () {
      const url = yield* startServer({
        repo: repoWithKey({ integrations: { list: () => Effect.succeed([anIntegration]) } })
      })
      const { status, body } = yield* call(`${url}/v1/integrations`)
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(body, { data: [{ ...anIntegration, created_at: "1970-01-01T00:00:00.000Z" }] })
    })
  )
})

describe("limit", () => {
  it.effect("A limit shortens the list of accounts, and is passed on for the posts of a group", () =>
    Effect.gen(function* () {
      const limits: Array<number> = []
      const url = yield* startServer({
        repo: repoWithKey({
          integrations: { list: () => Effect.succeed([anIntegration, { ...anIntegration, platform: "bluesky" }]) },
          posts: {
            listGroup: (_workspace, _group, { limit }) =>
              Effect.sync(() => {
                limits.push(limit)
                return { posts: [], more: false }
              })
          }
        })
      })
      assert.lengthOf((yield* call(`${url}/v1/integrations?limit=1`)).body.data, 1)
      assert.lengthOf((yield* call(`${url}/v1/integrations?limit=1000`)).body.data, 2)
      yield* call(`${url}/v1/posts/group/${postId}?limit=3`)
      yield* call(`${url}/v1/posts/group/${postId}`)
      // A group is read in batches.
      assert.deepStrictEqual(limits, [3, 50])
    })
  )
})

describe("paging parameters that a list does not have", () => {
  it.effect("Each gets a 400 that names it, and other unknown parameters are ignored", () =>
    Effect.gen(function* () {
      const url = yield* startServer({
        repo: repoWithKey({
          integrations: { list: () => Effect.succeed([anIntegration]) },
          notifications: { page: () => Effect.succeed({ data: [], total: 0 }) },
          posts: { listGroup: () => Effect.succeed({ posts: [], more: false }) }
        })
      })
      for (const [path, names] of [
        ["/v1/integrations", ["page", "offset", "cursor"]],
        [`/v1/posts/group/${postId}`, ["page", "offset", "cursor"]],
        ["/v1/notifications", ["offset"]]
      ] as const) {
        const query = names.map((name) => `${name}=1`).join("&")
        const { body, status } = yield* call(`${url}${path}?${query}&limit=2`)
        assert.deepStrictEqual([status, body.code], [400, "invalid_request"], path)
        assert.deepStrictEqual(
          errorPaths(body),
          names.map((name) => [name])
        )
        assert.strictEqual((yield* call(`${url}${path}?sort=new&limit=2`)).status, 200)
      }
    })
  )
})

describe("GET /v1/notifications", () => {
  /** A Repo with 101 notifications. */
  const repo = repoWithKey({
    notifications: {
      page: (_workspace, page, limit) => Effect.succeed({ data: page * limit < 101 ? [notification] : [], total: 101 })
    }
  })

  it.effect("The first page has 50 notifications by default", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ repo })
      const { status, body } = yield* call(`${url}/v1/notifications`)
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(body, {
        data: [{ ...notification, created_at: "1970-01-01T00:00:00.000Z" }],
        total: 101,
        page: 0,
        limit: 50,
        hasMore: true
      })
    })
  )

  it.effect.each([
    { page: 0, limit: 100, hasMore: true },
    { page: 1, limit: 100, hasMore: false },
    { page: 2, limit: 50, hasMore: false },
    { page: 99, limit: 1, hasMore: true },
    { page: 100, limit: 1, hasMore: false },
    { page: 1_000_000, limit: 100, hasMore: false }
  ])("Page $page of 101 notifications with $limit per page has hasMore $hasMore", ({ page, limit, hasMore }) =>
    Effect.gen(function* () {
      const url = yield* startServer({ repo })
      const { body } = yield* call(`${url}/v1/notifications?page=${page}&limit=${limit}`)
      assert.deepInclude(body, { page, limit, total: 101, hasMore })
    })
  )
})
