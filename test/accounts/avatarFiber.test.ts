import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import sharp from "sharp"
import { copyAvatars } from "../../src/accounts/avatarFiber.ts"
import { MediaReader } from "../../src/media/process/MediaReader.ts"
import { AddressRefused } from "../../src/outbound/errors.ts"
import { Outbound } from "../../src/outbound/Outbound.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { innerServer } from "../outbound/innerServer.ts"
import { setAvatarUrl } from "../support/database/avatarFixtures.ts"
import { fakeRepo } from "../support/database/fakeRepo.ts"
import { makeWorkspace } from "../support/database/fixtures.ts"
import { keyHeaders } from "../support/http/client.ts"
import { ServerUrl } from "../support/http/server.ts"
import { databaseServerLayer, makeKey } from "../support/http/team.ts"

const picture = (width: number, height: number) =>
  Effect.promise(() =>
    sharp({ create: { width, height, channels: 3, background: { r: 20, g: 120, b: 220 } } })
      .png()
      .withExif({ IFD0: { Copyright: "the owner" } })
      .toBuffer()
  )

const world = Layer.mergeAll(
  databaseServerLayer(),
  MediaReader.layer,
  Outbound.layer({ loopback: true }),
  NodeFileSystem.layer
)

/** An account whose picture is at a URL, and how its copy is read over HTTP. */
const withPicture = Effect.fn(function* (url: string | null) {
  const workspace = yield* makeWorkspace(["bluesky"])
  const id = yield* setAvatarUrl(workspace, url)
  const address = `${yield* ServerUrl}/v1/integrations/${id}/avatar`
  const { key } = yield* makeKey(workspace)
  const read = (headers: Readonly<Record<string, string>> = {}) =>
    Effect.promise(async () => {
      const response = await fetch(address, { headers: { ...keyHeaders(key), ...headers } })
      return {
        status: response.status,
        headers: response.headers,
        bytes: new Uint8Array(await response.arrayBuffer())
      }
    })
  return { id, workspace, read }
})

layer(world)("the copies of accounts' pictures", (it) => {
  it.effect("A picture is copied as a small WebP without metadata, and served so that a browser runs nothing", () =>
    Effect.gen(function* () {
      const original = yield* picture(900, 600)
      const { port, requests } = yield* countingServer({ "/avatar": original })
      const { read } = yield* withPicture(`http://127.0.0.1:${port}/avatar`)
      assert.strictEqual((yield* read()).status, 404)
      yield* copyAvatars
      yield* copyAvatars
      assert.deepStrictEqual(requests, ["/avatar"])
      const { bytes, headers, status } = yield* read()
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(
        ["content-type", "x-content-type-options", "cache-control"].map((name) => headers.get(name)),
        ["image/webp", "nosniff", "private, max-age=3600"]
      )
      assert.match(headers.get("content-security-policy") ?? "", /^sandbox;/)
      const metadata = yield* Effect.promise(() => sharp(bytes).metadata())
      assert.deepStrictEqual([metadata.format, metadata.width, metadata.exif], ["webp", 128, undefined])
      const again = yield* read({ "if-none-match": headers.get("etag") ?? "" })
      assert.deepStrictEqual([again.status, again.bytes.length], [304, 0])
    })
  )

  it.effect.each([
    ["is a page", { "/avatar": new TextEncoder().encode("<html><script>alert(1)</script></html>") }],
    ["is an SVG", { "/avatar": new TextEncoder().encode("<svg xmlns='http://www.w3.org/2000/svg'/>") }],
    ["does not exist", {}]
  ] as const)("Where the picture %s, the response is a 404, and it is not fetched again at once", ([, pages]) =>
    Effect.gen(function* () {
      const { port, requests } = yield* countingServer(pages)
      const { read } = yield* withPicture(`http://127.0.0.1:${port}/avatar`)
      yield* copyAvatars
      yield* copyAvatars
      assert.deepStrictEqual(requests, ["/avatar"])
      assert.strictEqual((yield* read()).status, 404)
    })
  )

  it.effect("An address that is none, or of any length, keeps no other account's picture from being copied", () =>
    Effect.gen(function* () {
      const { port } = yield* countingServer({ "/avatar": yield* picture(90, 60) })
      const poisoned = yield* Effect.forEach(
        ["", "http://", "\u{fffe}", `http://127.0.0.1/${"a".repeat(100_000)}`],
        (url) => withPicture(url)
      )
      const { read } = yield* withPicture(`http://127.0.0.1:${port}/avatar`)
      yield* copyAvatars
      assert.strictEqual((yield* read()).status, 200)
      for (const one of poisoned) assert.strictEqual((yield* one.read()).status, 404)
    })
  )

  it.effect.each([
    [5_000_000, 200],
    [5_000_001, 404]
  ] as const)("Of a picture of %i bytes the copy is a %i", ([size, expected]) =>
    Effect.gen(function* () {
      // What follows the end of a PNG is no part of the picture.
      const padded = new Uint8Array(size)
      padded.set(yield* picture(40, 40))
      const { port } = yield* countingServer({ "/avatar": padded })
      const { read } = yield* withPicture(`http://127.0.0.1:${port}/avatar`)
      yield* copyAvatars
      assert.strictEqual((yield* read()).status, expected)
    })
  )

  it.effect(
    "A round fetches twenty pictures at most, so that an account that changes its own all the time holds up none",
    () =>
      Effect.gen(function* () {
        const { id, workspace } = yield* withPicture(null)
        let taken = 0
        const changing = fakeRepo({
          avatars: {
            takeMissing: () =>
              Effect.sync(() => [{ id, workspaceId: workspace, sourceUrl: `http://127.0.0.1/${workspace}/${taken++}` }])
          }
        })
        const away = Layer.mock(Outbound, { fetch: () => Effect.fail(new AddressRefused({ message: "Not there" })) })
        yield* Effect.provide(copyAvatars, Layer.merge(changing, away))
        assert.strictEqual(taken, 20)
      })
  )

  it.effect("Another picture replaces the copy, which is not shown meanwhile, and disconnecting removes it", () =>
    Effect.gen(function* () {
      const { avatars, integrations } = yield* Repo
      const { port } = yield* countingServer({ "/one": yield* picture(40, 40), "/two": yield* picture(50, 50) })
      const { id, read, workspace } = yield* withPicture(`http://127.0.0.1:${port}/one`)
      yield* copyAvatars
      assert.strictEqual((yield* read()).status, 200)
      yield* setAvatarUrl(workspace, `http://127.0.0.1:${port}/two`)
      assert.strictEqual((yield* read()).status, 404)
      yield* copyAvatars
      const { bytes } = yield* read()
      assert.strictEqual((yield* Effect.promise(() => sharp(bytes).metadata())).width, 50)
      yield* integrations.disconnect(id)
      assert.strictEqual((yield* read()).status, 404)
      assert.strictEqual((yield* Effect.flip(avatars.find(workspace, id)))._tag, "NotFound")
    })
  )

  it.effect("An account without a picture has none", () =>
    Effect.gen(function* () {
      const { read } = yield* withPicture(null)
      yield* copyAvatars
      assert.strictEqual((yield* read()).status, 404)
    })
  )
})

/** A server of pictures, and the paths that were asked for. */
const countingServer = Effect.fn(function* (pages: Readonly<Record<string, Uint8Array>>) {
  const requests: Array<string> = []
  const { port } = yield* innerServer((request, response) => {
    const path = request.url ?? ""
    requests.push(path)
    const page = pages[path]
    response.writeHead(page === undefined ? 404 : 200, { "content-type": "image/png" })
    response.end(page)
  })
  return { port, requests }
})
