import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Result } from "effect"
import { HttpClientRequest } from "effect/http"
import { createServer, type RequestListener } from "node:http"
import { type Answer, makeDirectCall, maxBodyBytes } from "../../src/platforms/call.ts"
import { dispatcherDispatch } from "../../src/platforms/exchange.ts"
import { listenLocally } from "../chaos/support/listenLocally.ts"

const request = (port: number) =>
  HttpClientRequest.post(`http://127.0.0.1:${port}/`).pipe(
    HttpClientRequest.bodyText("Hello", "text/plain"),
    HttpClientRequest.bearerToken("secret")
  )

const directCall = Effect.map(NodeHttpClient.makeDispatcher, (dispatcher) =>
  makeDirectCall(dispatcherDispatch(dispatcher), "X")
)

/** What comes of a request to a server. */
const answerOf = Effect.fnUntraced(function* (handle: RequestListener) {
  const port = yield* listenLocally(createServer(handle), new Set())
  const call = yield* directCall
  return yield* Effect.callback<Answer>((resume) => {
    call(request(port), "agent/1", (answer) => resume(Effect.succeed(answer)))
  })
})

const failureOf = (answer: Answer) => (Result.isFailure(answer) ? answer.failure.maybeSent : answer.success)

describe("makeDirectCall", () => {
  it.live("The request names the service, and its whole response is read", () =>
    Effect.gen(function* () {
      const answer = yield* answerOf((sent, response) => void response.writeHead(201).end(sent.headers["user-agent"]))
      assert.deepInclude(Result.getOrThrow(answer), { status: 201, body: "agent/1" })
    })
  )

  it.live("A refusal does not repeat the token", () =>
    Effect.gen(function* () {
      const answer = yield* answerOf(
        (sent, response) => void response.writeHead(403).end(`You sent ${sent.headers.authorization}`)
      )
      assert.deepInclude(Result.getOrThrow(answer), { status: 403, body: "You sent Bearer …" })
    })
  )

  it.live("A response that is too long or cut off has its status alone", () =>
    Effect.gen(function* () {
      const long = yield* answerOf((_, response) => void response.end("a".repeat(maxBodyBytes + 1)))
      const cut = yield* answerOf((_, response) => {
        response.writeHead(201, { "content-length": 10 }).write("half", () => void response.destroy())
      })
      assert.deepInclude(Result.getOrThrow(long), { status: 200, body: null })
      assert.deepInclude(Result.getOrThrow(cut), { status: 201, body: null })
    })
  )

  it.live(
    "A connection that is lost before it answers may have carried the request, and one that was refused has not",
    () =>
      Effect.gen(function* () {
        assert.isTrue(failureOf(yield* answerOf((sent) => void sent.socket.destroy())))
        const server = createServer()
        const port = yield* Effect.scoped(listenLocally(server, new Set()))
        const call = yield* directCall
        const answer = yield* Effect.callback<Answer>((resume) => {
          call(request(port), "agent/1", (came) => resume(Effect.succeed(came)))
        })
        assert.isFalse(failureOf(answer))
      })
  )

  it.live("A request that is given up ends its connection", () =>
    Effect.gen(function* () {
      const arrived = yield* Deferred.make<void>()
      const closed = yield* Deferred.make<void>()
      const server = createServer((sent) => {
        Deferred.doneUnsafe(arrived, Effect.void)
        sent.socket.once("close", () => Deferred.doneUnsafe(closed, Effect.void))
      })
      const port = yield* listenLocally(server, new Set())
      const giveUp = (yield* directCall)(request(port), "agent/1", () => {})
      yield* Deferred.await(arrived)
      giveUp()
      yield* Deferred.await(closed)
    })
  )

  it.live("A request whose body is not in memory is not sent", () =>
    Effect.gen(function* () {
      const call = yield* directCall
      const answer = yield* Effect.callback<Answer>((resume) => {
        call(HttpClientRequest.post("http://127.0.0.1:1/"), "agent/1", (came) => resume(Effect.succeed(came)))
      })
      assert.isFalse(failureOf(answer))
    })
  )
})
