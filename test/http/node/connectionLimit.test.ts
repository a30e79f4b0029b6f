import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Scope } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { startServer } from "../../support/http/server.ts"
import { connectRaw } from "../../support/http/rawConnection.ts"

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`
const health = get("/healthz")

/** A page that is not answered until it is permitted. */
const makeSlowPage = Effect.gen(function* () {
  const arrived = yield* Deferred.make<void>()
  const permitted = yield* Deferred.make<void>()
  const page = HttpRouter.add(
    "GET",
    "/slow",
    Deferred.succeed(arrived, undefined).pipe(
      Effect.andThen(Deferred.await(permitted)),
      Effect.as(HttpServerResponse.text("done"))
    )
  )
  return { arrived: Deferred.await(arrived), page, permit: Deferred.succeed(permitted, undefined) }
})

describe("connections", () => {
  it.effect("beyond an address's share are told so and closed, until others have gone", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ limits: { maxConnections: 10, maxConnectionsPerAddress: 2 } })
      const scope = yield* Scope.make()
      const first = yield* connectRaw(url).pipe(Scope.provide(scope))
      const second = yield* connectRaw(url)
      second.send(health)
      assert.strictEqual((yield* second.answer)?.status, 200)
      const third = yield* connectRaw(url)
      const refusal = yield* third.answer
      assert.strictEqual(refusal?.status, 429)
      assert.strictEqual(refusal?.headers["retry-after"], "5")
      assert.deepInclude(JSON.parse(refusal?.text ?? ""), {
        code: "rate_limited",
        detail: "Your address has reached its limit of open connections"
      })
      yield* third.closed
      first.send(health)
      assert.strictEqual((yield* first.answer)?.status, 200)
      yield* Scope.close(scope, Exit.void)
      const again = Effect.scoped(
        Effect.flatMap(connectRaw(url), (connection) => {
          connection.send(health)
          return connection.answer
        })
      )
      yield* Effect.repeat(again, { until: (answer) => answer?.status === 200 })
    })
  )

  it.effect("that are not owed an answer make room for new ones, where there are as many as there may be", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ limits: { maxConnections: 2, maxConnectionsPerAddress: 10 } })
      const silent = yield* connectRaw(url)
      const reading = yield* connectRaw(url)
      reading.send(health)
      yield* reading.answer
      const fresh = yield* connectRaw(url)
      yield* silent.closed
      fresh.send(health)
      assert.strictEqual((yield* fresh.answer)?.status, 200)
      reading.send(health)
      assert.strictEqual((yield* reading.answer)?.status, 200)
    })
  )

  it.effect("are refused where all others are owed an answer, which they get", () =>
    Effect.gen(function* () {
      const slow = yield* makeSlowPage
      const url = yield* startServer({ others: slow.page, limits: { maxConnections: 1, maxConnectionsPerAddress: 10 } })
      const served = yield* connectRaw(url)
      served.send(get("/slow"))
      yield* slow.arrived
      const refused = yield* connectRaw(url)
      const refusal = yield* refused.answer
      assert.strictEqual(refusal?.status, 503)
      assert.strictEqual(refusal?.headers["retry-after"], "5")
      yield* refused.closed
      yield* slow.permit
      assert.strictEqual((yield* served.answer)?.text, "done")
    })
  )

  it.effect("that send more than 32 requests ahead of their answers are closed", () =>
    Effect.gen(function* () {
      const slow = yield* makeSlowPage
      const url = yield* startServer({ others: slow.page })
      const patient = yield* connectRaw(url)
      patient.send(get("/slow").repeat(32))
      yield* slow.arrived
      const hasty = yield* connectRaw(url)
      hasty.send(get("/slow").repeat(33))
      yield* hasty.closed
      yield* slow.permit
      for (let count = 0; count < 32; count++) assert.strictEqual((yield* patient.answer)?.text, "done")
    })
  )

  it.effect("that nothing was sent through do not hold up the end of the server", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const url = yield* startServer().pipe(Scope.provide(scope))
      const silent = yield* connectRaw(url)
      const begun = yield* connectRaw(url)
      begun.send("GET / HTTP/1.1\r\nX-Be")
      const idle = yield* connectRaw(url)
      idle.send(health)
      yield* idle.answer
      const slowReader = yield* connectRaw(url, { unread: true })
      slowReader.send(get("/docs"))
      yield* Scope.close(scope, Exit.void)
      yield* Effect.all([silent.closed, begun.closed, idle.closed])
    })
  )
})
