import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Stream, Tracer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { call, send } from "../../support/http/client.ts"
import { slowRoute } from "../../support/http/routes.ts"
import { postId, repoWithPost } from "../../support/http/samplePosts.ts"
import { apiKey, startServer } from "../../support/http/server.ts"
import {
  capturedTelemetryLayer,
  Log,
  type LogEntry,
  makeRecordingTracer
} from "../../support/telemetry/capturedTelemetry.ts"

const summarize = ({ annotations, level, message }: LogEntry) => [level, message, annotations["path"]]

describe("request log", () => {
  it.effect("Each request is logged in one line with its id, route, status and duration", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ repo: repoWithPost, others: slowRoute("/slow/:id", "12 millis") })
      yield* send(`${url}/slow/7?token=x`, { headers: { "x-request-id": "mine" } })
      const [line] = yield* Log
      assert.strictEqual(line?.level, "Info")
      assert.strictEqual(line?.message, "GET /slow/:id 200")
      assert.deepStrictEqual(line?.annotations, {
        request_id: "mine",
        method: "GET",
        route: "/slow/:id",
        path: "/slow/7",
        status: 200,
        duration_ms: 12
      })
    }).pipe(Effect.provide(capturedTelemetryLayer))
  )

  it.effect("Health checks and scrapes are logged at level debug", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ repo: repoWithPost })
      for (const path of ["/healthz", "/readyz", "/metrics"]) yield* send(`${url}${path}`)
      assert.deepStrictEqual((yield* Log).map(summarize), [
        ["Debug", "GET /healthz 200", "/healthz"],
        ["Debug", "GET /readyz 200", "/readyz"],
        ["Debug", "GET /metrics 200", "/metrics"]
      ])
    }).pipe(Effect.provide(capturedTelemetryLayer))
  )

  it.effect("Queries and keys in paths are not logged", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ repo: repoWithPost })
      yield* call(`${url}/v1/posts/${postId}?key=${apiKey}&${apiKey}`)
      yield* call(`${url}/v1/posts/${apiKey}`)
      yield* send(`${url}/${apiKey}/${"long".repeat(200)}`)
      assert.deepStrictEqual((yield* Log).map(summarize), [
        ["Info", "GET /v1/posts/:id 200", `/v1/posts/${postId}`],
        ["Info", "GET /v1/posts/:id 400", "/v1/posts/…"],
        ["Info", "GET unmatched 404", `/…/${"long".repeat(200)}`.slice(0, 200)]
      ])
      assert.notInclude(JSON.stringify(yield* Log), apiKey)
    }).pipe(Effect.provide(capturedTelemetryLayer))
  )

  it.effect("A defect while a response is streamed is logged", () =>
    Effect.gen(function* () {
      const broken = HttpRouter.add(
        "GET",
        "/broken",
        HttpServerResponse.stream(Stream.die(new Error("a mistake in a stream")))
      )
      const url = yield* startServer({ repo: repoWithPost, others: broken })
      yield* Effect.ignoreCause(send(`${url}/broken`))
      const errors = (yield* Log).filter(({ level }) => level === "Error")
      assert.lengthOf(errors, 1)
      assert.include(errors[0]?.cause, "a mistake in a stream")
    }).pipe(Effect.provide(capturedTelemetryLayer))
  )

  it.effect("A client that leaves while a response is streamed is no error", () =>
    Effect.gen(function* () {
      const left = yield* Deferred.make<void>()
      const endless = Stream.concat(Stream.make(new Uint8Array(1)), Stream.never).pipe(
        Stream.onExit(() => Deferred.succeed(left, undefined))
      )
      const others = HttpRouter.add("GET", "/endless", HttpServerResponse.stream(endless))
      // The server stops after it has handled the request.
      yield* Effect.scoped(
        Effect.gen(function* () {
          const url = yield* startServer({ repo: repoWithPost, others })
          yield* Effect.promise(async () => {
            const reader = (await fetch(`${url}/endless`)).body?.getReader()
            await reader?.read()
            await reader?.cancel()
          })
          yield* Deferred.await(left)
        })
      )
      assert.deepStrictEqual((yield* Log).map(summarize), [["Info", "GET /endless 200", "/endless"]])
    }).pipe(Effect.provide(capturedTelemetryLayer))
  )
})

describe("request span", () => {
  it.effect("A request's span is named by its route and carries its id, and health checks have none", () =>
    Effect.gen(function* () {
      const { spans, tracer } = yield* makeRecordingTracer
      const url = yield* startServer({ repo: repoWithPost }).pipe(Effect.provideService(Tracer.Tracer, tracer))
      const { headers } = yield* call(`${url}/v1/posts/${postId}`)
      yield* send(`${url}/nothing/${postId}`)
      yield* send(`${url}/healthz`)
      yield* send(`${url}/metrics?x=1`)
      const requests = spans.filter(({ kind }) => kind === "server")
      assert.deepStrictEqual(
        requests.map(({ name }) => name),
        ["GET /v1/posts/:id", "GET unmatched"]
      )
      assert.strictEqual(requests[0]?.attributes.get("request.id"), headers.get("x-request-id"))
    }).pipe(Effect.provide(capturedTelemetryLayer))
  )
})
