import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { call, send } from "../../support/http/client.ts"
import { startServer, repoWithKey } from "../../support/http/server.ts"
import { aPost, postId } from "../../support/http/samplePosts.ts"
import { readMetrics, scrape, capturedTelemetryLayer } from "../../support/telemetry/capturedTelemetry.ts"

const withPost = repoWithKey({
  posts: { get: () => Effect.succeed(aPost()) },
  targets: { backlog: Effect.succeed({ due: 0, oldest: null }) }
})

const requests = (method: string, route: string, status: number) =>
  `http_request_duration_seconds_count{method="${method}",route="${route}",status="${status}"}`

describe("/metrics", () => {
  it.effect("is text for Prometheus that says of every figure what it is, in names that follow its customs", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ repo: withPost })
      yield* call(`${url}/v1/posts/${postId}`)
      const { status, headers, text } = yield* send(`${url}/metrics`)
      assert.strictEqual(status, 200)
      assert.strictEqual(headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8")
      const types = [...text.matchAll(/^# TYPE (\S+) (\w+)$/gm)]
      assert.isAtLeast(types.length, 6)
      for (const [, name = "", type] of types) {
        assert.match(name, /^[a-z][a-z0-9_]*$/)
        assert.strictEqual(name.endsWith("_total"), type === "counter", name)
        if (type === "histogram") assert.match(name, /_seconds$/)
        assert.match(text, new RegExp(`^# HELP ${name} [A-Z].+$`, "m"))
      }
    }).pipe(Effect.provide(capturedTelemetryLayer))
  )

  it.effect("counts and times requests by method, route and status", () =>
    Effect.gen(function* () {
      const slow = HttpRouter.add(
        "GET",
        "/slow",
        Effect.as(TestClock.adjust("70 millis"), HttpServerResponse.text("done"))
      )
      const url = yield* startServer({ repo: withPost, others: slow })
      yield* call(`${url}/v1/posts/${postId}?x=1`)
      yield* call(`${url}/v1/posts/${postId}`)
      yield* call(`${url}/v1/posts/${postId}`, "HEAD")
      yield* send(`${url}/v1/posts/${postId}`)
      yield* send(`${url}/slow`)
      const figures = yield* scrape(url)
      assert.strictEqual(figures.get(requests("GET", "/v1/posts/:id", 401)), 1)
      assert.strictEqual(figures.get(requests("HEAD", "/v1/posts/:id", 200)), 1)
      assert.strictEqual(figures.get(requests("GET", "/slow", 200)), 1)
      const bucket = (le: string) =>
        `http_request_duration_seconds_bucket{method="GET",route="/slow",status="200",le="${le}"}`
      assert.strictEqual(figures.get(bucket("0.05")), 0)
      assert.strictEqual(figures.get(bucket("0.1")), 1)
      assert.strictEqual(figures.get(bucket("+Inf")), 1)
    }).pipe(Effect.provide(capturedTelemetryLayer))
  )

  it.effect("shows every address at which nothing is served as the same route, and no id", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ repo: withPost })
      yield* call(`${url}/v1/posts/${postId}`)
      yield* call(`${url}/v1/posts/not-an-id`)
      yield* send(`${url}/wp-admin/${postId}`)
      yield* send(`${url}/%00`)
      yield* call(`${url}/v1/posts`, "PUT")
      const { text } = yield* send(`${url}/metrics`)
      assert.strictEqual(readMetrics(text).get(requests("GET", "unmatched", 404)), 2)
      assert.strictEqual(readMetrics(text).get(requests("PUT", "unmatched", 405)), 1)
      assert.notMatch(text, /[\da-f]{8}-|not-an-id|wp-admin/)
    }).pipe(Effect.provide(capturedTelemetryLayer))
  )

  it.effect("counts a request whose client went away before it was answered as a 499", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const ended = yield* Deferred.make<void>()
      const endless = HttpRouter.add(
        "GET",
        "/endless",
        Deferred.succeed(begun, undefined).pipe(
          Effect.andThen(Effect.never),
          Effect.ensuring(Deferred.succeed(ended, undefined))
        )
      )
      const url = yield* startServer({ repo: withPost, others: endless })
      const client = yield* Effect.forkChild(send(`${url}/endless`))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(client)
      yield* Deferred.await(ended)
      const figures = yield* scrape(url)
      assert.strictEqual(figures.get(requests("GET", "/endless", 499)), 1)
    }).pipe(Effect.provide(capturedTelemetryLayer))
  )

  it.effect("counts the requests that the rate limit refuses, from zero", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ repo: withPost, rateLimitPerMinute: 2 })
      assert.strictEqual((yield* scrape(url)).get("rate_limit_refusals_total"), 0)
      for (let sent = 0; sent < 5; sent++) yield* call(`${url}/v1/posts/${postId}`)
      const figures = yield* scrape(url)
      assert.strictEqual(figures.get("rate_limit_refusals_total"), 3)
      assert.strictEqual(figures.get(requests("GET", "/v1/posts/:id", 429)), 3)
      assert.strictEqual(figures.get(requests("GET", "/v1/posts/:id", 200)), 2)
    }).pipe(Effect.provide(capturedTelemetryLayer))
  )

  it.effect("needs no key and takes nothing but GET", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ repo: withPost })
      assert.strictEqual((yield* send(`${url}/metrics`)).status, 200)
      const posted = yield* send(`${url}/metrics`, { method: "POST" })
      assert.strictEqual(posted.status, 405)
      assert.strictEqual(posted.headers.get("allow"), "GET, HEAD, OPTIONS")
    }).pipe(Effect.provide(capturedTelemetryLayer))
  )
})
