import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer, Queue, Stream } from "effect"
import { HttpClientRequest } from "effect/http"
import { deflateSync, brotliCompressSync, gzipSync } from "node:zlib"
import { Outbound, type OutboundRequest } from "../../src/outbound/Outbound.ts"
import { ResolveName } from "../../src/outbound/resolver.ts"
import { innerServer } from "./innerServer.ts"

const kilobyte = 1024
const megabyte = kilobyte * kilobyte

const get = (url: string, options: Partial<OutboundRequest> = {}): OutboundRequest => ({
  request: HttpClientRequest.get(url),
  timeout: Duration.seconds(10),
  maxBytes: megabyte,
  ...options
})

/** The service where names resolve to `names`, each time to the next list of addresses, and this machine is reached or not. */
const withOutbound = <A, E, R>(
  loopback: boolean,
  names: Record<string, ReadonlyArray<ReadonlyArray<string>>>,
  effect: Effect.Effect<A, E, R | Outbound>
) => {
  const resolved = new Map<string, number>()
  return Effect.provide(
    effect,
    Outbound.layer({ loopback }).pipe(
      Layer.provide(
        Layer.succeed(ResolveName, (name) =>
          Effect.sync(() => {
            const count = resolved.get(name) ?? 0
            resolved.set(name, count + 1)
            return names[name]?.[count] ?? []
          })
        )
      )
    )
  )
}

const outcome = (options: OutboundRequest) =>
  Effect.flatMap(Outbound, ({ fetch }) =>
    Effect.match(fetch(options), {
      onFailure: ({ _tag, message }) => `${_tag}: ${message}`,
      onSuccess: ({ bytes, status }) => `${status} ${new TextDecoder().decode(bytes.subarray(0, 20))}`
    })
  )

const notPublic = "AddressRefused: The URL does not lead to a public address"

const hello = innerServer((_, response) => void response.end("hello"))

