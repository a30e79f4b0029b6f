import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { request as httpRequest } from "node:http"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { apiKey, ServerUrl } from "../../support/http/server.ts"
import { keyHeaders, send } from "../../support/http/client.ts"

interface Raw {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: Buffer
}

/** A response as it is sent: fetch would decompress it. */
const get = (url: string, headers: Readonly<Record<string, string>> = {}, method = "GET"): Effect.Effect<Raw> =>
  Effect.callback((resume) => {
    httpRequest(url, { method, headers }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.once("end", () =>
        resume(Effect.succeed({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }))
      )
    }).end()
  })

layer(ServerUrl.layer())("the reference", (it) => {
  const paths = ["/docs", "/openapi.json"]

  it.effect.each(paths)("GET %s is compressed as the client accepts it", (path) =>
    Effect.gen(function* () {
      const url = `${yield* ServerUrl}${path}`
      const plain = yield* get(url)
      assert.deepStrictEqual([plain.status, plain.headers["content-encoding"]], [200, undefined])
      const cases = [
        ["gzip, deflate, br", "br"],
        ["gzip", "gzip"],
        ["GZIP;q=0.5, br;q=0.1", "gzip"],
        ["*", "br"],
        ["br;q=0, *", "gzip"],
        ["deflate, zstd", undefined],
        ["identity, br;q=0.5", undefined],
        ["br;q=0, gzip;q=0", undefined],
        ["", undefined]
      ] as const
      for (const [accepted, coding] of cases) {
        const { body, headers, status } = yield* get(url, { "accept-encoding": accepted })
        assert.deepStrictEqual([status, headers["content-encoding"]], [200, coding], accepted)
        assert.strictEqual(headers["vary"], "Accept-Encoding")
        assert.strictEqual(headers["content-length"], String(body.length))
        const text = coding === "br" ? brotliDecompressSync(body) : coding === "gzip" ? gunzipSync(body) : body
        assert.isTrue(text.equals(plain.body))
        if (coding !== undefined) assert.isBelow(body.length, plain.body.length / 2)
      }
    })
  )

  it.effect.each(paths)("GET %s with the ETag of an earlier response gets a 304 without a body", (path) =>
    Effect.gen(function* () {
      const url = `${yield* ServerUrl}${path}`
      const tags = new Set<unknown>()
      for (const coding of ["br", "gzip", "identity"]) {
        const accept = { "accept-encoding": coding }
        const { headers } = yield* get(url, accept)
        const tag = String(headers["etag"])
        assert.match(tag, /^"[\w-]+"$/)
        tags.add(tag)
        for (const condition of [tag, `W/${tag}`, `"other", ${tag}`, "*"]) {
          const again = yield* get(url, { ...accept, "if-none-match": condition })
          assert.deepStrictEqual([again.status, again.body.length, again.headers["etag"]], [304, 0, tag], condition)
          assert.strictEqual(again.headers["vary"], "Accept-Encoding")
        }
        const other = yield* get(url, { ...accept, "if-none-match": '"other"' })
        assert.strictEqual(other.status, 200)
      }
      assert.strictEqual(tags.size, 3)
    })
  )

  it.effect("A HEAD request has the headers of the compressed page", () =>
    Effect.gen(function* () {
      const url = `${yield* ServerUrl}/docs`
      const accept = { "accept-encoding": "br" }
      const page = yield* get(url, accept)
      const { body, headers, status } = yield* get(url, accept, "HEAD")
      assert.deepStrictEqual([status, body.length, headers["etag"]], [200, 0, page.headers["etag"]])
    })
  )

  it.effect("Responses of the API are not compressed, because they mix secrets with what callers choose", () =>
    Effect.gen(function* () {
      const { headers } = yield* send(`${yield* ServerUrl}/v1/nothing`, {
        headers: { ...keyHeaders(apiKey), "accept-encoding": "br" }
      })
      assert.isNull(headers.get("content-encoding"))
    })
  )
})
