import { assert, layer } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { ServerResponse } from "node:http"
import { gzipSync } from "node:zlib"
import { takeSteps, takingAll } from "../../../src/media/steps.ts"
import { Outbound } from "../../../src/outbound/Outbound.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { innerServer } from "../../outbound/innerServer.ts"
import { makeCaller, mediaServerLayer, quota } from "../mediaWorld.ts"
import { plainJpeg } from "../sampleFiles.ts"

const outbound = Outbound.layer({ loopback: true })
const fetchAll = Effect.provide(takeSteps(takingAll("Fetch")), outbound)
const processAll = Effect.provide(takeSteps(takingAll("Process")), outbound)

/** A server that answers each path in its own way. */
const site = (paths: Readonly<Record<string, (response: ServerResponse) => void>>) =>
  innerServer((request, response) => (paths[request.url ?? ""] ?? (() => response.writeHead(404).end()))(response))

const lengthOf = (bytes: Uint8Array) => ({ "content-length": bytes.byteLength })
const svg = "<svg xmlns='http://www.w3.org/2000/svg'/>"

const redirect = (to: string) => (response: ServerResponse) => void response.writeHead(302, { location: to }).end()

/** Adds a file from a URL, fetches and reads it, and returns what became of it. */
const addFrom = Effect.fn(function* (url: string) {
  const { call } = yield* makeCaller()
  const added = yield* call("POST", "/v1/media/from-url", { url, alt: "From elsewhere" })
  assert.strictEqual(added.status, 202, added.text)
  assert.strictEqual(added.body.data.status, "processing")
  yield* fetchAll
  yield* processAll
  return (yield* call("GET", `/v1/media/${added.body.data.id}`)).body.data
})