describe("Outbound", () => {
  it.live("A name is refused if any address that it has is not public", () =>
    Effect.gen(function* () {
      const { requests } = yield* hello
      const names = {
        "loopback.test": [["127.0.0.1"]],
        "private.test": [["10.0.0.1"]],
        "metadata.test": [["169.254.169.254"]],
        "mapped.test": [["::ffff:127.0.0.1"]],
        "nat64.test": [["64:ff9b::7f00:1"]],
        "mixed.test": [["8.8.8.8", "127.0.0.1"]],
        "mixed6.test": [["2606:4700::1111", "fd00::1"]]
      }
      for (const name of Object.keys(names)) {
        for (const scheme of ["https", "http"]) {
          assert.strictEqual(
            yield* withOutbound(false, names, outcome(get(`${scheme}://${name}/`, { http: true }))),
            notPublic
          )
        }
      }
      assert.strictEqual(requests(), 0)
    })
  )

  it.live("IP addresses and localhost are refused before anything is resolved or connected to", () =>
    Effect.gen(function* () {
      const { port, requests } = yield* hello
      for (const host of ["127.0.0.1", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]", "localhost", "a.localhost."]) {
        for (const url of [`https://${host}/`, `http://${host}/`]) {
          assert.strictEqual(yield* withOutbound(false, {}, outcome(get(url, { http: true }))), notPublic, url)
        }
        assert.match(
          yield* withOutbound(false, {}, outcome(get(`http://${host}:${port}/`, { http: true }))),
          /^AddressR/
        )
      }
      assert.strictEqual(requests(), 0)
    })
  )

  it.live("Each redirect is checked as the first address is", () =>
    Effect.gen(function* () {
      const { port, requests } = yield* innerServer((request, response) => {
        response.statusCode = 302
        response.setHeader("location", decodeURIComponent(request.url?.slice(1) ?? ""))
        response.end()
      })
      const redirectTo = (location: string) =>
        withOutbound(
          true,
          { "inner.test": [["10.0.0.1"]] },
          outcome(get(`http://127.0.0.1:${port}/${encodeURIComponent(location)}`, { maxRedirects: 5 }))
        )
      assert.strictEqual(yield* redirectTo("https://10.0.0.1/"), notPublic)
      assert.strictEqual(yield* redirectTo("https://169.254.169.254/latest/meta-data/"), notPublic)
      assert.strictEqual(yield* redirectTo("https://[fd00::1]/"), notPublic)
      assert.strictEqual(yield* redirectTo("https://inner.test/"), notPublic)
      assert.include(yield* redirectTo("http://example.com/"), "has to begin with https://")
      assert.include(yield* redirectTo("file:///etc/passwd"), "has to begin with https://")
      assert.include(yield* redirectTo("gopher://example.com/"), "has to begin with https://")
      assert.include(yield* redirectTo("https://user:secret@example.com/"), "user name or password")
      assert.include(yield* redirectTo("https://example.com:22/"), "must not name a port")
      assert.include(yield* redirectTo("https://[nonsense/"), "redirects to no valid URL")
      assert.strictEqual(requests(), 10)
    })
  )

  it.live("Redirects are followed as often as the caller says, and without that not at all", () =>
    Effect.gen(function* () {
      const { port, requests } = yield* innerServer((request, response) => {
        const left = Number(request.url?.slice(1))
        if (left > 0) response.writeHead(301, { location: `/${left - 1}` })
        response.end(left > 0 ? "" : "there")
      })
      const follow = (times: number, maxRedirects?: number) =>
        withOutbound(
          true,
          {},
          outcome(get(`http://127.0.0.1:${port}/${times}`, maxRedirects === undefined ? {} : { maxRedirects }))
        )
      assert.strictEqual(yield* follow(5, 5), "200 there")
      assert.strictEqual(yield* follow(1), "301 ")
      assert.strictEqual(requests(), 7)
      assert.strictEqual(yield* follow(6, 5), `TooManyRedirects: 127.0.0.1:${port} redirects too often`)
      assert.strictEqual(requests(), 13)
    })
  )

  it.live("A body that does not end is read up to the limit, and its connection is closed", () =>
    Effect.gen(function* () {
      const closed = yield* Queue.unbounded<boolean>()
      const { port } = yield* innerServer((_, response) => {
        response.on("close", () => Queue.offerUnsafe(closed, true))
        const more = () => {
          while (response.write(Buffer.alloc(16 * kilobyte))) {
            // As much as the connection takes.
          }
        }
        response.on("drain", more)
        more()
      })
      yield* withOutbound(
        true,
        {},
        Effect.gen(function* () {
          const { fetch, open } = yield* Outbound
          const request = get(`http://127.0.0.1:${port}/`, { maxBytes: 100_000 })
          assert.lengthOf((yield* fetch(request)).bytes, 100_000)
          const error = yield* Effect.flip(
            Effect.scoped(Effect.flatMap(open(request), ({ body }) => Stream.runDrain(body)))
          )
          assert.strictEqual(error._tag, "ResponseTooLong")
        })
      )
      assert.lengthOf(yield* Queue.takeN(closed, 2), 2)
    })
  )

  it.live("A body that says it is too long is not read", () =>
    Effect.gen(function* () {
      const { port } = yield* innerServer((_, response) => {
        response.setHeader("content-length", "2000000000")
        response.write("x")
      })
      const error = yield* withOutbound(
        true,
        {},
        Effect.flatMap(Outbound, ({ open }) => Effect.flip(Effect.scoped(open(get(`http://127.0.0.1:${port}/`)))))
      )
      assert.strictEqual(error._tag, "ResponseTooLong")
    })
  )

  it.live("A server that does not answer, or stops in the middle, costs no more than the timeout", () =>
    Effect.gen(function* () {
      const silent = yield* innerServer(() => undefined)
      const stalling = yield* innerServer((_, response) => void response.write("x"))
      const dribbling = yield* innerServer((_, response) => {
        const timer = setInterval(() => response.write("x"), 20)
        response.on("close", () => clearInterval(timer))
      })
      for (const { port } of [silent, stalling, dribbling]) {
        const request = get(`http://127.0.0.1:${port}/`, { timeout: Duration.millis(200) })
        assert.strictEqual(
          yield* withOutbound(true, {}, outcome(request)),
          `Unreachable: 127.0.0.1:${port} did not answer within 0.2 seconds`
        )
      }
    })
  )

  it.live("A compressed body is decompressed up to the limit and no further", () =>
    Effect.gen(function* () {
      const text = "a".repeat(64 * megabyte)
      const codings: Record<string, Buffer> = {
        gzip: gzipSync(text),
        deflate: deflateSync(text),
        br: brotliCompressSync(text),
        "gzip, gzip": gzipSync(gzipSync(text)),
        zstd: Buffer.from(text.slice(0, 10)),
        "x-nonsense": Buffer.from("a")
      }
      const { port } = yield* innerServer((request, response) => {
        const coding = decodeURIComponent(request.url?.slice(1) ?? "")
        response.setHeader("content-encoding", coding)
        response.end(codings[coding])
      })
      const fetched = (coding: string) =>
        withOutbound(
          true,
          {},
          Effect.flatMap(Outbound, ({ fetch }) =>
            fetch(get(`http://127.0.0.1:${port}/${encodeURIComponent(coding)}`, { maxBytes: 10_000 }))
          )
        )
      for (const coding of ["gzip", "deflate", "br"]) {
        const before = process.memoryUsage().arrayBuffers
        assert.strictEqual(new TextDecoder().decode((yield* fetched(coding)).bytes), text.slice(0, 10_000))
        assert.isBelow(process.memoryUsage().arrayBuffers - before, 32 * megabyte, coding)
      }
      for (const coding of ["gzip, gzip", "zstd", "x-nonsense"]) {
        assert.include((yield* Effect.flip(fetched(coding))).message, "encoding can't be read")
      }
    })
  )

  it.live("A body that is not compressed as it says fails as one that was lost", () =>
    Effect.gen(function* () {
      const { port } = yield* innerServer((_, response) => {
        response.setHeader("content-encoding", "gzip")
        response.end("this is no gzip")
      })
      assert.strictEqual(
        yield* withOutbound(true, {}, outcome(get(`http://127.0.0.1:${port}/`))),
        "Unreachable: The response's gzip can't be read"
      )
    })
  )

  it.live("A request names the service, and carries no trace headers and no credentials", () =>
    Effect.gen(function* () {
      const seen: Array<NodeJS.Dict<string | Array<string>>> = []
      const { port } = yield* innerServer((request, response) => {
        seen.push(request.headers)
        response.end()
      })
      yield* withOutbound(true, {}, outcome(get(`http://127.0.0.1:${port}/`))).pipe(Effect.withSpan("test"))
      assert.deepStrictEqual(Object.keys(seen[0] ?? {}).toSorted(), [
        "accept-encoding",
        "connection",
        "host",
        "user-agent"
      ])
      assert.match(String(seen[0]?.["user-agent"]), /^social-publisher\//)
    })
  )
})
