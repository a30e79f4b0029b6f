import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Option, Redacted } from "effect"
import { connect } from "node:net"
import { DatabaseUnavailable, NotFound } from "../../../src/domain/errors.ts"
import { formatApiKey, type KeyHolder } from "../../../src/domain/people/apiKey.ts"
import { ServesFastReads } from "../../../src/http/fastReads/fastReads.ts"
import type { PostJson } from "../../../src/repo/posts/rows.ts"
import { fakeRepo } from "../../support/database/fakeRepo.ts"
import { aPostJson, postId } from "../../support/http/samplePosts.ts"
import { apiKey, holder, startServer, type TestServerOptions } from "../../support/http/server.ts"
import { capturedTelemetryLayer, Log, scrape } from "../../support/telemetry/capturedTelemetry.ts"

const goneId = "01a1fc17-dc2e-777d-ad63-000000000404"
const awayId = "01a1fc17-dc2e-777d-ad63-000000000503"
const brokenId = "01a1fc17-dc2e-777d-ad63-000000000500"

/** The calls of the fake Repo. */
interface Asked {
  readonly lookups: Array<string>
  readonly reads: Array<string>
}

const getJson = (id: string): Effect.Effect<PostJson, NotFound | DatabaseUnavailable> => {
  switch (id) {
    case goneId:
      return Effect.fail(new NotFound({ message: "There is no such post" }))
    case awayId:
      return Effect.fail(new DatabaseUnavailable({ operation: "reading posts", cause: new Error("away") }))
    case brokenId:
      return Effect.die(new Error("a mistake"))
    default:
      return Effect.succeed(aPostJson({ content: "Grüße 👋" }))
  }
}

/** Lists as many posts as requested, at most 40. */
const listPosts = (limit: number, maxBytes: number) => {
  const post = aPostJson({ content: "Hello ".repeat(300) })
  const count = Math.min(limit, Math.ceil(maxBytes / post.json.length), 40)
  return { posts: Array.from({ length: count }, () => post), more: count < 40 }
}

const recordingRepo = (asked: Asked, changes: Partial<KeyHolder>) => {
  const find = (key: string) => Option.filter(Option.some({ ...holder, ...changes }), () => key === apiKey)
  return fakeRepo({
    apiKeys: {
      find: (key) =>
        Effect.sync(() => {
          asked.lookups.push(Redacted.value(key))
          return find(Redacted.value(key))
        }),
      findKnown: (key) => Effect.sync(() => find(key))
    },
    sessions: { find: () => Effect.succeedNone },
    posts: {
      getJson: (workspaceId, id) =>
        Effect.suspend(() => {
          asked.reads.push(`${workspaceId} ${id}`)
          return getJson(id)
        }),
      list: (workspaceId, query) =>
        Effect.sync(() => {
          asked.reads.push(`${workspaceId} ${JSON.stringify(query)}`)
          return listPosts(query.limit, query.maxBytes)
        })
    },
    targets: { backlog: Effect.succeed({ due: 0, oldest: null, oldestUpload: null }) }
  })
}

/** Sends bytes on a new connection, and returns the whole response except the time. */
const exchange = (url: string, bytes: string) =>
  Effect.callback<string>((resume) => {
    const { hostname, port } = new URL(url)
    let received = ""
    const socket = connect(Number(port), hostname, () => socket.write(bytes, "latin1")).setEncoding("utf8")
    socket.on("data", (text: string) => {
      received += text
    })
    socket.once("close", () => resume(Effect.succeed(received.replace(/^date: .*\r\n/im, ""))))
  })

const key = `authorization: Bearer ${apiKey}`

interface Sent {
  readonly line: string
  readonly headers: ReadonlyArray<string>
  readonly body: string
}

const sent = (
  target: string,
  {
    body = "",
    headers = [key],
    method = "GET",
    version = "1.1"
  }: Partial<Sent & { method: string; version: string }> = {}
): Sent => ({ line: `${method} ${target} HTTP/${version}`, headers, body })

const toBytes = ({ body, headers, line }: Sent, n: number) =>
  [line, "host: posts.example", "connection: close", `x-request-id: request-${n}`, ...headers, "", body].join("\r\n")

interface Case extends TestServerOptions {
  readonly holder?: Partial<KeyHolder>
  readonly requests: ReadonlyArray<Sent>
}

/** Everything that clients and operators see of the requests, and the Repo's calls. */
const observe = ({ holder: changes = {}, requests, ...options }: Case, servesFastReads: boolean) =>
  Effect.gen(function* () {
    const asked: Asked = { lookups: [], reads: [] }
    const url = yield* startServer({ repo: recordingRepo(asked, changes), ...options }).pipe(
      Effect.provideService(ServesFastReads, servesFastReads)
    )
    const responses: Array<string> = []
    for (const [n, request] of requests.entries()) responses.push(yield* exchange(url, toBytes(request, n)))
    const log = [...(yield* Log)]
    const metrics = [...(yield* scrape(url))].filter(([name]) => /^(http_request|rate_limit)/.test(name))
    return { responses, log, metrics, ...asked }
  }).pipe(Effect.scoped, Effect.provide(capturedTelemetryLayer))

