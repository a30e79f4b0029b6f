import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import http from "node:http"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { ServerUrl, startServer } from "../../support/http/server.ts"

interface RawResponse {
  readonly status: number | undefined
  readonly headers: http.IncomingHttpHeaders
  readonly bytes: Buffer
}

/** Returns the response's bytes as received; fetch would decompress them. */
const sendRaw = (url: string, headers: Readonly<Record<string, string>> = {}, method = "GET") =>
  Effect.callback<RawResponse>((resume) => {
    const request = http.request(url, { method, headers, agent: false }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("end", () => {
        resume(Effect.succeed({ status: response.statusCode, headers: response.headers, bytes: Buffer.concat(chunks) }))
      })
    })
    request.on("error", (error) => resume(Effect.die(error)))
    request.end()
  })

const encoded = (encoding: string) => ({ "accept-encoding": encoding })

for (const path of ["/docs", "/openapi.json", "/llms.txt", "/agents.md"])
  layer(ServerUrl.layer())(`GET ${path}`, (it) => {
    it.effect("The response is compressed by brotli or gzip, to less than half, where the client accepts it", () =>
      Effect.gen(function* () {
        const url = `${yield* ServerUrl}${path}`
        const identity = yield* sendRaw(url)
        assert.isUndefined(identity.headers["content-encoding"])
        const brotli = yield* sendRaw(url, encoded("gzip, deflate, br, zstd"))
        assert.strictEqual(brotli.headers["content-encoding"], "br")
        assert.isTrue(brotliDecompressSync(brotli.bytes).equals(identity.bytes))
        const gzip = yield* sendRaw(url, encoded("gzip"))
        assert.strictEqual(gzip.headers["content-encoding"], "gzip")
        assert.isTrue(gunzipSync(gzip.bytes).equals(identity.bytes))
        for (const { headers, bytes, status } of [identity, brotli, gzip]) {
          assert.strictEqual(status, 200)
          assert.strictEqual(headers.vary, "Accept-Encoding")
          assert.strictEqual(headers["cache-control"], "no-cache")
          assert.strictEqual(headers["content-length"], String(bytes.length))
          assert.strictEqual(headers["content-type"], identity.headers["content-type"])
          assert.strictEqual(headers["content-security-policy"], identity.headers["content-security-policy"])
        }
        for (const { bytes } of [brotli, gzip]) assert.isBelow(bytes.length, identity.bytes.length / 2)
      })
    )

    it.effect("The first request of a process may be a HEAD", () =>
      Effect.gen(function* () {
        const url = `${yield* startServer()}${path}`
        const first = yield* sendRaw(url, encoded("identity"), "HEAD")
        const { bytes } = yield* sendRaw(url, encoded("identity"))
        assert.deepStrictEqual([first.status, first.headers["content-length"]], [200, String(bytes.length)])
      })
    )

    it.effect.each([
      { accepted: "br;q=0.5, gzip", chosen: "gzip" },
      { accepted: "GZIP ; Q=0.3 , br;q=0", chosen: "gzip" },
      { accepted: "*", chosen: "br" },
      { accepted: "br;q=0, *;q=0.1", chosen: "gzip" },
      { accepted: "x-gzip", chosen: "gzip" },
      { accepted: "gzip;q=0.5, identity", chosen: undefined },
      { accepted: "zstd, deflate", chosen: undefined },
      { accepted: "br;q=0, gzip;q=0, identity;q=0", chosen: undefined },
      { accepted: "", chosen: undefined },
      { accepted: "br;q=high, ;;,", chosen: undefined }
    ])("Accept-Encoding '$accepted' is answered with the coding $chosen", ({ accepted, chosen }) =>
      Effect.gen(function* () {
        const { status, headers } = yield* sendRaw(`${yield* ServerUrl}${path}`, encoded(accepted), "HEAD")
        assert.strictEqual(status, 200)
        assert.strictEqual(headers["content-encoding"], chosen)
      })
    )

    it.effect("Each coding has a strong ETag of its own, the same at every request and for HEAD", () =>
      Effect.gen(function* () {
        const url = `${yield* ServerUrl}${path}`
        const codings = ["identity", "gzip", "br"]
        const first = yield* Effect.forEach(codings, (coding) => sendRaw(url, encoded(coding)))
        const tags = first.map(({ headers }) => headers.etag)
        for (const tag of tags) assert.match(tag ?? "", /^"[\w-]+"$/)
        assert.strictEqual(new Set(tags).size, 3)
        const again = yield* Effect.forEach(codings, (coding) => sendRaw(url, encoded(coding), "HEAD"))
        assert.deepStrictEqual(
          again.map(({ headers }) => headers.etag),
          tags
        )
        assert.deepStrictEqual(
          again.map(({ headers, bytes }) => [headers["content-length"], bytes.length]),
          first.map(({ bytes }) => [String(bytes.length), 0])
        )
      })
    )

    it.effect("A client that has the representation gets a 304 without a body, which repeats the page's headers", () =>
      Effect.gen(function* () {
        const url = `${yield* ServerUrl}${path}`
        const { headers } = yield* sendRaw(url, encoded("br"))
        const etag = headers.etag ?? ""
        for (const method of ["GET", "HEAD"]) {
          for (const condition of [etag, `W/${etag}`, `"a,b", ${etag}`, "*"]) {
            const unchanged = yield* sendRaw(url, { ...encoded("br"), "if-none-match": condition }, method)
            assert.strictEqual(unchanged.status, 304, condition)
            assert.strictEqual(unchanged.bytes.length, 0)
            for (const name of ["etag", "vary", "cache-control", "content-security-policy"]) {
              assert.strictEqual(unchanged.headers[name], headers[name], name)
            }
          }
        }
        for (const condition of ['"other"', "", etag.slice(0, -1)]) {
          assert.strictEqual((yield* sendRaw(url, { ...encoded("br"), "if-none-match": condition })).status, 200)
        }
        const otherCoding = yield* sendRaw(url, { ...encoded("gzip"), "if-none-match": etag })
        assert.strictEqual(otherCoding.status, 200)
      })
    )
  })
