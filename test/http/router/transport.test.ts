import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { createHash } from "node:crypto"
import { send } from "../../support/http/client.ts"
import { startServer } from "../../support/http/server.ts"

/** A page that tells who called, as far as the server knows. */
const who = HttpRouter.add(
  "GET",
  "/who",
  Effect.map(HttpServerRequest.HttpServerRequest, ({ headers, protocol, remoteAddress }) =>
    HttpServerResponse.jsonUnsafe({
      address: Option.getOrNull(remoteAddress),
      protocol: protocol ?? null,
      host: headers["host"]
    })
  )
)

describe("what X-Forwarded headers say", () => {
  const spoofed = {
    "x-forwarded-for": "198.51.100.7",
    "x-forwarded-proto": "https",
    "x-forwarded-host": "elsewhere.example"
  }

  it.effect("is not believed unless a proxy is trusted", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ others: who })
      const { body } = yield* send(`${url}/who`, { headers: spoofed })
      assert.deepStrictEqual(body, { address: "127.0.0.1", protocol: null, host: new URL(url).host })
    })
  )

  it.effect.each([
    {
      what: "a proxy that says everything",
      headers: spoofed,
      address: "198.51.100.7",
      protocol: "https",
      host: "elsewhere.example"
    },
    {
      what: "a proxy that adds to what the caller made up",
      headers: { "x-forwarded-for": "6.6.6.6, 198.51.100.7", "x-forwarded-proto": "http, https" },
      address: "198.51.100.7",
      protocol: "https"
    },
    {
      what: "a proxy that adds itself for the caller behind many others",
      headers: { "x-forwarded-for": "1.1.1.1,10.0.0.1 , 2001:db8::1", "x-forwarded-proto": "https" },
      address: "2001:db8::1",
      protocol: "https"
    },
    {
      what: "a proxy that tells the port too",
      headers: { "x-forwarded-for": "198.51.100.7:4711" },
      address: "198.51.100.7",
      protocol: null
    },
    {
      what: "a proxy that tells the protocol alone",
      headers: { "x-forwarded-proto": "https" },
      address: "127.0.0.1",
      protocol: "https"
    },
    {
      what: "a proxy that hides the caller",
      headers: { "x-forwarded-for": "unknown" },
      address: "127.0.0.1",
      protocol: null
    },
    {
      what: "a proxy that passes nonsense on",
      headers: { "x-forwarded-for": "198.51.100.7", "x-forwarded-host": "a/b", "x-forwarded-proto": "gopher" },
      address: "198.51.100.7",
      protocol: null
    }
  ])("is taken from the proxy itself where it is trusted: $what", ({ headers, address, protocol, ...said }) =>
    Effect.gen(function* () {
      const url = yield* startServer({ others: who, trustProxy: "on" })
      const { body } = yield* send(`${url}/who`, { headers: headers as Record<string, string> })
      assert.deepStrictEqual(body, { address, protocol, host: "host" in said ? said.host : new URL(url).host })
    })
  )

  it.effect("that the caller came by plain HTTP is a 403", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ trustProxy: "on" })
      const { status, body } = yield* send(`${url}/v1/posts`, {
        headers: { "x-forwarded-for": "198.51.100.7", "x-forwarded-proto": "http" }
      })
      assert.strictEqual(status, 403)
      assert.deepInclude(body, {
        code: "https_required",
        detail: "The request came to the proxy by plain HTTP; use https"
      })
    })
  )
})

describe("every answer", () => {
  const strict = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

  it.effect.each([
    { path: "/v1/posts", status: 401 },
    { path: "/nowhere", status: 404 },
    { path: "/healthz", status: 200 },
    { path: "/openapi.json", status: 200 },
    { path: "/broken", status: 500 }
  ])("is not kept, not guessed at and not framed: $path", ({ path, status }) =>
    Effect.gen(function* () {
      const broken = HttpRouter.add("GET", "/broken", Effect.die(new Error("broken")))
      const url = yield* startServer({ others: broken })
      const answer = yield* send(`${url}${path}`)
      assert.strictEqual(answer.status, status)
      assert.strictEqual(answer.headers.get("cache-control"), "no-store")
      assert.strictEqual(answer.headers.get("x-content-type-options"), "nosniff")
      assert.strictEqual(answer.headers.get("content-security-policy"), strict)
      assert.strictEqual(answer.headers.get("referrer-policy"), "no-referrer")
    })
  )

  it.effect("asks for HTTPS from then on only where clients come by HTTPS", () =>
    Effect.gen(function* () {
      const plain = yield* send(`${yield* startServer({ servedAt: "http://127.0.0.1:3000" })}/healthz`)
      assert.isNull(plain.headers.get("strict-transport-security"))
      const proxied = yield* send(`${yield* startServer({ servedAt: "https://posts.example" })}/healthz`)
      assert.strictEqual(proxied.headers.get("strict-transport-security"), "max-age=31536000")
    })
  )

  it.effect("keeps what a page says of itself", () =>
    Effect.gen(function* () {
      const page = HttpServerResponse.text("A page", { headers: { "cache-control": "max-age=60" } })
      const url = yield* startServer({ others: HttpRouter.add("GET", "/page", page) })
      const { headers } = yield* send(`${url}/page`)
      assert.strictEqual(headers.get("cache-control"), "max-age=60")
    })
  )
})

describe("the reference page", () => {
  it.effect("runs its own scripts and no others, and asks nobody else for anything", () =>
    Effect.gen(function* () {
      const url = yield* startServer()
      const { headers, text } = yield* send(`${url}/docs`)
      const scripts = Array.from(text.matchAll(/<script[^>]*>(.*?)<\/script>/gs), ([, script = ""]) => script)
      const hashes = scripts.map((script) => `'sha256-${createHash("sha256").update(script).digest("base64")}'`)
      assert.isAtLeast(hashes.length, 1)
      assert.strictEqual(
        headers.get("content-security-policy"),
        `default-src 'none'; script-src ${hashes.join(" ")}; style-src 'unsafe-inline'; connect-src 'self'; ` +
          "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
      )
      assert.strictEqual(headers.get("content-type"), "text/html; charset=utf-8")
    })
  )
})
