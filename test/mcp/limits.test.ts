import { assert, describe, it, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { DatabaseUnavailable } from "../../src/domain/errors.ts"
import { waitingOrEnded } from "../support/database/interleave.ts"
import { keyHeaders, send } from "../support/http/client.ts"
import { apiKey, repoWithKey, ServerUrl, startServer } from "../support/http/server.ts"
import { makeKey, makeTeam } from "../support/http/team.ts"
import { agents, agentServerLayer, ask, callTool } from "./agent.ts"

const text = { content: "Hello", platforms: ["bluesky"] }

layer(agentServerLayer({ rateLimitPerMinute: 6 }))("the limit of requests", (it) => {
  it.effect("A call counts once whatever its tool asks of the API, and beyond the limit a request is a problem", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { key } = yield* makeTeam
      const remaining = Effect.map(callTool(url, key, "get_workspace"), ({ data }) => data.rate_limit)
      assert.deepStrictEqual(yield* remaining, { limit: 6, window_seconds: 60, remaining: 5 })
      // It asks twice, and three times where the post has a time.
      yield* callTool(url, key, "create_post", { ...text, schedule_at: "1970-01-02T00:00:00Z" })
      yield* ask(url, key, "tools/list")
      yield* callTool(url, key, "get_post", { id: "no id" })
      yield* callTool(url, key, "no_such_tool")
      assert.strictEqual((yield* remaining).remaining, 0)
      const legacy = send(`${url}/mcp`, {
        method: "POST",
        headers: { ...keyHeaders(key), "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: {} })
      })
      for (const request of [
        ask(url, key, "tools/call", { name: "get_workspace", arguments: {} }),
        ask(url, key, "tools/list"),
        ask(url, key, "server/discover"),
        legacy
      ]) {
        const { body, headers, status } = yield* request
        assert.deepStrictEqual(
          [status, headers.get("content-type"), body.code, body.detail],
          [429, "application/problem+json", "rate_limited", "The workspace may send 6 requests a minute"]
        )
        assert.isAtLeast(Number(headers.get("retry-after")), 1)
      }
      // Another workspace has a limit of its own, and this one again after a while.
      assert.isFalse((yield* callTool(url, (yield* makeTeam).key, "get_workspace")).isError)
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual((yield* remaining).remaining, 5)
    })
  )

  it.effect("The keys of a workspace share its limit, over the API and for agents", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { key, workspaceId } = yield* makeTeam
      const other = (yield* makeKey(workspaceId)).key
      for (let sent = 0; sent < 3; sent++) yield* callTool(url, key, "get_workspace")
      for (let sent = 0; sent < 3; sent++) yield* send(`${url}/v1/me`, { headers: keyHeaders(other) })
      assert.strictEqual((yield* ask(url, other, "tools/list")).status, 429)
      assert.strictEqual((yield* send(`${url}/v1/me`, { headers: keyHeaders(key) })).status, 429)
    })
  )
})

layer(agentServerLayer())("limits within a call", (it) => {
  it.effect("A file beyond those that wait to be fetched is refused with the time to wait", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { key } = yield* makeTeam
      const add = (file: number) =>
        callTool(url, key, "add_media", { url: `https://images.example/${file}.png`, alt: "A picture", wait: false })
      for (let file = 0; file < 50; file++) assert.isFalse((yield* add(file)).isError)
      const { data, isError } = yield* add(50)
      assert.isTrue(isError)
      assert.deepInclude(data, { code: "rate_limited", retry_after_seconds: 5, errors: [] })
      assert.include(data.detail, "wait to be fetched")
    })
  )

  it.effect(
    "The same call while the first one is carried out is refused with the time to wait, and replayed after it",
    () =>
      Effect.gen(function* () {
        const url = yield* ServerUrl
        const sql = yield* SqlClient.SqlClient
        const { key, workspaceId } = yield* makeTeam
        const create = callTool(url, key, "create_post", text)
        const locked = yield* Deferred.make<void>()
        const mayEnd = yield* Deferred.make<void>()
        const lock = yield* Effect.forkChild(
          sql.withTransaction(
            sql`SELECT FROM workspaces WHERE id = ${workspaceId}::uuid FOR UPDATE`.pipe(
              Effect.andThen(Deferred.succeed(locked, undefined)),
              Effect.andThen(Deferred.await(mayEnd))
            )
          )
        )
        yield* Deferred.await(locked)
        const first = yield* Effect.forkChild(create)
        yield* waitingOrEnded(first, 1)
        const { data, isError } = yield* create
        assert.isTrue(isError)
        assert.deepInclude(data, { code: "idempotency_in_flight", retry_after_seconds: 1 })
        yield* Deferred.succeed(mayEnd, undefined)
        yield* Fiber.join(lock)
        const created = yield* Fiber.join(first)
        assert.strictEqual(created.data.replayed, false)
        assert.deepInclude((yield* create).data, { id: created.data.id, replayed: true })
      })
  )
})

describe("an outage within a call", () => {
  it.effect(
    "Where the database does not answer a tool says how long to wait, and the response is none of HTTP's errors",
    () =>
      Effect.gen(function* () {
        const gone = Effect.fail(new DatabaseUnavailable({ operation: "a test", cause: "gone" }))
        const url = yield* startServer({ repo: repoWithKey({ posts: { list: () => gone } }), others: agents })
        const { body, status } = yield* ask(url, apiKey, "tools/call", { name: "list_posts", arguments: {} })
        assert.deepStrictEqual([status, body.result.isError], [200, true])
        const error = JSON.parse(body.result.content[0].text)
        assert.deepInclude(error, { code: "unavailable", retry_after_seconds: 5, errors: [] })
        assert.notInclude(JSON.stringify(error), "gone")
      })
  )
})
