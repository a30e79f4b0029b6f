import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { connectRaw, type RawConnection } from "../../support/http/rawConnection.ts"
import { makeHeldRoute } from "../../support/http/routes.ts"
import { startServer } from "../../support/http/server.ts"

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`

const sendHealthCheck = (connection: RawConnection) => {
  connection.send(get("/healthz"))
  return Effect.map(connection.response, (response) => response?.status)
}

describe("connection limit", () => {
  it.effect("A connection beyond an address's share gets a 429 and is closed, until another one has ended", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ limits: { maxConnections: 10, maxConnectionsPerAddress: 2 } })
      const scope = yield* Scope.make()
      const first = yield* connectRaw(url).pipe(Scope.provide(scope))
      const second = yield* connectRaw(url)
      assert.strictEqual(yield* sendHealthCheck(second), 200)
      const third = yield* connectRaw(url)
      const refusal = yield* third.response
      assert.strictEqual(refusal?.status, 429)
      assert.strictEqual(refusal?.headers["retry-after"], "5")
      assert.deepInclude(JSON.parse(refusal?.text ?? ""), {
        code: "rate_limited",
        detail: "Your address has reached its limit of open connections; close some, or try again in a few seconds"
      })
      yield* third.closed
      assert.strictEqual(yield* sendHealthCheck(first), 200)
      yield* Scope.close(scope, Exit.void)
      const reconnect = Effect.scoped(Effect.flatMap(connectRaw(url), sendHealthCheck))
      yield* Effect.repeat(reconnect, { until: (status) => status === 200 })
    })
  )

  it.effect("A full server closes a connection without a pending request to make room for another one", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ limits: { maxConnections: 2, maxConnectionsPerAddress: 10 } })
      const silent = yield* connectRaw(url)
      const used = yield* connectRaw(url)
      yield* sendHealthCheck(used)
      const latest = yield* connectRaw(url)
      yield* silent.closed
      assert.strictEqual(yield* sendHealthCheck(latest), 200)
      assert.strictEqual(yield* sendHealthCheck(used), 200)
    })
  )

  it.effect("A full server refuses a connection with a 503 while all others have a pending request", () =>
    Effect.gen(function* () {
      const held = yield* makeHeldRoute
      const url = yield* startServer({
        others: held.route,
        limits: { maxConnections: 1, maxConnectionsPerAddress: 10 }
      })
      const served = yield* connectRaw(url)
      served.send(get("/held"))
      yield* held.arrived
      const refused = yield* connectRaw(url)
      const refusal = yield* refused.response
      assert.strictEqual(refusal?.status, 503)
      assert.strictEqual(refusal?.headers["retry-after"], "5")
      yield* refused.closed
      yield* held.release
      assert.strictEqual((yield* served.response)?.text, "done")
    })
  )

  it.effect("A connection that pipelines more than 32 requests is closed", () =>
    Effect.gen(function* () {
      const held = yield* makeHeldRoute
      const url = yield* startServer({ others: held.route })
      const withinLimit = yield* connectRaw(url)
      withinLimit.send(get("/held").repeat(32))
      yield* held.arrived
      const beyondLimit = yield* connectRaw(url)
      beyondLimit.send(get("/held").repeat(33))
      yield* beyondLimit.closed
      yield* held.release
      for (let count = 0; count < 32; count++) assert.strictEqual((yield* withinLimit.response)?.text, "done")
    })
  )

  it.effect("Connections without a complete request or with an unread response do not delay the shutdown", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const url = yield* startServer().pipe(Scope.provide(scope))
      const silent = yield* connectRaw(url)
      const begun = yield* connectRaw(url)
      begun.send("GET / HTTP/1.1\r\nX-Be")
      const idle = yield* connectRaw(url)
      yield* sendHealthCheck(idle)
      const slowReader = yield* connectRaw(url, { unread: true })
      slowReader.send(get("/docs"))
      yield* Scope.close(scope, Exit.void)
      yield* Effect.all([silent.closed, begun.closed, idle.closed])
    })
  )
})