/** Fails unless the requests are served alike with and without fast reads; returns the observations with fast reads. */
const compare = Effect.fn("compare")(function* (requests: Case) {
  const routed = yield* observe(requests, false)
  const plain = yield* observe(requests, true)
  assert.deepStrictEqual({ ...plain, lookups: [] }, { ...routed, lookups: [] })
  return plain
})

const one = `/v1/posts/${postId}`

const fastReads = [
  sent(one),
  sent(one, { headers: [`Authorization: bearer   ${apiKey}`] }),
  sent(one, { headers: [key, "cookie: __Host-session=x", "origin: https://elsewhere.example", "if-none-match: *"] }),
  sent(one, { headers: [key, "accept: text/html", "range: bytes=0-1", "x-forwarded-proto: http"] }),
  sent("/v1/posts"),
  sent("/v1/posts?limit=1"),
  sent("/v1/posts?limit=20")
]

/** Statuses in the order of the requests. */
const statuses = (responses: ReadonlyArray<string>) => responses.map((response) => Number(response.slice(9, 12)))

describe("fast reads", () => {
  it.effect("A fast read has the response, log line, metric and count that the router gives it", () =>
    Effect.gen(function* () {
      const { lookups, log, responses } = yield* compare({ requests: fastReads })
      assert.deepStrictEqual(
        statuses(responses),
        fastReads.map(() => 200)
      )
      assert.lengthOf(log, fastReads.length)
      assert.deepStrictEqual(lookups, [])
    })
  )

  it.effect("A list that is too long for a fast read is counted and read once", () =>
    Effect.gen(function* () {
      const { log, lookups, responses } = yield* compare({ requests: [sent("/v1/posts?limit=100")] })
      assert.match(responses[0] ?? "", /^transfer-encoding: chunked\r$/im)
      assert.lengthOf(log, 1)
      assert.deepStrictEqual(lookups, [])
    })
  )

  it.effect("A post that is unknown, a database that is away and a defect are counted, read and logged once", () =>
    Effect.gen(function* () {
      const requests = [goneId, awayId, brokenId].map((id) => sent(`/v1/posts/${id}`))
      const { lookups, reads, responses } = yield* compare({ requests })
      assert.deepStrictEqual(statuses(responses), [404, 503, 500])
      assert.lengthOf(reads, 3)
      assert.deepStrictEqual(lookups, [])
    })
  )

  it.effect("A request beyond the limit is refused before it is read, and those beside it count once", () =>
    Effect.gen(function* () {
      const requests = [sent(one), sent(`/v1/posts/${goneId}`), sent(one), sent(one), sent("/v1/posts")]
      const { reads, responses } = yield* compare({ requests, rateLimitPerMinute: 3 })
      assert.deepStrictEqual(statuses(responses), [200, 404, 200, 429, 429])
      assert.lengthOf(reads, 3)
    })
  )

  it.effect("Whatever is not plain is served by the router", () =>
    Effect.gen(function* () {
      const requests = [
        sent("/v1/posts/x"),
        sent(`/v1/posts/${postId.toUpperCase()}`),
        sent(`${one}/`),
        sent(`${one}?x=1`),
        sent(`${one};x`),
        sent(`${one}#x`),
        sent(`/v1/posts/%30${postId.slice(1)}`),
        sent(`http://other.example${one}`),
        sent("//v1/posts"),
        ...[
          "limit=0",
          "limit=01",
          "limit=1001",
          "limit=1000",
          "limit=x",
          "limit=1&limit=2",
          "page=2",
          "status=draft",
          "text=a",
          "limit=1&text=%00a"
        ].map((query) => sent(`/v1/posts?${query}`)),
        sent("/v1/posts?"),
        sent("/v1/posts/?limit=1"),
        sent(one, { method: "HEAD" }),
        sent(one, { method: "OPTIONS" }),
        sent(one, { method: "PUT" }),
        sent(one, { version: "1.0" }),
        sent(one, { headers: [] }),
        sent(one, { headers: ["authorization: Bearer x"] }),
        sent(one, { headers: ["authorization: Basic eDp5"] }),
        sent(one, { headers: [`authorization: Bearer ${formatApiKey("B".repeat(32))}`] }),
        sent(one, { headers: ["cookie: __Host-session=x"] }),
        sent(one, { headers: [key, key] }),
        sent(one, { headers: [key, "host: elsewhere.example"] }),
        sent(one, { headers: [key, "transfer-encoding: gzip, chunked"] }),
        sent(one, { headers: [key, "content-length: 2"], body: "{}" }),
        sent(one, { headers: [key, "expect: 100-continue"] }),
        sent(one, { headers: [key, ...Array.from({ length: 120 }, (_, n) => `x-${n}: 1`)] })
      ]
      yield* compare({ requests })
    })
  )

  it.effect("A key without the scope is refused", () =>
    Effect.gen(function* () {
      const { responses } = yield* compare({ requests: fastReads, holder: { scopes: ["posts:write"] } })
      assert.deepStrictEqual(
        statuses(responses),
        fastReads.map(() => 403)
      )
    })
  )

  it.effect("Behind a trusted proxy a read needs HTTPS and a host, by the proxy's own entries", () =>
    Effect.gen(function* () {
      const forwarded = [
        ["x-forwarded-proto: https"],
        ["x-forwarded-proto: http"],
        ["x-forwarded-proto: http, https"],
        ["x-forwarded-proto: https, http"],
        ["x-forwarded-proto: HTTPS"],
        ["x-forwarded-proto: https", "x-forwarded-host: other.example", "x-forwarded-for: 198.51.100.7"],
        ["x-forwarded-proto: https", "x-forwarded-host: not a host"],
        ["x-forwarded-host: not a host, other.example"]
      ]
      const requests = forwarded.map((headers) => sent(one, { headers: [key, ...headers] }))
      const { responses } = yield* compare({ requests, trustProxy: "on" })
      assert.include(statuses(responses), 200)
      assert.include(statuses(responses), 403)
    })
  )

  it.effect("Strict-Transport-Security depends on the service's address as elsewhere", () =>
    Effect.gen(function* () {
      for (const servedAt of ["http://127.0.0.1:3000", "https://posts.example"]) {
        const { responses } = yield* compare({ requests: [sent(one)], servedAt })
        assert.strictEqual(/\r\nstrict-transport-security:/i.test(responses[0] ?? ""), servedAt.startsWith("https"))
      }
    })
  )

  it.effect("A post whose response cannot be sent gets a 500, and is counted and logged once", () =>
    Effect.gen(function* () {
      const post: PostJson = {
        ...aPostJson(),
        get json(): string {
          throw new Error("a mistake")
        }
      }
      const repo = fakeRepo({
        apiKeys: { findKnown: () => Effect.succeedSome(holder) },
        posts: { getJson: () => Effect.succeed(post) }
      })
      const url = yield* startServer({ repo })
      assert.deepStrictEqual(statuses([yield* exchange(url, toBytes(sent(one), 0))]), [500])
      const lines = (yield* Log).map(({ message }) => message)
      assert.deepStrictEqual(
        lines.filter((line) => line.startsWith("GET ")),
        ["GET /v1/posts/:id 500"]
      )
    }).pipe(Effect.scoped, Effect.provide(capturedTelemetryLayer))
  )

  it.effect("A client that leaves while more of its post is read is logged as 499, and that read ends", () =>
    Effect.gen(function* () {
      const reading = yield* Deferred.make<void>()
      const left = yield* Deferred.make<void>()
      const read = Effect.andThen(Deferred.succeed(reading, undefined), Effect.never)
      const repo = fakeRepo({
        apiKeys: { findKnown: () => Effect.succeedSome(holder) },
        posts: {
          askJson: (_workspaceId, _id, _context, resume) => {
            resume(Effect.onInterrupt(read, () => Deferred.succeed(left, undefined)))
            return () => {}
          }
        }
      })
      yield* Effect.scoped(
        Effect.gen(function* () {
          const url = yield* startServer({ repo })
          const { hostname, port } = new URL(url)
          const socket = connect(Number(port), hostname)
          socket.write(toBytes(sent(one), 0))
          yield* Deferred.await(reading)
          socket.destroy()
          yield* Deferred.await(left)
        })
      )
      assert.deepStrictEqual(
        (yield* Log).map(({ message }) => message),
        ["GET /v1/posts/:id 499"]
      )
    }).pipe(Effect.provide(capturedTelemetryLayer))
  )

  it.effect("A client that leaves while its post is read is logged as 499", () =>
    Effect.gen(function* () {
      const seen = yield* Effect.forEach([false, true], (servesFastReads) =>
        Effect.gen(function* () {
          const reading = yield* Deferred.make<void>()
          const left = yield* Deferred.make<void>()
          const read = Effect.andThen(Deferred.succeed(reading, undefined), Effect.never)
          const repo = fakeRepo({
            apiKeys: { find: () => Effect.succeedSome(holder), findKnown: () => Effect.succeedSome(holder) },
            posts: { getJson: () => Effect.onInterrupt(read, () => Deferred.succeed(left, undefined)) }
          })
          // The server stops after it has handled the request.
          yield* Effect.scoped(
            Effect.gen(function* () {
              const url = yield* startServer({ repo }).pipe(Effect.provideService(ServesFastReads, servesFastReads))
              const { hostname, port } = new URL(url)
              const socket = connect(Number(port), hostname)
              socket.write(toBytes(sent(one), 0))
              yield* Deferred.await(reading)
              socket.destroy()
              yield* Deferred.await(left)
            })
          )
          return [...(yield* Log)]
        }).pipe(Effect.provide(capturedTelemetryLayer))
      )
      assert.strictEqual(seen[0]?.[0]?.message, "GET /v1/posts/:id 499")
      assert.deepStrictEqual(seen[1], seen[0])
    })
  )
})
