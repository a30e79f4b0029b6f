import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { createHash } from "node:crypto"
import { send } from "../../support/http/client.ts"
import { startServer } from "../../support/http/server.ts"

describe("security headers", () => {
  const contentSecurityPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

  it.effect.each([
    { path: "/v1/posts", status: 401 },
    { path: "/nowhere", status: 404 },
    { path: "/healthz", status: 200 },
    { path: "/broken", status: 500 }
  ])("The $status response of $path forbids caching, MIME sniffing, framing and referrers", ({ path, status }) =>
    Effect.gen(function* () {
      const broken = HttpRouter.add("GET", "/broken", Effect.die(new Error("broken")))
      const url = yield* startServer({ others: broken })
      const { headers, status: received } = yield* send(`${url}${path}`)
      assert.strictEqual(received, status)
      assert.strictEqual(headers.get("cache-control"), "no-store")
      assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
      assert.strictEqual(headers.get("content-security-policy"), contentSecurityPolicy)
      assert.strictEqual(headers.get("referrer-policy"), "no-referrer")
    })
  )

  it.effect("Strict-Transport-Security is sent only by a service that clients reach by HTTPS", () =>
    Effect.gen(function* () {
      const plain = yield* send(`${yield* startServer({ servedAt: "http://127.0.0.1:3000" })}/healthz`)
      assert.isNull(plain.headers.get("strict-transport-security"))
      const proxied = yield* send(`${yield* startServer({ servedAt: "https://posts.example" })}/healthz`)
      assert.strictEqual(proxied.headers.get("strict-transport-security"), "max-age=31536000")
    })
  )

  it.effect("A route's own cache-control is kept", () =>
    Effect.gen(function* () {
      const page = HttpServerResponse.text("A page", { headers: { "cache-control": "max-age=60" } })
      const url = yield* startServer({ others: HttpRouter.add("GET", "/page", page) })
      const { headers } = yield* send(`${url}/page`)
      assert.strictEqual(headers.get("cache-control"), "max-age=60")
    })
  )
})

describe("GET /docs", () => {
  it.effect("The Content-Security-Policy allows the page's own scripts by hash, and no other origin", () =>
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
