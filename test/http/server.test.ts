import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import net from "node:net"
import { send } from "../support/http/client.ts"
import { makeHeldRoute } from "../support/http/routes.ts"
import { baseUrl, startServer } from "../support/http/server.ts"
import { version } from "../../src/domain/version.ts"
import { listenError } from "../../src/http/node/nodeServer.ts"

/** Waits until the server refuses connections. */
const waitUntilRefused = (url: string): Effect.Effect<void> =>
  Effect.callback<boolean>((resume) => {
    const { hostname, port } = new URL(url)
    const socket = net.connect(Number(port), hostname)
    socket.once("connect", () => {
      socket.destroy()
      resume(Effect.succeed(false))
    })
    socket.once("error", () => resume(Effect.succeed(true)))
  }).pipe(Effect.repeat({ until: (refused) => refused }), Effect.asVoid)

describe("operational endpoints", () => {
  it.effect("GET /healthz returns 200 while a readiness check fails", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ readiness: [{ name: "database", ok: false, detail: "unavailable" }] })
      const { status, body } = yield* send(`${url}/healthz`)
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(body, { status: "ok", version })
    })
  )

  it.effect("GET /readyz returns 200 with the checks when all of them pass", () =>
    Effect.gen(function* () {
      const readiness = [{ name: "database", ok: true, detail: "answers" }]
      const url = yield* startServer({ readiness })
      const { status, body } = yield* send(`${url}/readyz`)
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(body, { status: "ready", checks: readiness })
    })
  )

  it.effect("GET /readyz returns a 503 that names the failed check", () =>
    Effect.gen(function* () {
      const url = yield* startServer({
        readiness: [
          { name: "database", ok: true, detail: "answers" },
          { name: "publisher", ok: false, detail: "no tick for 2 minutes" }
        ]
      })
      const { status, headers, body } = yield* send(`${url}/readyz`)
      assert.strictEqual(status, 503)
      assert.strictEqual(headers.get("retry-after"), "5")
      assert.strictEqual(body.code, "unavailable")
      assert.strictEqual(body.detail, "publisher: no tick for 2 minutes")
    })
  )

  it.effect("GET /openapi.json describes the API under the address that clients use", () =>
    Effect.gen(function* () {
      const url = yield* startServer()
      const { status, body } = yield* send(`${url}/openapi.json`)
      assert.strictEqual(status, 200)
      assert.strictEqual(body.openapi, "3.1.0")
      assert.deepStrictEqual(body.servers, [{ url: baseUrl }])
      assert.containsAllKeys(body.paths, ["/v1/posts", "/v1/posts/{id}/publish", "/v1/notifications"])
    })
  )

  it.effect("GET /docs is a page that contains its scripts, so that it works offline", () =>
    Effect.gen(function* () {
      const url = yield* startServer()
      const { status, headers, text } = yield* send(`${url}/docs`)
      assert.strictEqual(status, 200)
      assert.include(headers.get("content-type"), "text/html")
      const [head = ""] = text.split("<script>")
      assert.notMatch(head, /<script|<link/)
      assert.notMatch(text, /<script[^>]+src=/)
      assert.include(text, "createApiReference")
    })
  )

  it.effect("GET /docs offers no feature that sends the document to a third party", () =>
    Effect.gen(function* () {
      const { text } = yield* send(`${yield* startServer()}/docs`)
      const settings = /\.\.\.(\{"_integration".*\}),$/m.exec(text)?.[1] ?? "{}"
      assert.deepInclude(JSON.parse(settings), {
        showDeveloperTools: "never",
        hideClientButton: true,
        withDefaultFonts: false
      })
    })
  )
})

describe("server", () => {
  it.effect("Starting on a port that is in use fails with one line that names the variable", () =>
    Effect.gen(function* () {
      const url = yield* startServer()
      const port = Number(new URL(url).port)
      const error = yield* Effect.flip(startServer({ port }))
      assert.strictEqual(error._tag, "ListenError")
      assert.strictEqual(
        error.message,
        `PORT ${port} is in use on 127.0.0.1: stop what listens there, or set PORT to another one`
      )
    })
  )

  it("Every error of listening names the variable to change", () => {
    const explained = (code: string) => listenError({ code }, "10.9.8.7", 80).message
    assert.match(explained("EACCES"), /^PORT 80 .* set PORT/)
    assert.match(explained("EADDRNOTAVAIL"), /^HOST 10.9.8.7 /)
    assert.match(explained("EWHATEVER"), /HOST 10.9.8.7, PORT 80/)
  })

  it.effect("Closing the server refuses connections, waits for the request in flight, and then completes", () =>
    Effect.gen(function* () {
      const held = yield* makeHeldRoute
      const scope = yield* Scope.make()
      const url = yield* startServer({ others: held.route }).pipe(Scope.provide(scope))
      const inFlight = yield* Effect.forkChild(send(`${url}/held`))
      yield* held.arrived
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* waitUntilRefused(url)
      assert.isUndefined(inFlight.pollUnsafe())
      yield* held.release
      assert.strictEqual((yield* Fiber.join(inFlight)).text, "done")
      yield* Fiber.join(closing)
    })
  )
})
