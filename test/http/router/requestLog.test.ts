import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream, Tracer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { call, send } from "../../support/http/client.ts"
import { apiKey, startServer, repoWithKey } from "../../support/http/server.ts"
import { aPost, postId } from "../../support/http/samplePosts.ts"
import { Log, type LogEntry, capturedTelemetryLayer } from "../../support/telemetry/capturedTelemetry.ts"

const withPost = repoWithKey({
  posts: { get: () => Effect.succeed(aPost()) },
  targets: { backlog: Effect.succeed({ due: 0, oldest: null }) }
})

const brief = ({ annotations, level, message }: LogEntry) => [level, message, annotations["path"]]

describe("the log of requests", () => {
  it.effect("has one line for each, with its id, route, status and duration", () =>
    Effect.gen(function* () {
      const slow = HttpRouter.add(
        "GET",
        "/slow/:id",
        Effect.as(TestClock.adjust("12 millis"), HttpServerResponse.text("done"))
      )
      const url = yield* startServer({ repo: withPost, others: slow })
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

  it.effect("keeps for debugging what machines ask every few seconds", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ repo: withPost })
      for (const path of ["/healthz", "/readyz", "/metrics"]) yield* send(`${url}${path}`)
      assert.deepStrictEqual((yield* Log).map(brief), [
        ["Debug", "GET /healthz 200", "/healthz"],
        ["Debug", "GET /readyz 200", "/readyz"],
        ["Debug", "GET /metrics 200", "/metrics"]
      ])
    }).pipe(Effect.provide(capturedTelemetryLayer))
  )

  it.effect("has no queries, and no key that was sent as part of the address", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ repo: withPost })
      yield* call(`${url}/v1/posts/${postId}?key=${apiKey}&${apiKey}`)
      yield* call(`${url}/v1/posts/${apiKey}`)
      yield* send(`${url}/${apiKey}/${"long".repeat(200)}`)
      assert.deepStrictEqual((yield* Log).map(brief), [
        ["Info", "GET /v1/posts/:id 200", `/v1/posts/${postId}`],
        ["Info", "GET /v1/posts/:id 400", "/v1/posts/…"],
        ["Info", "GET unmatched 404", `/…/${"long".repeat(200)}`.slice(0, 200)]
      ])
      assert.notInclude(JSON.stringify(yield* Log), apiKey)
    }).pipe(Effect.provide(capturedTelemetryLayer))
  )

  it.effect("has defects that come up while an answer is being sent", () =>
    Effect.gen(function* () {
      const broken = HttpRouter.add(
        "GET",
        "/broken",
        HttpServerResponse.stream(Stream.die(new Error("a mistake in a stream")))
      )
      const url = yield* startServer({ repo: withPost, others: broken })
      yield* Effect.ignoreCause(send(`${url}/broken`))
      const errors = (yield* Log).filter(({ level }) => level === "Error")
      assert.lengthOf(errors, 1)
      assert.include(errors[0]?.cause, "a mistake in a stream")
    }).pipe(Effect.provide(capturedTelemetryLayer))
  )
})

describe("the span of a request", () => {
  it.effect("is named by its route and carries its id; checks of the service's health have none", () =>
    Effect.gen(function* () {
      const spans: Array<Tracer.Span> = []
      const native = yield* Effect.tracer
      const tracer = Tracer.make({
        span: (options) => {
          const span = native.span(options)
          spans.push(span)
          return span
        }
      })
      const url = yield* startServer({ repo: withPost }).pipe(Effect.provideService(Tracer.Tracer, tracer))
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
