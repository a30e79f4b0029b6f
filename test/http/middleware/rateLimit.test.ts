import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Fiber, Latch, Option, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { formatApiKey, Scope } from "../../../src/domain/people/apiKey.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { type ClientResponse, call, keyHeaders, sendJson, sessionHeaders } from "../../support/http/client.ts"
import { noPosts } from "../../support/http/samplePosts.ts"
import { apiKey, repoWithKey, startServer } from "../../support/http/server.ts"
import { makeKey, makeMember, makeSession, makeTeam, startOnDatabase } from "../../support/http/team.ts"

// Not policed: it reads and writes counters, which belong to no workspace.

const rateLimitHeaders = ({ headers }: ClientResponse) => [headers.get("ratelimit-policy"), headers.get("ratelimit")]

const repo = repoWithKey({
  posts: { list: () => Effect.succeed(noPosts) },
  sessions: { find: () => Effect.succeedNone }
})

describe("rate limit", () => {
  it.effect("Every response to an authenticated caller has the rate limit, which counts every request", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ repo })
      const policy = '"workspace";q=300;w=60'
      assert.deepStrictEqual(rateLimitHeaders(yield* call(`${url}/v1/posts`)), [policy, '"workspace";r=299;t=60'])
      yield* TestClock.adjust("20500 millis")
      assert.deepStrictEqual(rateLimitHeaders(yield* call(`${url}/v1/posts`)), [policy, '"workspace";r=298;t=40'])
    })
  )

  it.effect("Error responses have the rate limit too, and responses to unauthenticated callers do not", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ repo: repoWithKey({}, { scopes: ["posts:read"] }) })
      const authenticated = [
        yield* call(`${url}/v1/posts?limit=x`),
        yield* call(`${url}/v1/posts/x`),
        yield* call(`${url}/v1/integrations`),
        yield* call(`${url}/v1/posts`, "POST", "{"),
        yield* call(`${url}/v1/notifications/read-all`, "POST"),
        yield* call(`${url}/v1/posts`)
      ]
      assert.deepStrictEqual(
        authenticated.map((response) => [response.status, rateLimitHeaders(response)[1]]),
        [
          [400, '"workspace";r=299;t=60'],
          [400, '"workspace";r=298;t=60'],
          [403, '"workspace";r=297;t=60'],
          [403, '"workspace";r=296;t=60'],
          [403, '"workspace";r=295;t=60'],
          [500, '"workspace";r=294;t=60']
        ]
      )
      const unauthenticated = yield* sendJson(`${url}/v1/posts`, "GET", {})
      assert.deepStrictEqual([unauthenticated.status, ...rateLimitHeaders(unauthenticated)], [401, null, null])
      const health = yield* sendJson(`${url}/healthz`, "GET", {})
      assert.deepStrictEqual([health.status, ...rateLimitHeaders(health)], [200, null, null])
    })
  )

  it.effect(
    "A request beyond the limit gets a 429 with Retry-After before it is handled, and the limit is renewed after that",
    () =>
      Effect.gen(function* () {
        let listed = 0
        const list = Effect.sync(() => {
          listed++
          return noPosts
        })
        const url = yield* startServer({ repo: repoWithKey({ posts: { list: () => list } }), rateLimitPerMinute: 3 })
        yield* TestClock.adjust("15 seconds")
        for (let request = 0; request < 3; request++) assert.strictEqual((yield* call(`${url}/v1/posts`)).status, 200)
        const refused = yield* call(`${url}/v1/posts`)
        assert.strictEqual(refused.status, 429)
        assert.strictEqual(refused.headers.get("content-type"), "application/problem+json")
        assert.strictEqual(refused.body.code, "rate_limited")
        assert.strictEqual(refused.body.detail, "The workspace may send 3 requests a minute")
        const wait = Number(refused.headers.get("retry-after"))
        // The remaining 45 seconds of this minute and a third of the next minute, after which one of the three requests
        // no longer counts.
        assert.strictEqual(wait, 65)
        assert.deepStrictEqual(rateLimitHeaders(refused), ['"workspace";q=3;w=60', `"workspace";r=0;t=${wait}`])
        assert.strictEqual(listed, 3)
        yield* TestClock.adjust(`${wait} seconds`)
        assert.strictEqual((yield* call(`${url}/v1/posts`)).status, 200)
      })
  )
})

