import { assert, layer } from "@effect/vitest"
import { Effect, Struct } from "effect"
import { send } from "../support/http/client.ts"
import { baseUrl, ServerUrl } from "../support/http/server.ts"
import { databaseServerLayer, makeKey, makeTeam } from "../support/http/team.ts"
import { agents, ask, callTool, headersOf, message, revision } from "./agent.ts"

const post = (url: string, headers: Readonly<Record<string, string>>, body: string) =>
  send(`${url}/mcp`, { method: "POST", headers, body })

const listing = JSON.stringify(message("tools/list"))

layer(databaseServerLayer({ others: agents }))("transport of the server of agents", (it) => {
  it.effect("Refusals before the protocol are problems, with the headers of their status", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { cookie, key } = yield* makeTeam
      const headers = headersOf(key, "tools/list")
      const withoutKey = Struct.omit(headers, ["authorization"])
      const refusals = {
        noKey: yield* post(url, withoutKey, listing),
        wrongKey: yield* post(url, { ...headers, authorization: "Bearer sps_wrong" }, listing),
        cookie: yield* post(url, { ...withoutKey, cookie, origin: baseUrl }, listing),
        foreign: yield* post(url, { ...headers, origin: "https://evil.example" }, listing),
        foreignRead: yield* send(`${url}/mcp`, { headers: { origin: "https://evil.example" } }),
        read: yield* send(`${url}/mcp`, { headers: { authorization: `Bearer ${key}` } }),
        end: yield* send(`${url}/mcp`, { method: "DELETE", headers: { authorization: `Bearer ${key}` } }),
        text: yield* post(url, { ...headers, "content-type": "text/plain" }, listing),
        large: yield* post(url, headers, " ".repeat(1_048_577))
      }
      assert.deepStrictEqual(
        Object.entries(refusals).map(([name, { body, headers: received, status }]) => [
          name,
          status,
          received.get("content-type"),
          body.code
        ]),
        [
          ["noKey", 401, "application/problem+json", "unauthorized"],
          ["wrongKey", 401, "application/problem+json", "unauthorized"],
          ["cookie", 401, "application/problem+json", "unauthorized"],
          ["foreign", 403, "application/problem+json", "cross_origin"],
          ["foreignRead", 403, "application/problem+json", "cross_origin"],
          ["read", 405, "application/problem+json", "method_not_allowed"],
          ["end", 405, "application/problem+json", "method_not_allowed"],
          ["text", 415, "application/problem+json", "unsupported_media_type"],
          ["large", 413, "application/problem+json", "payload_too_large"]
        ]
      )
      assert.strictEqual(refusals.noKey.headers.get("www-authenticate"), 'Bearer realm="social-publisher"')
      assert.strictEqual(refusals.read.headers.get("allow"), "POST")
    })
  )

  it.effect("A page of the service itself may use the server of agents with a key", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { key } = yield* makeTeam
      const { body, status } = yield* post(url, { ...headersOf(key, "tools/list"), origin: baseUrl }, listing)
      assert.strictEqual(status, 200)
      assert.isAbove(body.result.tools.length, 0)
    })
  )

  it.effect("What is no message of the protocol is answered in its words", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { key } = yield* makeTeam
      const headers = headersOf(key, "tools/list")
      const withoutMethod = Struct.omit(headers, ["mcp-method"])
      const answers = [
        yield* post(url, headers, "{"),
        yield* post(url, headers, `[${listing}]`),
        yield* post(url, headers, `${"[".repeat(200_000)}${"]".repeat(200_000)}`),
        yield* post(url, withoutMethod, listing),
        yield* post(url, { ...headers, "mcp-protocol-version": "2031-01-01" }, listing.replace(revision, "2031-01-01")),
        yield* post(url, { ...headers, "mcp-protocol-version": "2031-01-01" }, listing),
        yield* ask(url, key, "no/such")
      ]
      assert.deepStrictEqual(
        answers.map(({ body, status }) => [status, body.error.code]),
        [
          [400, -32_700],
          [400, -32_600],
          [400, -32_600],
          [400, -32_020],
          [400, -32_022],
          [400, -32_020],
          [404, -32_601]
        ]
      )
    })
  )

  it.effect("A request counts once, with whatever its tool asks of the API", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { key } = yield* makeTeam
      const remaining = ({ headers }: { readonly headers: Headers }) =>
        /;r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]
      assert.strictEqual(remaining(yield* ask(url, key, "tools/list")), "299")
      const call = yield* ask(url, key, "tools/call", { name: "get_workspace", arguments: {} })
      assert.strictEqual(remaining(call), "298")
      assert.strictEqual(call.body.result.structuredContent.rate_limit.remaining, 298)
      assert.strictEqual(remaining(yield* send(`${url}/v1/me`, { headers: { authorization: `Bearer ${key}` } })), "297")
    })
  )

  it.effect("The same call twice creates one post, and another occurrence a second one", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { key, workspaceId } = yield* makeTeam
      const args = { content: "Hello", platforms: ["bluesky"] }
      const first = yield* callTool(url, key, "create_post", args)
      const again = yield* callTool(url, key, "create_post", { platforms: ["bluesky"], tags: null, content: "Hello" })
      const second = yield* callTool(url, key, "create_post", { ...args, occurrence: 2 })
      const other = yield* callTool(url, (yield* makeKey(workspaceId)).key, "create_post", args)
      assert.deepStrictEqual(
        [first, again, second, other].map(({ data }) => data.replayed),
        [false, true, false, false]
      )
      assert.strictEqual(again.data.id, first.data.id)
      const { data } = yield* callTool(url, key, "list_posts")
      assert.strictEqual(data.posts.length, 3)
    })
  )
})
