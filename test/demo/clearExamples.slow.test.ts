import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { sendJson } from "../support/http/client.ts"
import { connectRaw } from "../support/http/rawConnection.ts"
import { makeDemo } from "./demo.ts"

// Starts early: most tests start a service that makes all examples.

const own = { content: "My own post", platforms: ["bluesky"], tags: ["example"] }

/** Every row of the examples' posts, of what people were told of them, and of the key that drafted some of them. */
const traces = `SELECT 'event' AS kind FROM events WHERE post_id IS NOT NULL UNION ALL SELECT 'notification' FROM notifications
  UNION ALL SELECT 'key' FROM api_keys WHERE requires_approval UNION ALL SELECT 'target' FROM post_targets
  UNION ALL SELECT 'memory' FROM deleted_targets`

describe("Clearing the examples of the demo", () => {
  it.live(
    "It removes them with all that came of them, and leaves a person's own published post and the picture it has",
    () =>
      Effect.gen(function* () {
        const { sql, start } = yield* makeDemo
        const { call, examples, timelines } = yield* start()
        const { data: library } = (yield* call("GET", "/media")).body
        const kept: string = library[0].id
        const { id } = (yield* call("POST", "/posts", { ...own, media: [{ id: kept }] })).body
        yield* call("POST", `/posts/${id}/publish`)
        yield* Effect.repeat(call("GET", `/posts/${id}`), { until: (read) => read.body.data.status === "published" })
        const { data } = (yield* call("GET", "/posts?tag=example&status=scheduled&limit=1")).body
        yield* call("PATCH", `/posts/${data[0].id}`, { content: "Changed, and an example all the same" })

        const { body, status } = yield* examples("DELETE")
        assert.strictEqual(status, 200)
        assert.isAbove(body.data.deleted, 30)
        const left = (yield* call("GET", "/posts?limit=200")).body.data
        assert.deepStrictEqual(
          left.map((post: { readonly id: string }) => post.id),
          [id]
        )
        const files = (yield* call("GET", "/media")).body.data
        assert.deepStrictEqual(
          files.map((file: { readonly id: string }) => file.id),
          [kept]
        )
        const kinds = (yield* sql(traces)).map(({ kind }) => kind)
        // Of the person's own post alone.
        assert.deepStrictEqual(new Set(kinds), new Set(["event", "notification", "target"]))
        assert.lengthOf(
          kinds.filter((kind) => kind === "target"),
          1
        )
        assert.lengthOf((yield* timelines).match(/class="post"/g) ?? [], 1)
        assert.strictEqual((yield* examples("GET")).body.data.posts, 0)
        assert.deepStrictEqual((yield* examples("DELETE")).body.data, { deleted: 0 })
      })
  )

  it.live("A command clears them beside the running service, whose timelines and count follow", () =>
    Effect.gen(function* () {
      const { command, start } = yield* makeDemo
      const { examples, timelines } = yield* start()
      const { code, output } = yield* command("workspace", "clear-examples", "--json")
      assert.strictEqual(code, 0)
      assert.isAbove(JSON.parse(output).removed_posts, 30)
      assert.notInclude(yield* timelines, 'class="post"')
      assert.strictEqual((yield* examples("GET")).body.data.posts, 0)
      assert.deepStrictEqual(JSON.parse((yield* command("workspace", "clear-examples", "--json")).output), {
        removed_posts: 0
      })
    })
  )

  it.live("A command clears them while no service runs, and the next start shows empty timelines", () =>
    Effect.gen(function* () {
      const { command, start } = yield* makeDemo
      yield* Effect.scoped(start())
      assert.isAbove(JSON.parse((yield* command("workspace", "clear-examples", "--json")).output).removed_posts, 30)
      const { timelines } = yield* start()
      assert.notInclude(yield* timelines, 'class="post"')
    })
  )

  it.live("Where a person deleted every example by hand, the command removes their pictures and the agent's key", () =>
    Effect.gen(function* () {
      const { command, sql, start } = yield* makeDemo
      const { examples } = yield* start()
      yield* sql("DELETE FROM posts")
      assert.strictEqual((yield* examples("GET")).body.data.posts, 0)
      assert.deepStrictEqual(JSON.parse((yield* command("workspace", "clear-examples", "--json")).output), {
        removed_posts: 0
      })
      assert.deepStrictEqual(
        yield* sql("SELECT id FROM media UNION ALL SELECT id FROM api_keys WHERE requires_approval"),
        []
      )
    })
  )

  it.live("Without a demo the command removes nothing", () =>
    Effect.gen(function* () {
      const { command } = yield* makeDemo
      const { code, output } = yield* command("workspace", "clear-examples", "--json")
      assert.deepStrictEqual([code, JSON.parse(output)], [0, { removed_posts: 0 }])
    })
  )

  it.live("While one of them is being sent nothing is removed, and the response says so", () =>
    Effect.gen(function* () {
      const { start } = yield* makeDemo
      const { call, examples, url } = yield* start()
      const { data } = (yield* call("GET", "/posts?tag=example&limit=200")).body
      const order = { platform: "twitter", fault: { kind: "delay", ms: 3000 } }
      yield* sendJson(`${url}/sandbox/faults`, "POST", {}, order)
      const draft = data.find((post: { readonly content: string }) => post.content.startsWith("Two days until"))
      yield* call("POST", `/posts/${draft.id}/publish`)
      yield* Effect.repeat(call("GET", `/posts/${draft.id}`), {
        until: (read) => read.body.data.status === "publishing"
      })
      const { body, status } = yield* examples("DELETE")
      assert.deepStrictEqual([status, body.code], [400, "invalid_state"])
      assert.lengthOf((yield* call("GET", "/posts?limit=200")).body.data, data.length)
    })
  )

  it.live("A page of another site and another host's name can't clear them", () =>
    Effect.gen(function* () {
      const { start } = yield* makeDemo
      const { examples, url } = yield* start()
      assert.strictEqual((yield* examples("DELETE", { origin: "https://evil.example" })).status, 403)
      assert.strictEqual((yield* examples("DELETE", {})).status, 403)
      const connection = yield* connectRaw(url)
      connection.send(
        "DELETE /sandbox/examples HTTP/1.1\r\nHost: posts.example.com\r\nSec-Fetch-Site: same-origin\r\n\r\n"
      )
      assert.strictEqual((yield* connection.response)?.status, 404)
      assert.isAbove((yield* examples("GET")).body.data.posts, 30)
    })
  )
})
