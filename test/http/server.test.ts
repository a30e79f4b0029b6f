import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import net from "node:net"
import { send } from "../support/http/client.ts"
import { baseUrl, startServer } from "../support/http/server.ts"
import { listenError } from "../../src/http/node/nodeServer.ts"

/** Waits until nothing listens there any more. */
const refusesConnections = (url: string): Effect.Effect<void> =>
  Effect.callback<boolean>((resume) => {
    const { hostname, port } = new URL(url)
    const socket = net.connect(Number(port), hostname)
    socket.once("connect", () => {
      socket.destroy()
      resume(Effect.succeed(false))
    })
    socket.once("error", () => resume(Effect.succeed(true)))
  }).pipe(Effect.repeat({ until: (refused) => refused }), Effect.asVoid)

describe("beside the API", () => {
  it.effect("/healthz answers without asking anything", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ readiness: [{ name: "database", ok: false, detail: "away" }] })
      const { status, body } = yield* send(`${url}/healthz`)
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(body, { status: "ok" })
    })
  )

  it.effect("/readyz lists the checks when all of them hold", () =>
    Effect.gen(function* () {
      const readiness = [{ name: "database", ok: true, detail: "answers" }]
      const url = yield* startServer({ readiness })
      const { status, body } = yield* send(`${url}/readyz`)
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(body, { status: "ready", checks: readiness })
    })
  )

  it.effect("/readyz is a 503 that says what is lacking", () =>
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

  it.effect("/openapi.json describes the API at the address that clients use", () =>
    Effect.gen(function* () {
      const url = yield* startServer()
      const { status, body } = yield* send(`${url}/openapi.json`)
      assert.strictEqual(status, 200)
      assert.strictEqual(body.openapi, "3.1.0")
      assert.deepStrictEqual(body.servers, [{ url: baseUrl }])
      assert.containsAllKeys(body.paths, ["/v1/posts", "/v1/posts/{id}/publish", "/v1/notifications"])
    })
  )

  it.effect("/docs is a page that brings its own scripts, so that it works without the internet", () =>
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

  it.effect("/docs offers nothing that hands the document to somebody else", () =>
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

describe("the server", () => {
  it.effect("says in one line that the port is in use", () =>
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

  it("names the variable to change for whatever keeps it from listening", () => {
    const explained = (code: string) => listenError({ code }, "10.9.8.7", 80).message
    assert.match(explained("EACCES"), /^PORT 80 .* set PORT/)
    assert.match(explained("EADDRNOTAVAIL"), /^HOST 10.9.8.7 /)
    assert.match(explained("EWHATEVER"), /HOST 10.9.8.7, PORT 80/)
  })

  it.effect("stops accepting when it is closed, lets the request in flight finish, and is closed then", () =>
    Effect.gen(function* () {
      const arrived = yield* Deferred.make<void>()
      const permitted = yield* Deferred.make<void>()
      const slow = HttpRouter.add(
        "GET",
        "/slow",
        Deferred.succeed(arrived, undefined).pipe(
          Effect.andThen(Deferred.await(permitted)),
          Effect.as(HttpServerResponse.text("done"))
        )
      )
      const scope = yield* Scope.make()
      const url = yield* startServer({ others: slow }).pipe(Scope.provide(scope))
      const inFlight = yield* Effect.forkChild(send(`${url}/slow`))
      yield* Deferred.await(arrived)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* refusesConnections(url)
      assert.isUndefined(inFlight.pollUnsafe())
      yield* Deferred.succeed(permitted, undefined)
      assert.strictEqual((yield* Fiber.join(inFlight)).text, "done")
      yield* Fiber.join(closing)
    })
  )
})
