import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer, Redacted, Stream } from "effect"
import { fileLinksLayer, maxFetchesPerMinute } from "../../../src/http/pages/fileLinks.ts"
import { MediaStore } from "../../../src/media/store/MediaStore.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { sweeps } from "../../../src/sweeper.ts"
import { makeWorkspace } from "../../support/database/fixtures.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { send } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { startOnDatabase } from "../../support/http/team.ts"
import { storeLayer } from "../../media/mediaWorld.ts"

const server = Layer.effect(
  ServerUrl,
  Effect.gen(function* () {
    const shared = Layer.succeedContext(yield* Effect.context<Repo | MediaStore>())
    return yield* startOnDatabase({ others: Layer.provide(fileLinksLayer, shared) })
  })
).pipe(Layer.provideMerge(storeLayer), Layer.provideMerge(repoLayer))

const bytes = new TextEncoder().encode("0123456789")

/** A link to ten bytes, and a function that requests it. */
const makeLink = Effect.gen(function* () {
  const { fileLinks } = yield* Repo
  const store = yield* MediaStore
  const url = yield* ServerUrl
  const workspaceId = yield* makeWorkspace([])
  const { hash, size } = yield* store.write(workspaceId, Stream.make(bytes))
  const { id, token } = yield* fileLinks.create({ workspaceId, hash, size, contentType: "image/png" })
  const request = (method = "GET", headers: Readonly<Record<string, string>> = {}) =>
    send(`${url}/files/${Redacted.value(token)}`, { method, headers })
  return { fileLinks, id, request, store, token, url, workspaceId, hash }
})

layer(server)("GET /files/{token}", (it) => {
  it.effect("Serves the file in full, in part, and without its bytes, to whoever has the link", () =>
    Effect.gen(function* () {
      const { request } = yield* makeLink
      const whole = yield* request()
      assert.deepStrictEqual([whole.status, whole.text], [200, "0123456789"])
      assert.deepStrictEqual(
        ["content-type", "content-length", "x-robots-tag", "cache-control", "set-cookie", "ratelimit"].map((name) =>
          whole.headers.get(name)
        ),
        ["image/png", "10", "noindex, nofollow, noarchive", "private, no-store", null, null]
      )
      const head = yield* request("HEAD")
      assert.deepStrictEqual([head.status, head.text, head.headers.get("content-length")], [200, "", "10"])
      const part = yield* request("GET", { range: "bytes=2-4" })
      assert.deepStrictEqual([part.status, part.text, part.headers.get("content-range")], [206, "234", "bytes 2-4/10"])
      const unsure = yield* request("GET", { range: "bytes=2-4", "if-range": '"x"' })
      assert.deepStrictEqual([unsure.status, unsure.text], [200, "0123456789"])
      const outside = yield* request("GET", { range: "bytes=10-" })
      assert.deepStrictEqual([outside.status, outside.headers.get("content-range")], [416, "bytes */10"])
    })
  )

  it.effect("Tells nothing under another token, after the link's end, or without the file", () =>
    Effect.gen(function* () {
      const { fileLinks, id, request, url, workspaceId } = yield* makeLink
      for (const token of ["x", "A".repeat(43), "A".repeat(80)]) {
        const { body, headers, status } = yield* send(`${url}/files/${token}`)
        const told = [status, body.code, headers.get("x-robots-tag")]
        assert.deepStrictEqual(told, [404, "not_found", "noindex, nofollow, noarchive"])
      }
      assert.strictEqual((yield* request("POST")).status, 405)
      const other = yield* makeWorkspace([])
      yield* fileLinks.end(other, [id])
      assert.strictEqual((yield* request()).status, 200)
      yield* fileLinks.end(workspaceId, [id])
      assert.strictEqual((yield* request()).status, 404)
      const gone = yield* makeLink
      yield* gone.store.remove(gone.workspaceId, gone.hash)
      assert.strictEqual((yield* gone.request()).status, 404)
    })
  )

  it.effect("A link that ended is deleted", () =>
    Effect.gen(function* () {
      const { fileLinks, token } = yield* makeLink
      yield* sweeps.fileLinks
      assert.strictEqual((yield* fileLinks.find(token))._tag, "Some")
      const tomorrow = DateTime.add(yield* DateTime.now, { hours: 25 })
      assert.isAbove(yield* fileLinks.removeBefore(tomorrow, 1_000), 0)
      assert.strictEqual((yield* fileLinks.find(token))._tag, "None")
    })
  )

  it.effect("An address has a limit of its own, which the API's requests don't count", () =>
    Effect.gen(function* () {
      const { request, url } = yield* makeLink
      let last = 0
      for (let sent = 0; sent <= maxFetchesPerMinute && last !== 429; sent += 100) {
        const answers = yield* Effect.all(
          Array.from({ length: 100 }, () => request("HEAD")),
          { concurrency: 20 }
        )
        last = answers.at(-1)?.status ?? 0
      }
      assert.strictEqual(last, 429)
      assert.strictEqual((yield* send(`${url}/v1/posts`)).status, 401)
    })
  )
})
