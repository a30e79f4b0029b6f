import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Result, Stream } from "effect"
import { HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { text } from "node:stream/consumers"
import { callTimeout, maxBodyBytes } from "../../src/platforms/call.ts"
import { makeDispatcherExchange } from "../../src/platforms/exchange.ts"

/** Sends a request to a server on loopback. */
const exchangeWith = Effect.fnUntraced(function* (
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  change: (request: HttpClientRequest.HttpClientRequest) => HttpClientRequest.HttpClientRequest = (request) => request,
  time: Duration.Duration = callTimeout
) {
  const url = yield* Effect.acquireRelease(
    Effect.callback<{ readonly at: string; readonly close: () => void }>((resume) => {
      const server = createServer(handle).listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        const close = () => {
          server.closeAllConnections()
          server.close()
        }
        resume(Effect.succeed({ at: `http://127.0.0.1:${port}/path?a=1`, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )
  const exchange = yield* makeDispatcherExchange(yield* NodeHttpClient.makeDispatcher)
  return yield* exchange(change(HttpClientRequest.post(url.at)), time)
})

const echo = (request: IncomingMessage, response: ServerResponse) => {
  void text(request).then((body) =>
    response.setHeader("x-url", request.url ?? "").end(`${request.headers["content-type"]}: ${body}`)
  )
}

describe("makeDispatcherExchange", () => {
  it.live("A text and its type arrive, and the response is read whole", () =>
    Effect.gen(function* () {
      const { body, headers, status } = yield* exchangeWith(echo, HttpClientRequest.bodyText("Zoë", "text/plain"))
      assert.deepStrictEqual(
        { body, status, url: headers["x-url"] },
        {
          body: "text/plain: Zoë",
          status: 200,
          url: "/path?a=1"
        }
      )
    })
  )

  it.live("A form and a stream are sent as bodies", () =>
    Effect.gen(function* () {
      const form = new FormData()
      form.append("media", new Blob(["picture"]), "picture.png")
      const sent = yield* exchangeWith(echo, HttpClientRequest.bodyFormData(form))
      assert.match(sent.body ?? "", /^multipart\/form-data; boundary=[^]+picture\.png[^]+picture/)
      const streamed = yield* exchangeWith(
        echo,
        HttpClientRequest.bodyStream(Stream.make("one ", "two").pipe(Stream.encodeText), { contentType: "text/plain" })
      )
      assert.strictEqual(streamed.body, "text/plain: one two")
    })
  )

  it.live("The longest body that is taken is read whole", () =>
    Effect.gen(function* () {
      const { body } = yield* exchangeWith((_, response) => void response.end("a".repeat(maxBodyBytes)))
      assert.strictEqual(body?.length, maxBodyBytes)
    })
  )

  it.live("A response that is cut off or too long has its status and no body", () =>
    Effect.gen(function* () {
      const cutOff = yield* exchangeWith((_, response) => {
        response.writeHead(201, { "content-length": 10 }).write("half", () => void response.destroy())
      })
      assert.deepStrictEqual([cutOff.status, cutOff.body], [201, null])
      const tooLong = yield* exchangeWith((_, response) => void response.end("a".repeat(maxBodyBytes + 1)))
      assert.deepStrictEqual([tooLong.status, tooLong.body], [200, null])
    })
  )

  it.live("An informational response comes before the one that counts", () =>
    Effect.gen(function* () {
      const { body, status } = yield* exchangeWith((_, response) => {
        response.writeEarlyHints({ link: "</a>; rel=preload" })
        response.writeHead(201).end("done")
      })
      assert.deepStrictEqual([status, body], [201, "done"])
    })
  )

  it.live("A connection that is lost before the response is a transport error", () =>
    Effect.gen(function* () {
      const lost = yield* Effect.result(exchangeWith((request) => void request.socket.destroy()))
      assert.strictEqual(
        Result.isFailure(lost) && lost.failure._tag === "HttpClientError" ? lost.failure.reason._tag : "none",
        "TransportError"
      )
    })
  )

  it.effect.each([
    ["the usual time", callTimeout],
    ["a longer one", Duration.minutes(15)]
  ] as const)("A request without a response within %s fails then, and ends its connection", ([, time]) =>
    Effect.gen(function* () {
      const arrived = yield* Deferred.make<void>()
      const closed = yield* Deferred.make<void>()
      const exchanging = yield* Effect.forkChild(
        Effect.result(
          exchangeWith(
            (request) => {
              Deferred.doneUnsafe(arrived, Effect.void)
              request.socket.once("close", () => void Deferred.doneUnsafe(closed, Effect.void))
            },
            undefined,
            time
          )
        )
      )
      yield* Deferred.await(arrived)
      yield* TestClock.adjust(Duration.subtract(time, Duration.millis(1)))
      assert.isUndefined(exchanging.pollUnsafe())
      yield* TestClock.adjust(1)
      const timedOut = yield* Fiber.join(exchanging)
      assert.strictEqual(Result.isFailure(timedOut) ? timedOut.failure._tag : "none", "TimedOut")
      yield* Deferred.await(closed)
    })
  )

  it.live("An interrupted request ends its connection", () =>
    Effect.gen(function* () {
      const arrived = yield* Deferred.make<void>()
      const closed = yield* Deferred.make<void>()
      const exchanging = yield* Effect.forkChild(
        exchangeWith((request) => {
          Deferred.doneUnsafe(arrived, Effect.void)
          request.socket.once("close", () => void Deferred.doneUnsafe(closed, Effect.void))
        })
      )
      yield* Deferred.await(arrived)
      yield* Fiber.interrupt(exchanging)
      yield* Deferred.await(closed)
    })
  )
})