layer(mediaServerLayer, { excludeTestServices: true })("Files from URLs", (it) => {
  it.effect("A file is fetched through redirects, and its type is read from its bytes", () =>
    Effect.gen(function* () {
      const jpeg = yield* Effect.promise(plainJpeg)
      const { port } = yield* site({
        "/a": redirect("/b"),
        "/b": (response) => void response.writeHead(307, { location: `http://127.0.0.1:${port}/c` }).end(),
        "/c": (response) => void response.writeHead(200, { ...lengthOf(jpeg), "content-type": "text/plain" }).end(jpeg)
      })
      const file = yield* addFrom(`http://127.0.0.1:${port}/a`)
      assert.deepInclude(file, { status: "ready", type: "image", content_type: "image/jpeg", alt: "From elsewhere" })
      assert.strictEqual(file.size, jpeg.byteLength)
    })
  )

  it.effect.each([
    ["redirects to a private address", "/inner", "address_refused"],
    ["is not there", "/missing", "unreachable"],
    ["is a page", "/page", "unsupported"],
    ["is an SVG", "/svg", "unsupported"],
    ["says that it is too large", "/declared", "too_large"],
    ["does not say how large it is, and is larger than what is left of the quota", "/endless", "media_quota"],
    ["is larger than what is left of the quota once it is decompressed", "/compressed", "media_quota"],
    ["is redirected without end", "/loop", "unreachable"]
  ])("A file that %s fails with a reason, and keeps no room", ([, path, code]) =>
    Effect.gen(function* () {
      const jpeg = yield* Effect.promise(plainJpeg)
      const { port } = yield* site({
        "/inner": redirect("http://10.0.0.1/"),
        "/page": (response) =>
          void response.writeHead(200, { "content-length": 13, "content-type": "image/png" }).end("<html></html>"),
        "/svg": (response) => void response.writeHead(200, { "content-length": svg.length }).end(svg),
        "/declared": (response) => {
          response.writeHead(200, { "content-length": "2000000000" })
          response.write(jpeg)
        },
        "/compressed": (response) => {
          const body = gzipSync(Buffer.concat([jpeg, Buffer.alloc(quota)]))
          response.writeHead(200, { ...lengthOf(body), "content-encoding": "gzip" }).end(body)
        },
        "/loop": redirect("/loop"),
        "/endless": (response) => {
          response.writeHead(200)
          response.write(jpeg)
          const filler = Buffer.alloc(1_000_000)
          const fill = () => {
            while (!response.destroyed && response.write(filler));
          }
          response.on("drain", fill)
          fill()
        }
      })
      const file = yield* addFrom(`http://127.0.0.1:${port}${path}`)
      assert.deepStrictEqual([file.status, file.error.code], ["failed", code], file.error.message)
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql`SELECT files, hash FROM media WHERE id = ${file.id}::uuid`
      assert.deepStrictEqual(row, { files: [], hash: null })
    })
  )

  it.effect("A file whose server does not say how large it is takes no more room than it needs", () =>
    Effect.gen(function* () {
      const jpeg = yield* Effect.promise(plainJpeg)
      const { port } = yield* site({
        "/": (response) => {
          response.writeHead(200)
          response.write(jpeg.subarray(0, 1000))
          response.end(jpeg.subarray(1000))
        }
      })
      const file = yield* addFrom(`http://127.0.0.1:${port}/`)
      assert.deepInclude(file, { status: "ready", size: jpeg.byteLength })
    })
  )

  it.effect("A server that can't answer now is asked again half a minute later", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const jpeg = yield* Effect.promise(plainJpeg)
      let answers = 0
      const { port } = yield* site({
        "/": (response) =>
          void (++answers === 1 ? response.writeHead(503).end() : response.writeHead(200, lengthOf(jpeg)).end(jpeg))
      })
      const file = yield* addFrom(`http://127.0.0.1:${port}/`)
      assert.strictEqual(file.status, "processing")
      yield* sql`UPDATE media SET next_at = now() - interval '1 second' WHERE id = ${file.id}::uuid AND next_at > now() + interval '20 seconds'`
      yield* fetchAll
      yield* processAll
      const [row] = yield* sql`SELECT status FROM media WHERE id = ${file.id}::uuid`
      assert.strictEqual(row?.["status"], "ready")
    })
  )

  it.effect("A server that never answers is asked three times", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      let answers = 0
      const { port } = yield* site({
        "/": (response) => {
          answers++
          response.writeHead(503).end()
        }
      })
      const { id } = yield* addFrom(`http://127.0.0.1:${port}/`)
      for (let round = 0; round < 4; round++) {
        yield* sql`UPDATE media SET next_at = now() - interval '1 second' WHERE id = ${id}::uuid AND next_at IS NOT NULL`
        yield* fetchAll
      }
      assert.strictEqual(answers, 3)
      const [row] = yield* sql`SELECT status, error_code FROM media WHERE id = ${id}::uuid`
      assert.deepStrictEqual(row, { status: "failed", error_code: "unreachable" })
    })
  )

  it.effect("Of two processes one reads a file, and one that has lost its claim writes nothing", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { media } = yield* Repo
      const { call, upload } = yield* makeCaller()
      const { body } = yield* upload(yield* Effect.promise(plainJpeg))
      const late = yield* media.claim("Process", Duration.minutes(1))
      assert.isTrue(late._tag === "Some")
      if (late._tag === "None") return
      assert.strictEqual(yield* processAll, 0)
      yield* sql`UPDATE media SET next_at = now() - interval '1 second' WHERE id = ${body.data.id}::uuid`
      const taken = yield* Effect.all([processAll, processAll], { concurrency: 2 })
      assert.strictEqual(taken[0] + taken[1], 1)
      const lost = yield* Effect.flip(media.settleFailed(late.value, { code: "unreadable", message: "Too late" }))
      assert.strictEqual(lost._tag, "MediaClaimLost")
      assert.strictEqual((yield* call("GET", `/v1/media/${body.data.id}`)).body.data.status, "ready")
    })
  )

  it.effect("A file is deleted or scheduled, never both, whoever comes first", () =>
    Effect.gen(function* () {
      const { call, upload } = yield* makeCaller()
      const jpeg = yield* Effect.promise(plainJpeg)
      const time = "2099-01-31T12:00:00Z"
      for (let round = 0; round < 6; round++) {
        const { id } = (yield* upload(jpeg)).body.data
        yield* processAll
        const post = { content: "Hi", platforms: ["twitter"], schedule_at: time, media: [{ id }] }
        const requests = [call("DELETE", `/v1/media/${id}`), call("POST", "/v1/posts", post)] as const
        const [first, second] = yield* Effect.all(round % 2 === 0 ? requests : [requests[1], requests[0]], {
          concurrency: 2
        })
        const statuses = [first.status, second.status].toSorted((left, right) => left - right)
        assert.oneOf(statuses.join(), ["200,400", "201,400"])
        const file = yield* call("GET", `/v1/media/${id}`)
        assert.strictEqual(file.status, statuses[0] === 201 ? 200 : 404)
      }
    })
  )
})