layer(repoLayer)("rate limit of a workspace", (it) => {
  it.effect(
    "A busy key does not keep people from their pages: each has the whole limit alone, and theirs count too",
    () =>
      Effect.gen(function* () {
        const url = yield* startOnDatabase({ rateLimitPerMinute: 3 })
        const team = yield* makeTeam
        const other = yield* makeMember(team.workspaceId)
        const cookie = yield* makeSession(other.id, team.workspaceId)
        const asKey = sendJson(`${url}/v1/notifications`, "GET", keyHeaders(team.key))
        const asAdmin = sendJson(`${url}/v1/keys`, "GET", sessionHeaders(team.cookie))
        for (let request = 0; request < 2; request++) assert.strictEqual((yield* asKey).status, 200)
        const policy = '"workspace";q=3;w=60, "person";q=3;w=60'
        const first = yield* asAdmin
        assert.deepStrictEqual(
          [first.status, ...rateLimitHeaders(first)],
          [200, policy, '"workspace";r=0;t=60, "person";r=2;t=60']
        )
        assert.strictEqual((yield* asKey).status, 429)
        assert.deepStrictEqual([(yield* asAdmin).status, (yield* asAdmin).status], [200, 200])
        const refused = yield* asAdmin
        assert.deepStrictEqual([refused.status, refused.body.code], [429, "rate_limited"])
        assert.strictEqual(refused.body.detail, "One person may send 3 requests a minute")
        const wait = refused.headers.get("retry-after")
        assert.strictEqual(refused.headers.get("ratelimit")?.endsWith(`"person";r=0;t=${wait}`), true)
        assert.strictEqual((yield* sendJson(`${url}/v1/keys`, "GET", sessionHeaders(cookie))).status, 200)
      })
  )

  it.effect("A person who used up their limit in one workspace has the whole one in another", () =>
    Effect.gen(function* () {
      const url = yield* startOnDatabase({ rateLimitPerMinute: 3 })
      const { user, ...team } = yield* makeTeam
      const other = yield* makeTeam
      yield* (yield* Repo).members.assign(other.workspaceId, user.email, "admin")
      const elsewhere = yield* makeSession(user.id, other.workspaceId)
      const read = (cookie: string) =>
        Effect.map(sendJson(`${url}/v1/keys`, "GET", sessionHeaders(cookie)), ({ status }) => status)
      const statuses = yield* Effect.replicateEffect(read(team.cookie), 4)
      assert.deepStrictEqual(statuses, [200, 200, 200, 429])
      assert.strictEqual(yield* read(elsewhere), 200)
    })
  )

  it.effect("All keys and sessions of a workspace share its limit, and other workspaces have their own", () =>
    Effect.gen(function* () {
      const url = yield* startOnDatabase({ rateLimitPerMinute: 3 })
      const team = yield* makeTeam
      const { key } = yield* makeKey(team.workspaceId, { scopes: Scope.literals })
      const path = `${url}/v1/notifications`
      const responses = [
        yield* sendJson(path, "GET", keyHeaders(team.key)),
        yield* sendJson(path, "GET", keyHeaders(key)),
        yield* sendJson(path, "GET", sessionHeaders(team.cookie)),
        yield* sendJson(path, "GET", keyHeaders(key)),
        yield* sendJson(path, "GET", keyHeaders(team.key))
      ]
      assert.deepStrictEqual(
        responses.map(({ status }) => status),
        [200, 200, 200, 429, 429]
      )
      const other = yield* makeTeam
      assert.strictEqual((yield* sendJson(path, "GET", keyHeaders(other.key))).status, 200)
    })
  )
})

