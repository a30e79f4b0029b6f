import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { call, keyHeaders, send } from "../../support/http/client.ts"
import { postId } from "../../support/http/samplePosts.ts"
import { apiKey, repoWithKey, ServerUrl, startServer } from "../../support/http/server.ts"

layer(ServerUrl.layer())("request body", (it) => {
  const authorized = keyHeaders(apiKey)
  const json = { ...authorized, "content-type": "application/json" }
  const nested = (levels: number) => `{"tags":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`

  it.effect.each([
    { what: "empty", headers: json, body: "", status: 400, detail: /empty/ },
    {
      what: "truncated",
      headers: json,
      body: '{"content":"a"',
      status: 400,
      detail: /not well-formed JSON.*position 14/
    },
    { what: "an array", headers: json, body: "[]", status: 400, detail: /JSON object/ },
    { what: "null", headers: json, body: "null", status: 400, detail: /JSON object/ },
    {
      what: "not UTF-8",
      headers: json,
      body: Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x7d),
      status: 400,
      detail: /UTF-8/
    },
    { what: "nested 33 deep", headers: json, body: nested(33), status: 400, detail: /deeper than 32/ },
    { what: "nested 400,000 deep", headers: json, body: nested(400_000), status: 400, detail: /deeper than 32/ },
    {
      what: "of more than 2,000 values",
      headers: json,
      body: JSON.stringify(Object.fromEntries(Array.from({ length: 9_900 }, (_, number) => [`member${number}`, 1]))),
      status: 400,
      detail: /more than 2000 values/
    },
    {
      what: "over 1 MiB",
      headers: json,
      body: JSON.stringify({ content: "a".repeat(1_048_576) }),
      status: 413,
      detail: /1 MiB/
    },
    {
      what: "plain text",
      headers: { ...authorized, "content-type": "text/plain" },
      body: "{}",
      status: 415,
      detail: /^The body came as text\/plain\. .*application\/json/
    },
    {
      what: "of a type that is very long",
      headers: { ...authorized, "content-type": `a/${"b".repeat(5000)}` },
      body: "{}",
      status: 415,
      detail: /^The body came as a\/b{98}\. /
    },
    {
      what: "a form",
      headers: { ...authorized, "content-type": "application/x-www-form-urlencoded" },
      body: "a=b",
      status: 415,
      detail: /^The body came as application\/x-www-form-urlencoded\. .*application\/json/
    },
    ...["utf-16", '"UTF-16"', "latin1", ""].map((charset) => ({
      what: `in the charset ${charset || "without a name"}`,
      headers: { ...authorized, "content-type": `application/json; version=1; charset=${charset}` },
      body: "{}",
      status: 415,
      detail: /^The body came with charset=.*\. Send it in UTF-8, with Content-Type: application\/json$/
    })),
    {
      what: "compressed",
      headers: { ...json, "content-encoding": "gzip" },
      body: "{}",
      status: 415,
      detail: /^The body came with Content-Encoding: gzip\. .*application\/json/
    }
  ])("A body that is $what gets a $status from every endpoint", ({ headers, body, status, detail }) =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      for (const [method, path] of [
        ["POST", "/v1/posts"],
        ["POST", "/v1/posts/validate"],
        ["PATCH", `/v1/posts/${postId}`]
      ]) {
        const response = yield* send(`${url}${path}`, { method: method ?? "", headers, body })
        assert.strictEqual(response.status, status, path)
        assert.strictEqual(response.headers.get("content-type"), "application/problem+json")
        assert.match(response.body.detail, detail)
        assert.strictEqual(response.body.request_id, response.headers.get("x-request-id"))
      }
    })
  )

  it.effect("A body without a key is small, and is refused unread if it is not", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const logIn = (body: unknown) => call(`${url}/v1/session`, "POST", body)
      const members = Object.fromEntries(Array.from({ length: 101 }, (_, number) => [`member${number}`, 1]))
      const many = yield* logIn(members)
      assert.deepStrictEqual([many.status, many.body.detail], [400, "The body has more than 100 values"])
      const long = yield* logIn({ email: "a@example.com", password: "a".repeat(20_000) })
      assert.deepStrictEqual([long.status, long.body.detail], [413, "This body may have 16 KiB at most"])
      const undeclared = yield* send(`${url}/v1/session`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: new Blob([JSON.stringify({ email: "a@example.com", password: "a".repeat(16_384) })]).stream(),
        duplex: "half"
      })
      assert.deepStrictEqual([undeclared.status, undeclared.body.detail], [413, "This body may have 16 KiB at most"])
    })
  )

  it.effect("A body that is nested 32 deep is read", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { body } = yield* call(`${url}/v1/posts`, "POST", nested(32))
      assert.deepInclude(body.errors, { path: ["content"], message: "This member is required" })
    })
  )

  it.effect("A body is read as JSON if its type is JSON, in UTF-8 if it names a charset, or if it has none", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ repo: repoWithKey({ integrations: { list: () => Effect.succeed([]) } }) })
      const body = new TextEncoder().encode(JSON.stringify({ content: "Hello", platforms: ["twitter"] }))
      const parameters = ["", "; charset=utf-8", ";Charset=UTF-8", '; charset="Utf-8"; version=1', "; charset=us-ascii"]
      const types = parameters.map((parameter) => ({ "content-type": `Application/JSON${parameter}` }))
      for (const type of [{}, ...types]) {
        const headers = { ...authorized, ...type }
        const { status } = yield* send(`${url}/v1/posts/validate`, { method: "POST", headers, body })
        assert.strictEqual(status, 200, JSON.stringify(type))
      }
    })
  )

  it.effect("A body is ignored where none is expected", () =>
    Effect.gen(function* () {
      const url = yield* startServer({
        repo: repoWithKey({ posts: { remove: () => Effect.succeed({ leftOnPlatforms: 0 }) } })
      })
      const { status } = yield* send(`${url}/v1/posts/${postId}`, {
        method: "DELETE",
        headers: { ...authorized, "content-type": "text/plain" },
        body: "noise"
      })
      assert.strictEqual(status, 200)
    })
  )
})
