import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import { publishDue } from "../platforms/publishing.ts"
import { keyHeaders, sendJson } from "../support/http/client.ts"
import { baseUrl, ServerUrl } from "../support/http/server.ts"
import { makeKey } from "../support/http/team.ts"
import { ask, callTool } from "./agent.ts"
import { makeAdmin, publishingServerLayer } from "./publishingServer.ts"

const content = "Our release is out: less waiting, and one setting fewer."
const schedule_at = "2026-02-02T10:00:00+01:00"
const platforms = ["twitter", "bluesky"]

layer(publishingServerLayer())("an agent that drafts", (it) => {
  it.effect("What an agent drafts a person approves, and the agent sees it published where and when it should be", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { admin, email, workspaceId } = yield* makeAdmin()
      const sandbox = yield* Sandbox
      const made = yield* admin("POST", "/keys", {
        name: "Writing agent",
        scopes: ["posts:read", "posts:write", "integrations:read", "notifications:read"],
        requires_approval: true,
        purpose: "agent"
      })
      assert.strictEqual(made.status, 201)
      const { secret } = made.body
      const call = (name: string, args: object = {}) => callTool(url, secret, name, args)

      // It finds out what it may do.
      const listed = yield* ask(url, secret, "tools/list")
      const names = listed.body.result.tools.map(({ name }: { readonly name: string }) => name)
      assert.notInclude(names, "publish_post")
      const workspace = (yield* call("get_workspace")).data
      assert.deepStrictEqual(workspace.can, { draft: true, schedule: false, publish: false })
      assert.deepStrictEqual([workspace.platforms, workspace.key.name], ["sandbox", "Writing agent"])

      // It checks and drafts.
      const checked = (yield* call("check_post", { content, platforms, schedule_at })).data
      assert.deepStrictEqual([checked.valid, checked.targets.length], [true, 2])
      const created = (yield* call("create_post", { content, platforms, schedule_at })).data
      assert.deepInclude(created, {
        status: "draft",
        next: "waits_for_approval",
        scheduled_at: "2026-02-02T09:00:00.000Z",
        dashboard_url: `${baseUrl}/posts/${created.id}`,
        message: "Saved as a draft with its time. A person has to approve it before it goes out.",
        replayed: false
      })
      const { etag, id } = created

      // It can't go further by itself.
      const published = yield* ask(url, secret, "tools/call", { name: "publish_post", arguments: { id, etag } })
      assert.strictEqual(published.body.error.message, "Tool 'publish_post' not found")
      const scheduled = yield* call("update_post", { id, etag, status: "scheduled" })
      assert.deepInclude(scheduled.data, { status: "draft", approval: "requested" })
      assert.strictEqual(scheduled.data.message, "Changed. A person has to approve the draft before it goes out.")
      for (const path of ["publish", "approve"]) {
        const over = yield* sendJson(`${url}/v1/posts/${id}/${path}`, "POST", keyHeaders(secret), { revision: 1 })
        assert.deepStrictEqual([over.status, over.body.code], [403, "insufficient_scope"])
      }
      // Nor does an agent whose key may publish decide for it.
      const publisher = yield* makeKey(workspaceId)
      for (const [name, args] of [
        ["publish_post", { id, etag }],
        ["update_post", { id, etag, status: "scheduled" }]
      ] as const) {
        const { data, isError } = yield* callTool(url, publisher.key, name, args)
        assert.deepStrictEqual([isError, data.code], [true, "approval_required"])
        assert.include(data.detail, "so a person decides on it; no tool publishes or schedules it")
      }
      const waiting = (yield* call("list_notifications")).data
      assert.deepStrictEqual(
        waiting.notifications.map(({ post_id, title }: { readonly post_id: string; readonly title: string }) => [
          title,
          post_id
        ]),
        [["A post waits for approval", id]]
      )

      // A person approves.
      const seen = yield* admin("GET", `/posts/${id}`)
      const approved = yield* admin("POST", `/posts/${id}/approve`, { revision: seen.body.data.revision })
      assert.deepStrictEqual([approved.status, approved.body.data.status], [200, "scheduled"])
      const afterwards = (yield* call("get_post", { id })).data
      assert.deepInclude(afterwards, { status: "scheduled", approval: "approved" })
      const late = yield* call("update_post", { id, etag: afterwards.etag, content: "Something else" })
      assert.deepStrictEqual([late.isError, late.data.code], [true, "not_own_draft"])

      // Its time comes.
      yield* publishDue
      assert.deepStrictEqual(yield* sandbox.posts, [])
      yield* TestClock.adjust("45 hours")
      yield* publishDue
      assert.deepStrictEqual(
        (yield* sandbox.posts).map(({ text }) => text),
        [content, content]
      )

      // It sees where the post is, by each of the tools that tell.
      const read = (yield* call("get_post", { id })).data
      assert.deepStrictEqual([read.status, read.published_at !== null], ["published", true])
      assert.deepStrictEqual(
        read.platforms.map(({ status }: { readonly status: string }) => status),
        ["published", "published"]
      )
      for (const { url: address } of read.platforms) assert.match(address, /^https?:\/\/\S+$/)
      const [found] = (yield* call("list_posts", { status: "published" })).data.posts
      assert.deepStrictEqual([found.id, found.platforms], [id, read.platforms])
      const notified = (yield* call("list_notifications")).data
      assert.deepStrictEqual(
        notified.notifications.map(({ post_id, title }: { readonly post_id: string; readonly title: string }) => [
          title,
          post_id
        ]),
        [
          ["Published on X and Bluesky", id],
          ["A post waits for approval", id]
        ]
      )
      const history = read.history.map(({ by, type }: { readonly by: string | null; readonly type: string }) => [
        type,
        by
      ])
      assert.deepStrictEqual(history, [
        ["post.published", null],
        ["post.target.published", null],
        ["post.target.published", null],
        ["post.scheduled", email],
        ["post.approved", email],
        ["post.approval_requested", "Writing agent"]
      ])

      // And its people see what it did.
      const events = yield* admin("GET", `/events?by_key=${made.body.data.id}`)
      assert.deepStrictEqual(
        events.body.data.map(({ event }: { readonly event: object }) => event),
        [
          {
            type: "post.approval_requested",
            timestamp: "2026-01-31T12:00:00.250Z",
            data: { post_id: id, scheduled_at: "2026-02-02T09:00:00.000Z" }
          }
        ]
      )
    })
  )

  it.effect("A draft that an agent asked to approve stays with people, whatever a tool changes of it before", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { admin, workspaceId } = yield* makeAdmin()
      const drafting = yield* makeKey(workspaceId, { requiresApproval: true })
      const { key } = yield* makeKey(workspaceId)
      const { data } = yield* callTool(url, drafting.key, "create_post", { content, platforms, schedule_at })
      const { id } = data
      const call = (name: string, args: object) => callTool(url, key, name, { id, ...args })
      assert.isFalse((yield* call("update_post", { etag: "1-draft", content: "Another text" })).isError)
      assert.isFalse((yield* call("update_post", { etag: "2-draft", remove_time: true })).isError)
      const attempts = [
        yield* call("publish_post", { etag: "3-draft" }),
        yield* call("update_post", { etag: "3-draft", status: "scheduled", scheduled_at: schedule_at })
      ]
      assert.deepStrictEqual(
        attempts.map(({ data: { code } }) => code),
        ["approval_required", "approval_required"]
      )
      const rejected = yield* admin("POST", `/posts/${id}/reject`, { revision: 3, reason: "Not this one" })
      assert.strictEqual(rejected.status, 200)
      assert.strictEqual((yield* call("publish_post", { etag: "3-draft" })).data.code, "approval_required")
      assert.strictEqual((yield* admin("POST", `/posts/${id}/publish`)).status, 202)
    })
  )
})