describe("failed authentication attempts", () => {
  const unknown = `Bearer ${formatApiKey("Z".repeat(32))}`
  const mistyped = "Bearer nonsense"
  const ended = "__Host-session=unknown"

  it.effect.each([
    { what: "an unknown key", headers: { authorization: unknown } },
    { what: "a malformed key", headers: { authorization: mistyped } },
    { what: "a session that has ended", headers: { cookie: ended } }
  ])("Attempts with $what count against the client address and not the workspace", ({ headers }) =>
    Effect.gen(function* () {
      const url = yield* startServer({ repo })
      for (let request = 0; request < 60; request++) {
        assert.strictEqual((yield* sendJson(`${url}/v1/posts`, "GET", headers)).status, 401)
      }
      const refused = yield* sendJson(`${url}/v1/posts`, "GET", headers)
      assert.deepStrictEqual([refused.status, refused.body.code], [429, "rate_limited"])
      assert.strictEqual(refused.headers.get("retry-after"), "60")
      assert.deepStrictEqual(rateLimitHeaders(refused), [null, null])
      const good = yield* call(`${url}/v1/posts`)
      assert.deepStrictEqual([good.status, rateLimitHeaders(good)[1]], [200, '"workspace";r=299;t=60'])
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* sendJson(`${url}/v1/posts`, "GET", headers)).status, 401)
    })
  )

  it.effect("A request without a credential does not count as an attempt", () =>
    Effect.gen(function* () {
      const url = yield* startServer()
      for (let request = 0; request < 62; request++) {
        assert.strictEqual((yield* sendJson(`${url}/v1/posts`, "GET", {})).status, 401)
      }
    })
  )

  const from = (url: string, forwarded: string) =>
    sendJson(`${url}/v1/posts`, "GET", { authorization: mistyped, "x-forwarded-for": forwarded })

  it.effect("Behind a trusted proxy attempts count against the address that it adds, not against a spoofed one", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ trustProxy: "on" })
      for (let request = 0; request < 60; request++) {
        assert.strictEqual((yield* from(url, `10.0.0.${request}, 203.0.113.7`)).status, 401)
      }
      assert.strictEqual((yield* from(url, "203.0.113.7")).status, 429)
      assert.strictEqual((yield* from(url, "203.0.113.7, 203.0.113.8")).status, 401)
    })
  )

  it.effect("Without a trusted proxy attempts count against the peer, whatever X-Forwarded-For says", () =>
    Effect.gen(function* () {
      const url = yield* startServer()
      for (let request = 0; request < 60; request++) yield* from(url, `203.0.113.${request}`)
      assert.strictEqual((yield* from(url, "203.0.113.77")).status, 429)
    })
  )

  it.effect("Attempts count against the /64 network of an IPv6 address", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ trustProxy: "on" })
      for (let request = 0; request < 60; request++) yield* from(url, `2001:db8:1:2::${request.toString(16)}`)
      assert.strictEqual((yield* from(url, "2001:db8:1:2:ffff::1")).status, 429)
      assert.strictEqual((yield* from(url, "2001:db8:1:3::1")).status, 401)
    })
  )

  it.effect("Of the attempts of a throttled address two are looked up at a time, and those of others at once", () =>
    Effect.gen(function* () {
      const lookUps = { current: 0, most: 0 }
      const others = yield* Latch.make()
      const slow = Effect.acquireUseRelease(
        Effect.sync(() => {
          lookUps.most = Math.max(lookUps.most, ++lookUps.current)
        }),
        () => others.await,
        () => Effect.sync(() => void lookUps.current--)
      )
      const isThrottled = (token: Redacted.Redacted) => Redacted.value(token) === "throttled"
      const url = yield* startServer({
        repo: repoWithKey({
          sessions: { find: (token) => Effect.as(isThrottled(token) ? slow : Effect.void, Option.none()) }
        }),
        trustProxy: "on"
      })
      const attempt = (forwarded: string, token: string) =>
        sendJson(`${url}/v1/posts`, "GET", { cookie: `__Host-session=${token}`, "x-forwarded-for": forwarded })
      for (let request = 0; request < 60; request++) yield* attempt("203.0.113.7", "unknown")
      const throttled = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 8 }, () => attempt("203.0.113.7", "throttled")),
          { concurrency: "unbounded" }
        )
      )
      // After these responses the server has read the throttled requests too.
      for (let request = 0; request < 20; request++) {
        assert.strictEqual((yield* attempt("203.0.113.8", "unknown")).status, 401)
      }
      yield* others.open
      const responses = yield* Fiber.join(throttled)
      assert.isTrue(responses.every(({ status }) => status === 429))
      assert.strictEqual(lookUps.most, 2)
    })
  )

  it.effect("A good key from a throttled address is accepted although it was not used before", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ repo })
      yield* Effect.forEach(
        Array.from({ length: 100 }),
        () => sendJson(`${url}/v1/posts`, "GET", { authorization: unknown }),
        {
          concurrency: 50
        }
      )
      assert.strictEqual((yield* sendJson(`${url}/v1/posts`, "GET", keyHeaders(apiKey))).status, 200)
    })
  )
})
