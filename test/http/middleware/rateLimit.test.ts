import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { RateLimiter } from "effect/persistence"
import { TestClock } from "effect/testing"
import { formatApiKey, Scope } from "../../../src/domain/apiKey.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { type ClientResponse, call, sendJson, keyHeaders, sessionHeaders } from "../../support/http/client.ts"
import { apiKey, startServer, repoWithKey } from "../../support/http/server.ts"
import { makeKey, makeTeam, startOnDatabase } from "../../support/http/team.ts"

const rateOf = ({ headers }: ClientResponse) => [headers.get("ratelimit-policy"), headers.get("ratelimit")]

const listing = repoWithKey({ posts: { list: () => Effect.succeed([]) } })

describe("the rate limit", () => {
  it.effect("is told in every answer to a caller who is known, and counts every request", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ repo: listing })
      const policy = '"workspace";q=300;w=60'
      assert.deepStrictEqual(rateOf(yield* call(`${url}/v1/posts`)), [policy, '"workspace";r=299;t=60'])
      yield* TestClock.adjust("20500 millis")
      assert.deepStrictEqual(rateOf(yield* call(`${url}/v1/posts`)), [policy, '"workspace";r=298;t=40'])
    })
  )

  it.effect("is told with errors as well, but not to somebody who is not known", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ repo: repoWithKey({}, { scopes: ["posts:read"] }) })
      const known = [
        yield* call(`${url}/v1/posts?limit=x`),
        yield* call(`${url}/v1/posts/x`),
        yield* call(`${url}/v1/integrations`),
        yield* call(`${url}/v1/posts`, "POST", "{"),
        yield* call(`${url}/v1/notifications/read-all`, "POST"),
        yield* call(`${url}/v1/posts`)
      ]
      assert.deepStrictEqual(
        known.map((answer) => [answer.status, rateOf(answer)[1]]),
        [
          [400, '"workspace";r=299;t=60'],
          [400, '"workspace";r=298;t=60'],
          [403, '"workspace";r=297;t=60'],
          [403, '"workspace";r=296;t=60'],
          [403, '"workspace";r=295;t=60'],
          [500, '"workspace";r=294;t=60']
        ]
      )
      const unknown = yield* sendJson(`${url}/v1/posts`, "GET", {})
      assert.deepStrictEqual([unknown.status, ...rateOf(unknown)], [401, null, null])
      const free = yield* sendJson(`${url}/healthz`, "GET", {})
      assert.deepStrictEqual([free.status, ...rateOf(free)], [200, null, null])
    })
  )

  it.effect("refuses what exceeds it before anything is done, says when to come again, and begins anew then", () =>
    Effect.gen(function* () {
      let listed = 0
      const list = () =>
        Effect.as(
          Effect.sync(() => listed++),
          []
        )
      const repo = repoWithKey({ posts: { list } })
      const url = yield* startServer({ repo, rateLimitPerMinute: 3 })
      yield* TestClock.adjust("15 seconds")
      for (let request = 0; request < 3; request++) assert.strictEqual((yield* call(`${url}/v1/posts`)).status, 200)
      const refused = yield* call(`${url}/v1/posts`)
      assert.strictEqual(refused.status, 429)
      assert.strictEqual(refused.headers.get("content-type"), "application/problem+json")
      assert.strictEqual(refused.body.code, "rate_limited")
      assert.strictEqual(refused.body.detail, "The workspace may send 3 requests a minute")
      const wait = Number(refused.headers.get("retry-after"))
      assert.isTrue(wait > 0 && wait <= 60)
      assert.deepStrictEqual(rateOf(refused), ['"workspace";q=3;w=60', `"workspace";r=0;t=${wait}`])
      assert.strictEqual(listed, 3)
      yield* TestClock.adjust(`${wait} seconds`)
      assert.strictEqual((yield* call(`${url}/v1/posts`)).status, 200)
    })
  )

  it.effect("lets requests through that can't be counted", () =>
    Effect.gen(function* () {
      const away = Effect.fail(
        new RateLimiter.RateLimiterError({
          reason: new RateLimiter.RateLimitStoreError({ message: "The store is away", cause: undefined })
        })
      )
      const limiter = RateLimiter.layer.pipe(
        Layer.provide(Layer.mock(RateLimiter.RateLimiterStore, { fixedWindow: () => away }))
      )
      const url = yield* startServer({ repo: listing, limiter })
      assert.strictEqual((yield* call(`${url}/v1/posts`)).status, 200)
    })
  )
})

