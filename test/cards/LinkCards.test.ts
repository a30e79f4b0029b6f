import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Queue } from "effect"
import { TestClock } from "effect/testing"
import { createHash } from "node:crypto"
import { LinkCards, linkCardsLayer } from "../../src/cards/LinkCards.ts"
import { MediaStoreFull } from "../../src/domain/errors.ts"
import { WorkspaceId } from "../../src/domain/ids.ts"
import { MediaReader } from "../../src/media/process/MediaReader.ts"
import { MediaLibrary } from "../../src/media/MediaLibrary.ts"
import { Outbound } from "../../src/outbound/Outbound.ts"
import sharp from "sharp"
import { noise } from "../media/sampleFiles.ts"
import { innerServer } from "../outbound/innerServer.ts"
import { png } from "../sandbox/sampleFiles.ts"

const workspaceId = WorkspaceId.make("01a1fc17-0000-7000-8000-000000000002")
const otherWorkspaceId = WorkspaceId.make("01a1fc17-0000-7000-8000-000000000003")

/** A library that keeps pictures in a map, by hash. */
const memoryStore = (stored: Map<string, Uint8Array>) =>
  Layer.mock(MediaLibrary, {
    quota: 0,
    storeCardPicture: (_, bytes) =>
      Effect.sync(() => {
        const hash = createHash("sha256").update(bytes).digest("hex")
        stored.set(hash, bytes)
        return { hash, size: bytes.byteLength }
      })
  })

const cards = (stored = new Map<string, Uint8Array>()) =>
  linkCardsLayer.pipe(Layer.provide([Outbound.layer({ loopback: true }), memoryStore(stored), MediaReader.layer]))

const lookUp = (url: string) => Effect.flatMap(LinkCards, (find) => find(workspaceId, url))

const html = (head: string) => ({ type: "text/html; charset=utf-8", body: `<html><head>${head}</head></html>` })

/** A site whose pages are these. */
const site = (
  pages: Record<string, { readonly type: string; readonly body: string | Uint8Array; readonly status?: number }>
) =>
  innerServer((request, response) => {
    const page = pages[request.url ?? ""]
    response.writeHead(page?.status ?? (page === undefined ? 404 : 200), { "content-type": page?.type ?? "text/plain" })
    response.end(page?.body)
  })

