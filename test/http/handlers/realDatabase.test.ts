import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { WorkspaceId } from "../../../src/domain/ids.ts"
import { makeWorkspace } from "../../support/database/fixtures.ts"
import { keyHeaders, sendJson } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { databaseServerLayer, makeKey } from "../../support/http/team.ts"

// Also plain: it reads posts on the connections for fast reads and for lists.

const at = "1970-01-01T01:00:00Z"

/** Returns a function that sends requests with a key of a workspace. */
const callerOf = Effect.fn("callerOf")(function* (workspaceId: WorkspaceId, requiresApproval = false) {
  const url = yield* ServerUrl
  const { key } = yield* makeKey(workspaceId, { requiresApproval })
  return (method: string, path: string, body?: unknown) => sendJson(`${url}${path}`, method, keyHeaders(key), body)
})

layer(databaseServerLayer())("API on a real database", (it) => {
  it.effect("A post is created, read, listed, changed, published and deleted", () =>
    Effect.gen(function* () {
      const call = yield* callerOf(yield* makeWorkspace())
      const created = yield* call("POST", "/v1/posts", {
        content: "Hello",
        platforms: ["twitter", "bluesky"],
        schedule_at: at,
        tags: ["a"],
        platform_settings: { twitter: { who_can_reply: "verified", unlisted: "\u{1f600}" } }
      })
      assert.strictEqual(created.status, 201)
      const path = `/v1/posts/${created.body.id}`
      const read = yield* call("GET", path)
      assert.deepInclude(read.body.data, {
        status: "scheduled",
        content: "Hello",
        scheduled_at: "1970-01-01T01:00:00.000Z"
      })
      assert.deepStrictEqual((yield* call("GET", "/v1/posts?status=scheduled")).body.data, [read.body.data])
      const changed = yield* call("PATCH", path, { status: "draft", scheduled_at: null, content: "Changed" })
      assert.deepInclude(changed.body.data, { status: "draft", content: "Changed", scheduled_at: null, tags: ["a"] })
      const published = yield* call("POST", `${path}/publish`)
      assert.strictEqual(published.status, 202)
      assert.deepInclude(published.body.data, { status: "scheduled", scheduled_at: "1970-01-01T00:00:00.000Z" })
      assert.strictEqual((yield* call("DELETE", path)).status, 200)
      assert.strictEqual((yield* call("GET", path)).status, 404)
    })
  )

  it.effect("Pages linked by next_cursor contain every post once", () =>
    Effect.gen(function* () {
      const call = yield* callerOf(yield* makeWorkspace())
      for (const content of ["1", "2", "3", "4", "5"])
        yield* call("POST", "/v1/posts", { content, platforms: ["twitter"] })
      const first = yield* call("GET", "/v1/posts?limit=2")
      const second = yield* call("GET", `/v1/posts?limit=2&cursor=${first.body.next_cursor}`)
      const third = yield* call("GET", `/v1/posts?limit=2&cursor=${second.body.next_cursor}`)
      const contents = [first, second, third].flatMap(({ body }) =>
        body.data.map((post: { content: string }) => post.content)
      )
      assert.deepStrictEqual(contents, ["5", "4", "3", "2", "1"])
      assert.isNull(third.body.next_cursor)
    })
  )

  it.effect("Every request for another workspace's post gets a 404 and changes nothing", () =>
    Effect.gen(function* () {
      const owner = yield* callerOf(yield* makeWorkspace())
      const stranger = yield* callerOf(yield* makeWorkspace())
      const { body } = yield* owner("POST", "/v1/posts", { content: "Hello", platforms: ["twitter"] })
      const path = `/v1/posts/${body.id}`
      const requests = [
        ["GET", path],
        ["PATCH", path],
        ["DELETE", path],
        ["POST", `${path}/publish`]
      ] as const
      for (const [method, target] of requests) {
        const response = yield* stranger(method, target, method === "PATCH" ? { content: "Mine" } : undefined)
        assert.strictEqual(response.status, 404, method)
      }
      assert.deepStrictEqual((yield* stranger("GET", "/v1/posts")).body.data, [])
      assert.strictEqual((yield* owner("GET", path)).body.data.content, "Hello")
    })
  )

  it.effect("Of posts that two workspaces read at the same moment each gets its own", () =>
    Effect.gen(function* () {
      const teams = [yield* callerOf(yield* makeWorkspace()), yield* callerOf(yield* makeWorkspace())]
      const paths = yield* Effect.forEach(teams, (call, index) =>
        Effect.map(
          call("POST", "/v1/posts", { content: `Number ${index}`, platforms: ["twitter"] }),
          ({ body }) => `/v1/posts/${body.id}`
        )
      )
      const reads = Array.from({ length: 24 }, (_, n) => ({ team: n % 2, path: Math.floor(n / 2) % 2 }))
      const responses = yield* Effect.forEach(reads, ({ path, team }) => teams[team]!("GET", paths[path]!), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(
        responses.map(({ body, status }) => (status === 200 ? body.data.content : status)),
        reads.map(({ path, team }) => (path === team ? `Number ${team}` : 404))
      )
    })
  )

  it.effect(
    "A post that is scheduled with a key that requires approval stays a draft, and the workspace is notified of it",
    () =>
      Effect.gen(function* () {
        const workspace = yield* makeWorkspace()
        const agent = yield* callerOf(workspace, true)
        const person = yield* callerOf(workspace)
        const { body } = yield* agent("POST", "/v1/posts", {
          content: "Hello",
          platforms: ["twitter"],
          schedule_at: at
        })
        assert.strictEqual(body.status, "draft")
        const { body: page } = yield* person("GET", "/v1/notifications")
        assert.deepInclude(page, { total: 1, page: 0, limit: 50, hasMore: false })
        assert.deepInclude(page.data[0], {
          type: "post.approval_requested",
          read: false,
          metadata: { post_id: body.id, scheduled_at: "1970-01-01T01:00:00.000Z" }
        })
        const approved = yield* person("PATCH", `/v1/posts/${body.id}`, { status: "scheduled" })
        assert.strictEqual(approved.body.data.status, "scheduled")
        assert.strictEqual((yield* agent("PATCH", `/v1/posts/${body.id}`, { content: "Changed" })).status, 403)
      })
  )

  it.effect("A group is listed and deleted as a whole, and integrations are listed", () =>
    Effect.gen(function* () {
      const call = yield* callerOf(yield* makeWorkspace(["bluesky"]))
      const group_id = "01a1fc17-dc2e-777d-ad63-5a461a1bba44"
      for (const content of ["1", "2"]) yield* call("POST", "/v1/posts", { content, platforms: ["bluesky"], group_id })
      assert.lengthOf((yield* call("GET", `/v1/posts/group/${group_id}`)).body.data, 2)
      assert.deepStrictEqual((yield* call("DELETE", `/v1/posts/group/${group_id}`)).body, {
        data: { group_id, deleted: 2, left_on_platforms: 0 }
      })
      const { body } = yield* call("GET", "/v1/integrations")
      assert.deepInclude(body.data[0], { platform: "bluesky", status: "connected" })
      const refused = yield* call("POST", "/v1/posts", {
        content: "Hello",
        platforms: ["bluesky", "twitter", "tiktok"]
      })
      assert.strictEqual(refused.body.code, "integration_not_connected")
      assert.deepStrictEqual(refused.body.platforms, ["twitter", "tiktok"])
    })
  )
})