layer(repoLayer)("the rate limit of a workspace", (it) => {
  it.effect("counts all its keys and sessions together, and no other workspace's", () =>
    Effect.gen(function* () {
      const url = yield* startOnDatabase({ rateLimitPerMinute: 3 })
      const team = yield* makeTeam
      const { key } = yield* makeKey(team.workspaceId, { scopes: Scope.literals })
      const path = `${url}/v1/notifications`
      const answers = [
        yield* sendJson(path, "GET", keyHeaders(team.key)),
        yield* sendJson(path, "GET", keyHeaders(key)),
        yield* sendJson(path, "GET", sessionHeaders(team.cookie)),
        yield* sendJson(path, "GET", keyHeaders(key)),
        yield* sendJson(path, "GET", sessionHeaders(team.cookie))
      ]
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [200, 200, 200, 429, 429]
      )
      const other = yield* makeTeam
      assert.strictEqual((yield* sendJson(path, "GET", keyHeaders(other.key))).status, 200)
    })
  )
})

describe("a wrong key", () => {
  const wrong = `Bearer ${formatApiKey("Z".repeat(32))}`
  const mistyped = "Bearer nonsense"
  const ended = "__Host-session=unknown"

  const repo = repoWithKey({
    posts: { list: () => Effect.succeed([]) },
    sessions: { find: () => Effect.succeedNone }
  })

  it.effect.each([
    { what: "a key that nobody has", headers: { authorization: wrong } },
    { what: "a key that is mistyped", headers: { authorization: mistyped } },
    { what: "a session that has ended", headers: { cookie: ended } }
  ])("costs the caller's address and not the workspace: $what", ({ headers }) =>
    Effect.gen(function* () {
      const url = yield* startServer({ repo })
      for (let request = 0; request < 60; request++) {
        assert.strictEqual((yield* sendJson(`${url}/v1/posts`, "GET", headers)).status, 401)
      }
      const refused = yield* sendJson(`${url}/v1/posts`, "GET", headers)
      assert.deepStrictEqual([refused.status, refused.body.code], [429, "rate_limited"])
      assert.strictEqual(refused.headers.get("retry-after"), "60")
      assert.deepStrictEqual(rateOf(refused), [null, null])
      const good = yield* call(`${url}/v1/posts`)
      assert.deepStrictEqual([good.status, rateOf(good)[1]], [200, '"workspace";r=299;t=60'])
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* sendJson(`${url}/v1/posts`, "GET", headers)).status, 401)
    })
  )

  it.effect("costs nothing where there is none", () =>
    Effect.gen(function* () {
      const url = yield* startServer()
      for (let request = 0; request < 62; request++) {
        assert.strictEqual((yield* sendJson(`${url}/v1/posts`, "GET", {})).status, 401)
      }
    })
  )

  const from = (url: string, forwarded: string) =>
    sendJson(`${url}/v1/posts`, "GET", { authorization: mistyped, "x-forwarded-for": forwarded })

  it.effect("costs the address that a trusted proxy adds, not one that the caller made up", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ trustProxy: "on" })
      for (let request = 0; request < 60; request++) {
        assert.strictEqual((yield* from(url, `10.0.0.${request}, 203.0.113.7`)).status, 401)
      }
      assert.strictEqual((yield* from(url, "203.0.113.7")).status, 429)
      assert.strictEqual((yield* from(url, "203.0.113.7, 203.0.113.8")).status, 401)
    })
  )

  it.effect("costs the peer where no proxy is trusted, whatever X-Forwarded-For says", () =>
    Effect.gen(function* () {
      const url = yield* startServer()
      for (let request = 0; request < 60; request++) yield* from(url, `203.0.113.${request}`)
      assert.strictEqual((yield* from(url, "203.0.113.77")).status, 429)
    })
  )

  it.effect("costs the whole network of an IPv6 subscriber", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ trustProxy: "on" })
      for (let request = 0; request < 60; request++) yield* from(url, `2001:db8:1:2::${request.toString(16)}`)
      assert.strictEqual((yield* from(url, "2001:db8:1:2:ffff::1")).status, 429)
      assert.strictEqual((yield* from(url, "2001:db8:1:3::1")).status, 401)
    })
  )

  it.effect("does not keep a good key from working that comes from the same address for the first time", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ repo })
      yield* Effect.forEach(
        Array.from({ length: 100 }),
        () => sendJson(`${url}/v1/posts`, "GET", { authorization: wrong }),
        {
          concurrency: 50
        }
      )
      assert.strictEqual((yield* sendJson(`${url}/v1/posts`, "GET", keyHeaders(apiKey))).status, 200)
    })
  )
})
