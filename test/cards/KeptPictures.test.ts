import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { createHash } from "node:crypto"
import sharp from "sharp"
import { KeptPictures, keptPicturesLayer } from "../../src/cards/KeptPictures.ts"
import { MediaQuotaExceeded, MediaStoreFull } from "../../src/domain/errors.ts"
import { WorkspaceId } from "../../src/domain/ids.ts"
import { MediaLibrary } from "../../src/media/MediaLibrary.ts"
import { MediaReader } from "../../src/media/process/MediaReader.ts"
import { Outbound } from "../../src/outbound/Outbound.ts"
import { youtube } from "../../src/platforms/youtube/settings.ts"
import { noise, phonePhoto, plainJpeg } from "../media/sampleFiles.ts"
import { innerServer } from "../outbound/innerServer.ts"
import { gif, png } from "../sandbox/sampleFiles.ts"

const workspaceId = WorkspaceId.make("01a1fc17-0000-7000-8000-000000000002")

const { picture: rule } = youtube.thumbnail_url

const libraryOf = (storeCardPicture: MediaLibrary["Service"]["storeCardPicture"]) =>
  Layer.mock(MediaLibrary, { quota: 0, storeCardPicture })

const memory = (stored = new Map<string, Uint8Array>()) =>
  libraryOf((_, bytes) =>
    Effect.sync(() => {
      const hash = createHash("sha256").update(bytes).digest("hex")
      stored.set(hash, bytes)
      return { hash, size: bytes.byteLength }
    })
  )

const pictures = (library = memory(), loopback = true) =>
  keptPicturesLayer.pipe(Layer.provide([Outbound.layer({ loopback }), library, MediaReader.layer]))

const keep = (url: string) => Effect.flatMap(KeptPictures, (find) => find(workspaceId, { url, rule }))

/** The reason why there is no picture. */
const refuse = (url: string) =>
  Effect.map(keep(url), (kept) => (typeof kept === "string" ? kept : assert.fail("It is kept")))

/** A server with one picture, whatever type it claims. */
const serverWith = (body: Uint8Array, status = 200) =>
  Effect.map(
    innerServer((_, response) => {
      response.writeHead(status, { "content-type": "text/plain" })
      response.end(body)
    }),
    ({ port }) => `http://127.0.0.1:${port}/a.jpg`
  )

describe("KeptPictures", () => {
  it.effect("A JPEG is kept as it is, and a large one is made smaller and upright", () => {
    const stored = new Map<string, Uint8Array>()
    return Effect.gen(function* () {
      const plain = new Uint8Array(yield* Effect.promise(plainJpeg))
      const url = yield* serverWith(plain)
      const kept = yield* keep(url)
      if (typeof kept === "string") return assert.fail(kept)
      assert.deepInclude(kept, { url, content_type: "image/jpeg", size: stored.get(kept.hash)?.byteLength ?? 0 })
      const photo = new Uint8Array(yield* Effect.promise(() => phonePhoto(1_600, 900)))
      const large = yield* keep(yield* serverWith(photo))
      if (typeof large === "string") return assert.fail(large)
      const { height, width } = yield* Effect.promise(() => sharp(stored.get(large.hash)).metadata())
      assert.isAtMost(Math.max(height, width), youtube.thumbnail_url.picture.longestSide)
    }).pipe(Effect.provide(pictures(memory(stored))))
  })

  it.effect("What can't be a thumbnail is refused with the reason", () =>
    Effect.gen(function* () {
      const large = new Uint8Array(
        yield* Effect.promise(() => noise(1_000, 1_000).png({ compressionLevel: 0 }).toBuffer())
      )
      const webp = new Uint8Array(yield* Effect.promise(() => noise(40, 40).webp().toBuffer()))
      const refusals = [
        [yield* serverWith(gif(1_000)), /JPEG or PNG/],
        [yield* serverWith(webp), /must be JPEG or PNG/],
        [yield* serverWith(new TextEncoder().encode("<html>")), /The file is HTML; it must be JPEG or PNG$/],
        [yield* serverWith(new Uint8Array()), /The file is empty; it must be JPEG or PNG$/],
        [yield* serverWith(png.subarray(0, 40)), /can't be read/],
        [yield* serverWith(large), /up to 2 MB/],
        [yield* serverWith(png, 404), /status 404/],
        ["http://127.0.0.1:1/a.png", /could not be reached/],
        ["http://10.0.0.1/a.png", /https/],
        ["https://10.0.0.1/a.png", /public address/]
      ] as const
      for (const [url, reason] of refusals) {
        const refused = yield* refuse(url)
        assert.match(refused, /^The picture can't be used: /)
        assert.match(refused, reason)
      }
    }).pipe(Effect.provide(pictures()))
  )

  it.effect("A service that others can reach fetches nothing from this machine", () =>
    Effect.gen(function* () {
      assert.match(yield* refuse(yield* serverWith(png)), /https/)
    }).pipe(Effect.provide(pictures(memory(), false)))
  )

  it.effect.each([
    ["a full quota", new MediaQuotaExceeded({ message: "The quota has no room" }), /quota has no room/],
    ["a full disk", new MediaStoreFull(), /could not be stored; try again/]
  ] as const)("With %s the picture is not kept, and the message says so", ([, error, reason]) =>
    Effect.gen(function* () {
      assert.match(yield* refuse(yield* serverWith(png)), reason)
    }).pipe(Effect.provide(pictures(libraryOf(() => Effect.fail(error)))))
  )

  it.effect("A server that does not answer costs ten seconds", () =>
    Effect.gen(function* () {
      const { port, requests } = yield* innerServer(() => undefined)
      const waiting = yield* Effect.forkChild(refuse(`http://127.0.0.1:${port}/`))
      while (requests() === 0) yield* Effect.promise(() => new Promise((resolve) => void setImmediate(resolve)))
      yield* TestClock.adjust("10 seconds")
      assert.match(yield* Fiber.join(waiting), /did not answer/)
    }).pipe(Effect.provide(pictures()))
  )

  it.effect("Without a store of media there are none", () =>
    Effect.gen(function* () {
      assert.match(yield* refuse("https://example.com/a.png"), /no store of media/)
    }).pipe(Effect.provide(keptPicturesLayer.pipe(Layer.provide(Outbound.layer({ loopback: false })))))
  )
})
