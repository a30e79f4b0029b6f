import { assert, layer } from "@effect/vitest"
import { Effect, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { mcpLayer } from "../../src/mcp/server.ts"
import { send } from "../support/http/client.ts"
import { ServerUrl } from "../support/http/server.ts"
import { databaseServerLayer, makeTeam } from "../support/http/team.ts"
import { callTool, headersOf, message } from "./agent.ts"

// The paths that clients see are not those of the router where a proxy cuts one off.
const others = mcpLayer({ baseUrl: "https://posts.example/social", mcpAllowedOrigins: [] })

const draft = { content: "Hello", platforms: ["bluesky"], schedule_at: "1970-01-02T00:00:00Z" }

/** A draft of a team, whose post can be made to have failed with an error. */
const start = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const url = yield* ServerUrl
  const { key } = yield* makeTeam
  const call = (name: string, args: object) => callTool(url, key, name, args)
  const { data } = yield* call("create_post", draft)
  const fail = (code: string) =>
    Effect.andThen(
      sql`UPDATE post_targets SET status = 'failed', due_at = NULL, due_since = NULL, error_code = ${code},
        error_message = 'Refused', error_retryable = false WHERE post_id = ${data.id}::uuid`,
      sql`UPDATE posts SET status = 'failed' WHERE id = ${data.id}::uuid`
    )
  return { call, data, fail, key, url }
})

layer(databaseServerLayer({ others, rateLimitPerMinute: 100_000 }))("calls that must not have an effect", (it) => {
  it.effect("Tools work where the service is reached under a path", () =>
    Effect.gen(function* () {
      const { data } = yield* start
      assert.strictEqual(data.status, "scheduled")
      assert.strictEqual(data.dashboard_url, `https://posts.example/social/posts/${data.id}`)
    })
  )

  it.effect("No tool publishes again what may be out already, and one does publish what was refused", () =>
    Effect.gen(function* () {
      const { call, data, fail } = yield* start
      const post = { id: data.id, etag: "1-failed" }
      yield* fail("outcome_unknown")
      const refused = yield* call("publish_post", post)
      assert.deepStrictEqual([refused.isError, refused.data.code], [true, "approval_required"])
      assert.include(refused.data.detail, "a person has to look")
      yield* fail("rejected")
      assert.deepInclude((yield* call("publish_post", post)).data, { status: "scheduled" })
    })
  )

  it.effect("No tool deletes what failed, which may be out in part", () =>
    Effect.gen(function* () {
      const { call, data, fail } = yield* start
      yield* fail("rejected")
      const refused = yield* call("delete_post", { id: data.id, etag: "1-failed" })
      assert.deepStrictEqual([refused.isError, refused.data.code], [true, "invalid_request"])
      assert.strictEqual((yield* call("get_post", { id: data.id })).data.status, "failed")
    })
  )

  it.effect("A call without an id, to which no answer can be given, is refused in every revision", () =>
    Effect.gen(function* () {
      const { call, data, key, url } = yield* start
      const args = { name: "delete_post", arguments: { id: data.id, etag: data.etag } }
      const request = Struct.omit(message("tools/call", args), ["id"])
      const headers = headersOf(key, "tools/call", "delete_post")
      const current = yield* send(`${url}/mcp`, { method: "POST", headers, body: JSON.stringify(request) })
      const earlier = yield* send(`${url}/mcp`, {
        method: "POST",
        headers: { ...headers, "mcp-protocol-version": "2025-06-18" },
        body: JSON.stringify({ jsonrpc: "2.0", method: "tools/call", params: args })
      })
      assert.deepStrictEqual([current.status, current.body.error.code], [400, -32_600])
      assert.deepStrictEqual([earlier.status, earlier.body.error.code], [400, -32_600])
      assert.strictEqual((yield* call("get_post", { id: data.id })).data.status, "scheduled")
    })
  )
})
