import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { request } from "node:http"
import { call, send } from "../../support/http/client.ts"
import { connectRaw } from "../../support/http/rawConnection.ts"
import { aPostJson, postId } from "../../support/http/samplePosts.ts"
import { repoWithKey, startServer } from "../../support/http/server.ts"

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe("routing", () => {
  it.effect("A path at which nothing is served gets a 404 problem", () =>
    Effect.gen(function* () {
      const url = yield* startServer()
      for (const path of ["/", "/v1", "/v2/posts", "/v1/posts/a/b/c", "/v1/posts/%zz"]) {
        const { status, headers, body } = yield* call(`${url}${path}`)
        assert.strictEqual(status, 404, path)
        assert.strictEqual(headers.get("content-type"), "application/problem+json")
        assert.strictEqual(body.code, "not_found")
        assert.strictEqual(body.request_id, headers.get("x-request-id"))
      }
    })
  )

  it.effect("A browser is shown a page where there is none, which leads back", () =>
    Effect.gen(function* () {
      const url = yield* startServer()
      const accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
      for (const path of ["/nowhere", "/posts/a/b", "/v1nowhere", "/%zz"]) {
        const { headers, status, text } = yield* send(`${url}${path}`, { headers: { accept } })
        assert.deepStrictEqual([status, headers.get("content-type")], [404, "text/html; charset=utf-8"], path)
        assert.include(text, '<a href="/">')
        assert.include(headers.get("content-security-policy") ?? "", "default-src 'none'")
        assert.isNotNull(headers.get("x-request-id"))
      }
    })
  )

  it.effect.each<readonly [string, string, string, string]>([
    ["that takes anything", "GET", "/nowhere", "*/*"],
    ["that prefers JSON", "GET", "/nowhere", "application/json, text/html;q=0.9"],
    ["that refuses pages", "GET", "/nowhere", "text/html;q=0, */*"],
    ["of the API, whatever it takes", "GET", "/v1/nowhere", "text/html"],
    ["that changes something", "POST", "/nowhere", "text/html"]
  ])("A request %s gets a problem where nothing is served", ([, method, path, accept]) =>
    Effect.gen(function* () {
      const url = yield* startServer()
      const { headers, status } = yield* send(`${url}${path}`, { method, headers: { accept } })
      assert.deepStrictEqual([status, headers.get("content-type")], [404, "application/problem+json"])
    })
  )

  it.effect.each(["/healthz", "/readyz", "/metrics", "/openapi.json", "/docs", "/llms.txt", "/agents.md"])(
    "%s has one spelling, so that a proxy that protects it protects all of it",
    (path) =>
      Effect.gen(function* () {
        const url = yield* startServer()
        const letter = path.slice(1, 2)
        const encoded = letter.charCodeAt(0).toString(16)
        const spellings = [
          `${path}/`,
          `${path}/?x`,
          `/${path}`,
          `/%${encoded}${path.slice(2)}`,
          `${path};x`,
          path.toUpperCase()
        ]
        for (const spelling of spellings) {
          const connection = yield* connectRaw(url)
          connection.send(`GET ${spelling} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
          assert.strictEqual((yield* connection.response)?.status, 404, spelling)
        }
      })
  )

  it.effect("Only OPTIONS asks for the whole server; GET * is no page", () =>
    Effect.gen(function* () {
      const page = HttpRouter.add("GET", "/", HttpServerResponse.text("A page"))
      const url = yield* startServer({ others: page })
      const connection = yield* connectRaw(url)
      connection.send("GET * HTTP/1.1\r\nHost: a\r\n\r\n")
      assert.strictEqual((yield* connection.response)?.status, 404)
    })
  )

  it.effect.each([
    { method: "PUT", path: "/v1/posts", allow: ["GET", "POST", "HEAD", "OPTIONS"] },
    { method: "PUT", path: `/v1/posts/${postId}`, allow: ["GET", "DELETE", "PATCH", "HEAD", "OPTIONS"] },
    { method: "GET", path: `/v1/posts/${postId}/publish`, allow: ["POST", "OPTIONS"] },
    { method: "HEAD", path: `/v1/posts/${postId}/publish`, allow: ["POST", "OPTIONS"] },
    { method: "POST", path: "/v1/integrations", allow: ["GET", "HEAD", "OPTIONS"] },
    { method: "POST", path: "/docs", allow: ["GET", "HEAD", "OPTIONS"] },
    { method: "DELETE", path: "/healthz", allow: ["GET", "HEAD", "OPTIONS"] },
    { method: "POST", path: "/page/1", allow: ["GET", "HEAD", "OPTIONS"] },
    { method: "PROPFIND", path: "/v1/notifications", allow: ["GET", "HEAD", "OPTIONS"] }
  ])("$method $path gets a 405 that lists the allowed methods", ({ method, path, allow }) =>
    Effect.gen(function* () {
      const page = HttpRouter.add("GET", "/page/:number", HttpServerResponse.text("A page"))
      const url = yield* startServer({ others: page })
      const { status, headers, body } = yield* call(`${url}${path}`, method)
      assert.strictEqual(status, 405)
      assert.sameMembers(headers.get("allow")?.split(", ") ?? [], allow)
      if (method !== "HEAD") assert.strictEqual(body.code, "method_not_allowed")
    })
  )

  it.effect("OPTIONS returns the allowed methods without a key", () =>
    Effect.gen(function* () {
      const url = yield* startServer()
      const known = yield* send(`${url}/v1/posts`, { method: "OPTIONS" })
      assert.strictEqual(known.status, 204)
      assert.strictEqual(known.headers.get("allow"), "GET, POST, HEAD, OPTIONS")
      const unknown = yield* send(`${url}/nowhere`, { method: "OPTIONS" })
      assert.strictEqual(unknown.status, 404)
    })
  )

  it.effect("HEAD gets the response of GET without the body, including errors", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ repo: repoWithKey({ posts: { getJson: () => Effect.succeed(aPostJson()) } }) })
      const got = yield* call(`${url}/v1/posts/${postId}`)
      const head = yield* call(`${url}/v1/posts/${postId}`, "HEAD")
      assert.strictEqual(head.status, 200)
      assert.strictEqual(head.text, "")
      assert.strictEqual(head.headers.get("content-length"), got.headers.get("content-length"))
      const refused = yield* send(`${url}/v1/posts`, { method: "HEAD" })
      assert.strictEqual(refused.status, 401)
      assert.strictEqual(refused.text, "")
    })
  )

  it.effect("Routes beside the API get the same problems for errors and defects", () =>
    Effect.gen(function* () {
      const others = HttpRouter.use((router) =>
        Effect.all([
          router.add("GET", "/page", HttpServerResponse.empty({ status: 404 })),
          router.add("GET", "/broken", Effect.die(new Error("a secret"))),
          router.add("GET", "/own", HttpServerResponse.jsonUnsafe({ title: "Mine" }, { status: 403 }))
        ])
      )
      const url = yield* startServer({ others })
      assert.strictEqual((yield* send(`${url}/page`)).body.code, "not_found")
      const failed = yield* send(`${url}/broken`)
      assert.strictEqual(failed.body.code, "internal")
      assert.notInclude(failed.text, "secret")
      assert.deepStrictEqual((yield* send(`${url}/own`)).body, { title: "Mine" })
    })
  )
})

describe("request id", () => {
  it.effect("Every response has an id of its own", () =>
    Effect.gen(function* () {
      const url = yield* startServer()
      const ids = yield* Effect.forEach(["/healthz", "/v1/posts", "/nowhere", "/docs"], (path) =>
        Effect.map(send(`${url}${path}`), ({ headers }) => headers.get("x-request-id"))
      )
      for (const id of ids) assert.match(id ?? "", uuid)
      assert.strictEqual(new Set(ids).size, ids.length)
    })
  )

  it.effect.each([
    { id: "order-66.a_b_c", outcome: "returned" },
    { id: "a".repeat(64), outcome: "returned" },
    { id: "0af7651916cd43dd8448eb211c80319c", outcome: "returned" },
    { id: "01ARZ3NDEKTSV4RRFFQ69G5FAV", outcome: "returned" },
    { id: "a".repeat(65), outcome: "replaced" },
    { id: "order:66", outcome: "replaced" },
    { id: "sps_wOaMgeHB2ZLC2foqCMkdjXKjSfPmom8M_385viI", outcome: "replaced" },
    { id: "q8Zp2LxV0sRt7YwK4nBc9JhG", outcome: "replaced" },
    { id: "two words", outcome: "replaced" },
    { id: 'a"},{"', outcome: "replaced" },
    { id: "<script>", outcome: "replaced" }
  ])("The client's request id $id is $outcome", ({ id, outcome }) =>
    Effect.gen(function* () {
      const url = yield* startServer()
      const { headers, body } = yield* send(`${url}/v1/posts`, { headers: { "x-request-id": id } })
      assert.strictEqual(headers.get("x-request-id") === id, outcome === "returned")
      assert.strictEqual(body.request_id, headers.get("x-request-id"))
    })
  )
})

describe("malformed requests", () => {
  it.effect.each(["GET", "HEAD"])("A %s with a path that is too long gets a 431 that its client can parse", (method) =>
    Effect.gen(function* () {
      const url = yield* startServer()
      const status = yield* Effect.callback<number | undefined, Error>((resume) => {
        const sent = request(`${url}/${"a".repeat(17_000)}`, { method }, (response) => {
          response.resume().on("end", () => resume(Effect.succeed(response.statusCode)))
        })
        sent.on("error", (error) => resume(Effect.fail(error))).end()
      })
      assert.strictEqual(status, 431)
    })
  )

  it.effect.each([
    { what: "noise", bytes: "NOISE\r\n\r\n", status: 400, code: "invalid_request" },
    {
      what: "oversized headers",
      bytes: `GET / HTTP/1.1\r\nHost: a\r\nX: ${"a".repeat(20_000)}\r\n\r\n`,
      status: 431,
      code: "headers_too_large"
    }
  ])("A client that sends $what gets a $status problem and is cut off", ({ bytes, status, code }) =>
    Effect.gen(function* () {
      const connection = yield* connectRaw(yield* startServer())
      connection.send(bytes)
      const response = yield* connection.response
      yield* connection.closed
      assert.strictEqual(response?.status, status)
      assert.strictEqual(response?.headers["content-type"], "application/problem+json")
      const problem = JSON.parse(response?.text ?? "")
      assert.strictEqual(problem.code, code)
      assert.strictEqual(problem.type, `urn:social-publisher:problem:${code}`)
      assert.strictEqual(response?.headers["x-request-id"], problem.request_id)
    })
  )
})
