import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { HttpRouter } from "effect/http"
import { call, send } from "../../support/http/client.ts"
import { slowRoute } from "../../support/http/routes.ts"
import { postId, repoWithPost } from "../../support/http/samplePosts.ts"
import { startServer } from "../../support/http/server.ts"
import { capturedTelemetryLayer, readMetrics, scrape } from "../../support/telemetry/capturedTelemetry.ts"

/** The series that counts such requests. */
const countOf = (method: string, route: string, status: number) =>
  `http_request_duration_seconds_count{method="${method}",route="${route}",status="${status}"}`

describe("GET /metrics", () => {
  it.effect("Every metric has a type, a help text and a name that follows Prometheus' conventions", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ repo: repoWithPost })
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

  it.effect("Requests are counted and timed by method, route and status", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ repo: repoWithPost, others: slowRoute("/slow", "70 millis") })
      yield* call(`${url}/v1/posts/${postId}?x=1`)
      yield* call(`${url}/v1/posts/${postId}`)
      yield* call(`${url}/v1/posts/${postId}`, "HEAD")
      yield* send(`${url}/v1/posts/${postId}`)
      yield* send(`${url}/slow`)
      const metrics = yield* scrape(url)
      assert.strictEqual(metrics.get(countOf("GET", "/v1/posts/:id", 401)), 1)
      assert.strictEqual(metrics.get(countOf("HEAD", "/v1/posts/:id", 200)), 1)
      assert.strictEqual(metrics.get(countOf("GET", "/slow", 200)), 1)
      const bucket = (le: string) =>
        `http_request_duration_seconds_bucket{method="GET",route="/slow",status="200",le="${le}"}`
      assert.strictEqual(metrics.get(bucket("0.05")), 0)
      assert.strictEqual(metrics.get(bucket("0.1")), 1)
      assert.strictEqual(metrics.get(bucket("+Inf")), 1)
    }).pipe(Effect.provide(capturedTelemetryLayer))
  )

  it.effect("All paths at which nothing is served are one route, and no label contains an id", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ repo: repoWithPost })
      yield* call(`${url}/v1/posts/${postId}`)
      yield* call(`${url}/v1/posts/not-an-id`)
      yield* send(`${url}/wp-admin/${postId}`)
      yield* send(`${url}/%00`)
      yield* call(`${url}/v1/posts`, "PUT")
      const { text } = yield* send(`${url}/metrics`)
      assert.strictEqual(readMetrics(text).get(countOf("GET", "unmatched", 404)), 2)
      assert.strictEqual(readMetrics(text).get(countOf("PUT", "unmatched", 405)), 1)
      assert.notMatch(text, /[\da-f]{8}-|not-an-id|wp-admin/)
    }).pipe(Effect.provide(capturedTelemetryLayer))
  )

  it.effect("A request whose client disconnects before the response is counted as a 499", () =>
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
      const url = yield* startServer({ repo: repoWithPost, others: endless })
      const client = yield* Effect.forkChild(send(`${url}/endless`))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(client)
      yield* Deferred.await(ended)
      const metrics = yield* scrape(url)
      assert.strictEqual(metrics.get(countOf("GET", "/endless", 499)), 1)
    }).pipe(Effect.provide(capturedTelemetryLayer))
  )

  it.effect("Requests that the rate limit refuses are counted, starting at zero", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ repo: repoWithPost, rateLimitPerMinute: 2 })
      assert.strictEqual((yield* scrape(url)).get("rate_limit_refusals_total"), 0)
      for (let sent = 0; sent < 5; sent++) yield* call(`${url}/v1/posts/${postId}`)
      // A response is formatted once a second.
      assert.strictEqual((yield* scrape(url)).get("rate_limit_refusals_total"), 0)
      yield* TestClock.adjust("1 second")
      const metrics = yield* scrape(url)
      assert.strictEqual(metrics.get("rate_limit_refusals_total"), 3)
      assert.strictEqual(metrics.get(countOf("GET", "/v1/posts/:id", 429)), 3)
      assert.strictEqual(metrics.get(countOf("GET", "/v1/posts/:id", 200)), 2)
    }).pipe(Effect.provide(capturedTelemetryLayer))
  )

  it.effect("The metrics need no key, and only GET is allowed", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ repo: repoWithPost })
      assert.strictEqual((yield* send(`${url}/metrics`)).status, 200)
      const posted = yield* send(`${url}/metrics`, { method: "POST" })
      assert.strictEqual(posted.status, 405)
      assert.strictEqual(posted.headers.get("allow"), "GET, HEAD, OPTIONS")
    }).pipe(Effect.provide(capturedTelemetryLayer))
  )
})
