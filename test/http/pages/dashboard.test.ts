import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { dashboardPaths } from "../../../src/api/dashboardPaths.ts"
import { hashSource } from "../../../src/http/pages/contentSecurity.ts"
import { DashboardMissing, dashboardLayer } from "../../../src/http/pages/dashboard.ts"
import { call, send } from "../../support/http/client.ts"
import { connectRaw } from "../../support/http/rawConnection.ts"
import { ServerUrl, startServer } from "../../support/http/server.ts"

const bundle = {
  script: "dashboard-AAAA.js",
  styles: "styles-BBBB.css",
  icon: "icon-CCCC.svg",
  assets: {
    "dashboard-AAAA.js": "console.log(1)",
    "styles-BBBB.css": "body{margin:0}",
    "icon-CCCC.svg": "<svg/>",
    "Page-DDDD.js": "export{}"
  }
}

const dashboard = dashboardLayer({ bundle: Effect.succeed(bundle), demo: true })

const paths = dashboardPaths.map((path) => path.replace(":id", "01a1fc17-0000-7000-8000-000000000001"))

/** `styles` are the sources of inline styles. */
const policyWith = (styles: string) =>
  `default-src 'none'; script-src 'self'; style-src 'self' ${styles}; img-src 'self' blob:; media-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`

const demoOffer = '<meta name="demo" content="on">'

layer(ServerUrl.layer({ others: dashboard }))("The dashboard's document", (it) => {
  it.effect.each(paths)("GET %s gets the document, with a policy that allows what the service itself has", (path) =>
    Effect.gen(function* () {
      const { headers, status, text } = yield* send(`${yield* ServerUrl}${path}`)
      assert.strictEqual(status, 200)
      assert.strictEqual(headers.get("content-type"), "text/html; charset=utf-8")
      const styles = Array.from(text.matchAll(/<style>(.*?)<\/style>/gs), ([, style = ""]) => hashSource(style))
      assert.lengthOf(styles, 1)
      assert.strictEqual(headers.get("content-security-policy"), policyWith(styles.join(" ")))
      assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
      assert.strictEqual(headers.get("cache-control"), "no-cache")
      assert.include(text, '<script type="module" src="/assets/dashboard-AAAA.js">')
      assert.include(text, '<link rel="stylesheet" href="/assets/styles-BBBB.css">')
      assert.notMatch(text, / style=|https?:/)
    })
  )

  it.effect.each(["/calendar", "/posts/a/b", "/settings/other", "/index.html"])("GET %s stays a 404 problem", (path) =>
    Effect.gen(function* () {
      const { body, headers, status } = yield* call(`${yield* ServerUrl}${path}`)
      assert.strictEqual(status, 404)
      assert.strictEqual(headers.get("content-type"), "application/problem+json")
      assert.strictEqual(body.code, "not_found")
    })
  )

  it.effect("A client that has the document gets a 304", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { headers } = yield* send(`${url}/posts`)
      const again = yield* send(`${url}/`, { headers: { "if-none-match": `, "1", , W/${headers.get("etag")},` } })
      assert.strictEqual(again.status, 304)
    })
  )
})

layer(ServerUrl.layer({ others: dashboard }))("The dashboard's scripts and styles", (it) => {
  it.effect.each([
    { name: "dashboard-AAAA.js", type: "text/javascript; charset=utf-8" },
    { name: "Page-DDDD.js", type: "text/javascript; charset=utf-8" },
    { name: "styles-BBBB.css", type: "text/css; charset=utf-8" },
    { name: "icon-CCCC.svg", type: "image/svg+xml" }
  ])("$name is served as $type and may be kept for good, as its name has the hash of its content", ({ name, type }) =>
    Effect.gen(function* () {
      const { headers, status } = yield* send(`${yield* ServerUrl}/assets/${name}`, {
        headers: { "accept-encoding": "gzip, br" }
      })
      assert.strictEqual(status, 200)
      assert.strictEqual(headers.get("content-type"), type)
      assert.strictEqual(headers.get("cache-control"), "public, max-age=31536000, immutable")
      assert.strictEqual(headers.get("content-encoding"), "br")
    })
  )

  it.effect.each(["other.js", "dashboard-AAAA.js.map", "..%2Fmain.ts", "__proto__", "constructor"])(
    "There is no asset %s",
    (name) =>
      Effect.gen(function* () {
        const { body, status } = yield* call(`${yield* ServerUrl}/assets/${name}`)
        assert.strictEqual(status, 404)
        assert.strictEqual(body.code, "not_found")
      })
  )
})

/** The document's text for a request with this Host header. */
const documentFor = (url: string, host: string) =>
  Effect.gen(function* () {
    const connection = yield* connectRaw(url)
    connection.send(`GET /login HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
    const response = yield* connection.response
    return response?.text ?? ""
  })

describe("The offer to continue as demo", () => {
  it.effect("It is made where the request names this machine, and to no other name that leads to it", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ others: dashboard })
      for (const host of ["127.0.0.1:3000", "localhost", "LOCALHOST:80", "127.1.2.3", "[::1]:3000"]) {
        assert.include(yield* documentFor(url, host), demoOffer, host)
      }
      for (const host of ["attacker.example", "127.0.0.1.attacker.example", "localhost.attacker.example:3000"]) {
        const text = yield* documentFor(url, host)
        assert.include(text, "<title>")
        assert.notInclude(text, demoOffer, host)
      }
    })
  )

  it.effect("It is not made by a service that has no demo", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ others: dashboardLayer({ bundle: Effect.succeed(bundle), demo: false }) })
      assert.notInclude(yield* documentFor(url, "localhost"), demoOffer)
    })
  )
})

it.effect(
  "A dashboard that could not be prepared is prepared again for a request five seconds later, and then kept",
  () =>
    Effect.gen(function* () {
      let attempts = 0
      const prepare = Effect.suspend(() => {
        attempts += 1
        return attempts === 1
          ? Effect.fail(new DashboardMissing({ message: "there was no time" }))
          : Effect.succeed(bundle)
      })
      const url = yield* startServer({ others: dashboardLayer({ bundle: prepare, demo: false }) })
      const statuses = [(yield* send(`${url}/`)).status, (yield* send(`${url}/`)).status]
      yield* TestClock.adjust("5 seconds")
      statuses.push((yield* send(`${url}/`)).status, (yield* send(`${url}/posts`)).status)
      assert.deepStrictEqual(statuses, [503, 503, 200, 200])
      assert.strictEqual(attempts, 2)
    })
)

it.effect("Without its files the dashboard's pages are unavailable, and the API is not", () =>
  Effect.gen(function* () {
    const missing = new DashboardMissing({ message: "it can't be read" })
    const url = yield* startServer({ others: dashboardLayer({ bundle: Effect.fail(missing), demo: false }) })
    const { body, status } = yield* call(`${url}/`)
    assert.strictEqual(status, 503)
    assert.strictEqual(body.code, "unavailable")
    assert.strictEqual((yield* send(`${url}/healthz`)).status, 200)
  })
)