describe("LinkCards", () => {
  it.effect("A card stays without its picture where there is no room for it", () => {
    const full = Layer.mock(MediaLibrary, { quota: 0, storeCardPicture: () => Effect.fail(new MediaStoreFull()) })
    return Effect.gen(function* () {
      const { port } = yield* site({
        "/post": html(`<title>A title</title><meta property="og:image" content="/pixel">`),
        "/pixel": { type: "image/png", body: png }
      })
      assert.deepInclude(yield* lookUp(`http://127.0.0.1:${port}/post`), { title: "A title", thumb: null })
    }).pipe(
      Effect.provide(linkCardsLayer.pipe(Layer.provide([Outbound.layer({ loopback: true }), full, MediaReader.layer])))
    )
  })

  it.effect("A link has the card that its page describes, with its picture in the store", () => {
    const stored = new Map<string, Uint8Array>()
    return Effect.gen(function* () {
      const { port } = yield* site({
        "/post": html(`<meta property="og:title" content="A title"><meta property="og:description" content="About it">
          <meta property="og:image" content="/pixel">`),
        // The type comes from the bytes and not from the header.
        "/pixel": { type: "text/html", body: png }
      })
      const url = `http://127.0.0.1:${port}/post`
      const card = yield* lookUp(url)
      const hash = createHash("sha256").update(png).digest("hex")
      const thumb = { hash, content_type: "image/png", size: png.byteLength }
      assert.deepStrictEqual(card, { url, title: "A title", description: "About it", thumb })
      assert.deepStrictEqual(stored.get(hash), png)
    }).pipe(Effect.provide(cards(stored)))
  })

  it.effect("A card has no picture where that is missing, too large, of another type, or not public", () =>
    Effect.gen(function* () {
      const large = new Uint8Array(10_000_001)
      large.set(png)
      const picture = (image: string) => html(`<title>Page</title><meta property="og:image" content="${image}">`)
      const { port } = yield* site({
        "/missing": picture("/nothing"),
        "/large": picture("/large.png"),
        "/large.png": { type: "image/png", body: large },
        "/svg": picture("/svg.png"),
        "/svg.png": { type: "image/png", body: "<svg xmlns='http://www.w3.org/2000/svg'/>" },
        "/inner": picture("https://10.0.0.1/a.png"),
        "/data": picture("data:image/png;base64,AAAA"),
        "/nonsense": picture("https://[")
      })
      for (const path of ["missing", "large", "svg", "inner", "data", "nonsense"]) {
        const card = yield* lookUp(`http://127.0.0.1:${port}/${path}`)
        assert.strictEqual(card?.title, "Page", path)
        assert.isNull(card?.thumb, path)
      }
    }).pipe(Effect.provide(cards()))
  )

  it.effect("A picture that is larger than Bluesky takes is scaled", () => {
    const stored = new Map<string, Uint8Array>()
    return Effect.gen(function* () {
      const large = yield* Effect.promise(() => noise(1600, 1000).png().toBuffer())
      assert.isAbove(large.byteLength, 1_000_000)
      const { port } = yield* site({
        "/post": html(`<title>Page</title><meta property="og:image" content="/large">`),
        "/large": { type: "image/png", body: new Uint8Array(large) }
      })
      const card = yield* lookUp(`http://127.0.0.1:${port}/post`)
      const bytes = stored.get(card?.thumb?.hash ?? "") ?? new Uint8Array()
      assert.isAtMost(bytes.byteLength, 1_000_000)
      assert.strictEqual(card?.thumb?.size, bytes.byteLength)
      const { width } = yield* Effect.promise(() => sharp(bytes).metadata())
      assert.strictEqual(width, 1200)
    }).pipe(Effect.provide(cards(stored)))
  })

  it.effect("A card's picture is shown as a picture of a post: upright and in the colors of screens", () => {
    const stored = new Map<string, Uint8Array>()
    return Effect.gen(function* () {
      const area = sharp({ create: { width: 40, height: 20, channels: 3, background: "#a04010" } })
      const turned = yield* Effect.promise(() => area.clone().withMetadata({ orientation: 6 }).jpeg().toBuffer())
      const cmyk = yield* Effect.promise(() => area.clone().toColourspace("cmyk").jpeg().toBuffer())
      const { port } = yield* site({
        "/turned": html(`<title>Page</title><meta property="og:image" content="/turned.jpg">`),
        "/turned.jpg": { type: "image/jpeg", body: new Uint8Array(turned) },
        "/cmyk": html(`<title>Page</title><meta property="og:image" content="/cmyk.jpg">`),
        "/cmyk.jpg": { type: "image/jpeg", body: new Uint8Array(cmyk) }
      })
      const metadataOf = Effect.fnUntraced(function* (path: string) {
        const card = yield* lookUp(`http://127.0.0.1:${port}/${path}`)
        const bytes = stored.get(card?.thumb?.hash ?? "") ?? new Uint8Array()
        return yield* Effect.promise(() => sharp(bytes).metadata())
      })
      const { height, orientation, width } = yield* metadataOf("turned")
      assert.deepStrictEqual({ width, height, orientation }, { width: 20, height: 40, orientation: undefined })
      assert.strictEqual((yield* metadataOf("cmyk")).space, "srgb")
    }).pipe(Effect.provide(cards(stored)))
  })

  it.effect("Where the first picture can't be shown, the card has the next one that the page names", () => {
    const stored = new Map<string, Uint8Array>()
    return Effect.gen(function* () {
      const broken = png.slice(0, png.length - 20)
      const { port } = yield* site({
        "/post": html(`<title>Page</title><meta property="og:image" content="/logo.svg">
          <meta property="og:image" content="/missing"><meta name="twitter:image" content="/pixel">
          <meta property="og:image" content="/broken.png">`),
        "/logo.svg": { type: "image/svg+xml", body: "<svg xmlns='http://www.w3.org/2000/svg'/>" },
        "/broken.png": { type: "image/png", body: broken },
        "/pixel": { type: "image/png", body: png }
      })
      const card = yield* lookUp(`http://127.0.0.1:${port}/post`)
      assert.strictEqual(card?.thumb?.content_type, "image/png")
    }).pipe(Effect.provide(cards(stored)))
  })

  it.effect("A picture's address is relative to the page that a link redirects to", () =>
    Effect.gen(function* () {
      const { port } = yield* innerServer((request, response) => {
        if (request.url === "/short") return void response.writeHead(302, { location: "/posts/1" }).end()
        if (request.url === "/posts/pixel") return void response.end(png)
        response.setHeader("content-type", "text/html")
        response.end(`<title>Page</title><meta property="og:image" content="pixel">`)
      })
      const card = yield* lookUp(`http://127.0.0.1:${port}/short`)
      assert.strictEqual(card?.thumb?.content_type, "image/png")
    }).pipe(Effect.provide(cards()))
  )

  it.effect("A page's names are found at the end of a long head, and in the body of a page whose head has none", () =>
    Effect.gen(function* () {
      const script = (size: number) => `<script>${"x".repeat(size)}</script>`
      const names = `<meta property="og:title" content="A title"><meta property="og:description" content="About it">`
      const { port } = yield* site({
        "/head": html(`<title>Plain</title>${script(1_500_000)}${names}`),
        "/body": {
          type: "text/html",
          body: `<head><title>Plain</title></head><body>${script(700_000)}${names}</body>`
        },
        "/endless": html(`<title>Plain</title>${script(3_000_000)}${names}`)
      })
      for (const [path, title] of [
        ["head", "A title"],
        ["body", "A title"],
        ["endless", "Plain"]
      ]) {
        assert.strictEqual((yield* lookUp(`http://127.0.0.1:${port}/${path}`))?.title, title, path)
      }
    }).pipe(Effect.provide(cards()))
  )

  it.effect("A page is read no further than its head where that names it", () =>
    Effect.gen(function* () {
      const { port } = yield* innerServer((_request, response) => {
        response.setHeader("content-type", "text/html")
        response.write(`<head><meta property="og:title" content="A title"></head><body>${"<p>Text</p>".repeat(200)}`)
      })
      assert.strictEqual((yield* lookUp(`http://127.0.0.1:${port}/`))?.title, "A title")
    }).pipe(Effect.provide(cards()))
  )

  it.effect("A link has no card where its page is none, is missing, has no title, or is not public", () =>
    Effect.gen(function* () {
      const { port, requests } = yield* site({
        "/image": { type: "image/png", body: png },
        "/text": { type: "text/plain", body: "<title>Not a page</title>" },
        "/untitled": html(`<meta property="og:description" content="Words">`),
        "/gone": { ...html("<title>Gone</title>"), status: 410 }
      })
      for (const path of ["image", "text", "untitled", "gone", "missing"]) {
        assert.isNull(yield* lookUp(`http://127.0.0.1:${port}/${path}`), path)
      }
      assert.strictEqual(requests(), 5)
      for (const url of [
        "https://10.0.0.1/",
        "https://[::ffff:10.0.0.1]/",
        "https://user@example.com/",
        "https://[",
        "ftp://example.com/"
      ]) {
        assert.isNull(yield* lookUp(url), url)
      }
    }).pipe(Effect.provide(cards()))
  )

  it.effect("A link that several posts share is looked up once", () =>
    Effect.gen(function* () {
      const { port, requests } = yield* site({ "/": html("<title>Page</title>") })
      const urls = Array.from({ length: 20 }, () => `http://127.0.0.1:${port}/`)
      const found = yield* Effect.forEach(urls, lookUp, { concurrency: "unbounded" })
      assert.isTrue(found.every((card) => card?.title === "Page"))
      assert.strictEqual(requests(), 1)
    }).pipe(Effect.provide(cards()))
  )

  it.effect("Whoever waits for a card waits no longer than ten seconds, although the page is slow", () =>
    Effect.gen(function* () {
      const asked = yield* Queue.unbounded<boolean>()
      const { port } = yield* innerServer(() => Queue.offerUnsafe(asked, true))
      const waiting = yield* Effect.forkChild(lookUp(`http://127.0.0.1:${port}/`))
      yield* Queue.take(asked)
      yield* TestClock.adjust("10 seconds")
      assert.isNull(yield* Fiber.join(waiting))
    }).pipe(Effect.provide(cards()))
  )

  it.effect("A slow picture does not cost the card", () =>
    Effect.gen(function* () {
      const asked = yield* Queue.unbounded<boolean>()
      const { port } = yield* innerServer((request, response) => {
        if (request.url === "/slow.png") return void Queue.offerUnsafe(asked, true)
        response.setHeader("content-type", "text/html")
        response.end(`<title>Page</title><meta property="og:image" content="/slow.png">`)
      })
      const waiting = yield* Effect.forkChild(lookUp(`http://127.0.0.1:${port}/`))
      yield* Queue.take(asked)
      yield* TestClock.adjust("9500 millis")
      const card = yield* Fiber.join(waiting)
      assert.strictEqual(card?.title, "Page")
      assert.isNull(card?.thumb)
    }).pipe(Effect.provide(cards()))
  )

  it.effect("A slow picture leaves time for the next one", () =>
    Effect.gen(function* () {
      const asked = yield* Queue.unbounded<boolean>()
      const { port } = yield* innerServer((request, response) => {
        if (request.url === "/slow.png") return void Queue.offerUnsafe(asked, true)
        if (request.url === "/pixel.png") return void response.end(png)
        response.setHeader("content-type", "text/html")
        const pictures = ["slow", "pixel"].map((name) => `<meta property="og:image" content="/${name}.png">`)
        response.end(`<title>Page</title>${pictures.join("")}`)
      })
      const waiting = yield* Effect.forkChild(lookUp(`http://127.0.0.1:${port}/`))
      yield* Queue.take(asked)
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* Fiber.join(waiting))?.thumb?.content_type, "image/png")
    }).pipe(Effect.provide(cards()))
  )

  it.effect("Where whoever began a lookup goes away, the others who wait get an answer", () =>
    Effect.gen(function* () {
      const asked = yield* Queue.unbounded<boolean>()
      const { port } = yield* innerServer(() => Queue.offerUnsafe(asked, true))
      const first = yield* Effect.forkChild(lookUp(`http://127.0.0.1:${port}/`))
      yield* Queue.take(asked)
      const second = yield* Effect.forkChild(lookUp(`http://127.0.0.1:${port}/`), { startImmediately: true })
      yield* Fiber.interrupt(first)
      yield* TestClock.adjust("10 seconds")
      assert.isNull(yield* Fiber.join(second))
    }).pipe(Effect.provide(cards()))
  )

  it.effect(
    "Slow pages of one workspace leave lookups for another, and its own posts wait for their turn at most",
    () =>
      Effect.gen(function* () {
        const asked = yield* Queue.unbounded<boolean>()
        const { port, requests } = yield* innerServer((request, response) => {
          if (request.url !== "/other") return void Queue.offerUnsafe(asked, true)
          response.setHeader("content-type", "text/html")
          response.end("<title>Page</title>")
        })
        const waiting = yield* Effect.forEach(Array.from({ length: 16 }).keys(), (number) =>
          Effect.forkChild(lookUp(`http://127.0.0.1:${port}/${number}`), { startImmediately: true })
        )
        yield* Effect.replicateEffect(Queue.take(asked), 4)
        const find = yield* LinkCards
        const card = yield* find(otherWorkspaceId, `http://127.0.0.1:${port}/other`)
        assert.strictEqual(card?.title, "Page")
        assert.strictEqual(requests(), 5)
        yield* TestClock.adjust("20 seconds")
        for (const fiber of waiting) assert.isNull(yield* Fiber.join(fiber))
      }).pipe(Effect.provide(cards()))
  )

  it.effect("Without the layer no link has a card", () =>
    Effect.gen(function* () {
      assert.isNull(yield* lookUp("https://example.com/"))
    })
  )
})
