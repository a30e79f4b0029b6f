import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Option, Ref } from "effect"
import { HttpClientRequest } from "effect/http"
import { createServer } from "node:http"
import type { LookupFunction } from "node:net"
import { makeExchangeCall } from "../../src/platforms/call.ts"
import { makeDispatcherExchange } from "../../src/platforms/exchange.ts"
import { ProcessId } from "../../src/domain/ids.ts"
import { leasedDispatcherLayer } from "../../src/publishing/leasedDispatcher.ts"
import { ProcessLease } from "../../src/publishing/ProcessLease.ts"

const [first, second] = [1, 2].map((number) => ProcessId.make(`01a1fc17-0000-7000-8000-00000000000${number}`))

/** A server that counts the requests that reach it. */
const countingServer = Effect.acquireRelease(
  Effect.callback<{ readonly port: number; readonly requests: () => number; readonly close: () => void }>((resume) => {
    let requests = 0
    const server = createServer((_, response) => {
      requests++
      response.end("{}")
    })
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      resume(Effect.succeed({ port, requests: () => requests, close: () => void server.close() }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

/**
 * Calls a platform whose name lookup the test completes. Returns the call, the pending lookup, the lease and the
 * request count.
 */
const callWhileConnecting = Effect.gen(function* () {
  const { port, requests } = yield* countingServer
  const lease = yield* Ref.make<Option.Option<ProcessId>>(Option.fromUndefinedOr(first))
  const connecting = yield* Deferred.make<() => void>()
  const lookup: LookupFunction = (_name, options, callback) => {
    const address = { address: "127.0.0.1", family: 4 }
    const resolve = () => (options.all === true ? callback(null, [address]) : callback(null, address.address, 4))
    Deferred.doneUnsafe(connecting, Effect.succeed(resolve))
  }
  const client = leasedDispatcherLayer({ lookup }).pipe(
    Layer.provide(Layer.mock(ProcessLease, { current: Ref.get(lease) }))
  )
  const context = yield* Layer.build(client)
  const exchange = yield* Effect.provideContext(
    Effect.flatMap(NodeHttpClient.Dispatcher, makeDispatcherExchange),
    context
  )
  const call = Effect.result(makeExchangeCall(exchange, "X")(HttpClientRequest.post(`http://x.test:${port}/2/tweets`)))
  return { call, connecting: Deferred.await(connecting), lease, requests }
})

describe("leasedDispatcher", () => {
  it.live("A request is sent while the process holds its lease", () =>
    Effect.gen(function* () {
      const { call, connecting, requests } = yield* callWhileConnecting
      const calling = yield* Effect.forkChild(call)
      ;(yield* connecting)()
      assert.strictEqual((yield* Fiber.join(calling))._tag, "Success")
      assert.strictEqual(requests(), 1)
    })
  )

  it.live.each([
    ["has ended", undefined],
    ["is another", second]
  ] as const)("A process that was suspended while it connected sends nothing if its lease %s afterwards", ([, id]) =>
    Effect.gen(function* () {
      const { call, connecting, lease, requests } = yield* callWhileConnecting
      const calling = yield* Effect.forkChild(call)
      const resolve = yield* connecting
      yield* Ref.set(lease, Option.fromUndefinedOr(id))
      resolve()
      const result = yield* Fiber.join(calling)
      assert.deepInclude(result._tag === "Failure" ? result.failure : undefined, {
        _tag: "NoResponse",
        maybeSent: false
      })
      assert.strictEqual(requests(), 0)
    })
  )

  it.live("A process whose lease has ended sends nothing over a connection that it has kept", () =>
    Effect.gen(function* () {
      const { call, connecting, lease, requests } = yield* callWhileConnecting
      const calling = yield* Effect.forkChild(call)
      ;(yield* connecting)()
      assert.strictEqual((yield* Fiber.join(calling))._tag, "Success")
      yield* Ref.set(lease, Option.none())
      const result = yield* call
      assert.deepInclude(result._tag === "Failure" ? result.failure : undefined, {
        _tag: "NoResponse",
        maybeSent: false
      })
      assert.strictEqual(requests(), 1)
    })
  )

  it.live("A host that refuses the connection was not sent to, and the process goes on", () =>
    Effect.gen(function* () {
      const lease = Layer.mock(ProcessLease, { current: Effect.succeed(Option.fromUndefinedOr(first)) })
      const context = yield* Layer.build(leasedDispatcherLayer().pipe(Layer.provide(lease)))
      const exchange = yield* Effect.provideContext(
        Effect.flatMap(NodeHttpClient.Dispatcher, makeDispatcherExchange),
        context
      )
      const failure = yield* Effect.flip(
        makeExchangeCall(exchange, "X")(HttpClientRequest.post("http://127.0.0.1:1/2/tweets"))
      )
      assert.deepInclude(failure, { _tag: "NoResponse", maybeSent: false })
      assert.include(failure.message, "it refuses connections")
    })
  )

  it.live("A process without a lease does not even connect", () =>
    Effect.gen(function* () {
      const { call, lease, requests } = yield* callWhileConnecting
      yield* Ref.set(lease, Option.none())
      const result = yield* call
      assert.deepInclude(result._tag === "Failure" ? result.failure : undefined, {
        _tag: "NoResponse",
        maybeSent: false
      })
      assert.strictEqual(requests(), 0)
    })
  )
})
