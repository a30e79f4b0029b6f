import {
  AppBskyEmbedExternal,
  AppBskyEmbedImages,
  AppBskyEmbedRecordWithMedia,
  type AppBskyFeedPost
} from "@atproto/api"
import { assert, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Stream, Option } from "effect"
import { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { createHash } from "node:crypto"
import { linkCardsLayer } from "../../../src/cards/LinkCards.ts"
import { QuotedRecords } from "../../../src/cards/QuotedRecords.ts"
import type { LinkCard } from "../../../src/domain/posts/linkCard.ts"
import { makeFindQuoted } from "../../../src/platforms/bluesky/findQuoted.ts"
import { makeCall } from "../../../src/platforms/call.ts"
import { MediaLibrary } from "../../../src/media/MediaLibrary.ts"
import { MediaReader } from "../../../src/media/process/MediaReader.ts"
import { MediaStore } from "../../../src/media/store/MediaStore.ts"
import { Outbound } from "../../../src/outbound/Outbound.ts"
import { Uploader } from "../../../src/publishing/Uploader.ts"
import { mediaFilesLayer } from "../../../src/wiring/mediaFiles.ts"
import { storeLayer } from "../../media/mediaWorld.ts"
import { noise } from "../../media/sampleFiles.ts"
import { innerServer } from "../../outbound/innerServer.ts"
import { png } from "../../sandbox/sampleFiles.ts"
import { imageFacts, storeFile } from "../../support/database/mediaFixtures.ts"
import { platformHttpLayer } from "../../support/http/platformHttpLayer.ts"
import { keyHeaders, sendJson } from "../../support/http/client.ts"
import { makeKey, startOnDatabase } from "../../support/http/team.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { clockLayer, publishDue } from "../publishing.ts"
import { makeTeam, publishingWorld } from "./pdsWorld.ts"

/** The posts' time, just before the start of the tests' clock. */
const due = "2026-01-31T12:00:00Z"

type Page = readonly [type: string, body: string | Uint8Array, headers?: Readonly<Record<string, string>>]

const html = (head: string): Page => ["text/html; charset=utf-8", `<html><head>${head}</head><body>Hi</body></html>`]
const openGraph = (values: Readonly<Record<string, string>>) =>
  html(
    Object.entries(values)
      .map(([name, content]) => `<meta property="og:${name}" content="${content}">`)
      .join("")
  )
const filler = "x".repeat(600_000)

const pages: Readonly<Record<string, Page>> = {
  "/release": openGraph({ title: "A release", description: "What is in it", image: "/pixel.png" }),
  "/pixel.png": ["image/png", png],
  "/large": openGraph({ title: "A large picture", image: "/large.png" }),
  "/huge": html(`<title>A huge page</title></head><body>${filler}`),
  "/plain": html("<title>A plain page</title>"),
  "/late": html(`<!--${filler.repeat(5)}--><title>Past what is read</title>`),
  "/picture": ["image/png", png],
  "/untitled": openGraph({ description: "Without a title" }),
  "/inward": ["text/html", "", { location: "http://10.0.0.1/" }],
  "/inner-picture": openGraph({ title: "An inner picture", image: "http://169.254.169.254/pixel.png" })
}

/** A site on this machine. It never answers `/slow`, and says that somebody waits for it. */
const makeSite = Effect.gen(function* () {
  const waiting = yield* Deferred.make<void>()
  const large = new Uint8Array(yield* Effect.promise(() => noise(1000, 700).png().toBuffer()))
  assert.isAbove(large.byteLength, 1_000_000)
  const { port, requests } = yield* innerServer((request, response) => {
    const [path = ""] = (request.url ?? "").split("?")
    if (path === "/slow") return void Deferred.doneUnsafe(waiting, Effect.void)
    const page: Page | undefined = path === "/large.png" ? ["image/png", large] : pages[path]
    if (page === undefined) return void response.writeHead(404).end()
    const [type, body, headers = {}] = page
    response.writeHead("location" in headers ? 302 : 200, { "content-type": type, ...headers }).end(body)
  })
  return { site: `http://127.0.0.1:${port}`, requests, waiting }
})

/** The team on the PDS, its key on a server with cards, and a site. */
const makeWorld = Effect.gen(function* () {
  const team = yield* makeTeam("cards")
  const { key } = yield* makeKey(team.workspace)
  const url = yield* startOnDatabase()
  const call = (method: string, path: string, body?: unknown) =>
    sendJson(`${url}${path}`, method, keyHeaders(key), body)
  const site = yield* makeSite
  const create = (post: object) => call("POST", "/v1/posts", { platforms: ["bluesky"], schedule_at: due, ...post })
  const get = (id: string) => Effect.map(call("GET", `/v1/posts/${id}`), ({ body }) => body.data)
  const publish = Effect.gen(function* () {
    const uploader = yield* Uploader
    yield* uploader.tick
    yield* uploader.idle
    yield* publishDue
  })
  /** The record of a post that is published, as the PDS has it. */
  const record = Effect.fnUntraced(function* (id: string) {
    const post = yield* get(id)
    const [{ platform_post_url: at, status }] = post.post_targets
    assert.strictEqual(status, "published", JSON.stringify(post.post_targets))
    const found = (yield* team.posts).find(({ uri }) => uri.split("/").at(-1) === at.split("/").at(-1))
    return found?.value
  })
  return { ...team, ...site, call, create, get, publish, record }
})

class World extends Context.Service<World, Effect.Success<typeof makeWorld>>()("test/CardWorld") {}

const external = (record: AppBskyFeedPost.Record | undefined) => {
  const embed = record?.embed
  return AppBskyEmbedExternal.isMain(embed) && AppBskyEmbedExternal.validateMain(embed).success
    ? embed.external
    : undefined
}

/** The posts of a service that shows the PDS's records to everybody. */
const shown: Array<{ readonly uri: string; readonly [member: string]: unknown }> = []

const quotedRecordsLayer = Layer.effect(
  QuotedRecords,
  Effect.gen(function* () {
    const { port } = yield* innerServer((request, response) => {
      const uris = new URL(request.url ?? "", "http://view.example").searchParams.getAll("uris")
      const posts = shown.filter(({ uri }) => uris.includes(uri))
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ posts }))
    })
    return makeFindQuoted(makeCall(yield* HttpClient.HttpClient, "Bluesky"), `http://127.0.0.1:${port}`)
  })
).pipe(Layer.provide(platformHttpLayer))

const library = MediaLibrary.layer(1e9).pipe(Layer.provideMerge(storeLayer), Layer.provide(repoLayer))

const world = Layer.effect(World, makeWorld).pipe(
  Layer.provideMerge(
    linkCardsLayer.pipe(Layer.provide(quotedRecordsLayer), Layer.provide(Outbound.layer({ loopback: true })))
  ),
  Layer.provideMerge(publishingWorld),
  Layer.provide(mediaFilesLayer({ publicUrl: Option.none() })),
  Layer.provide(repoLayer),
  Layer.provideMerge(Layer.merge(library, MediaReader.layer)),
  Layer.provide(clockLayer)
)

layer(world)("Link cards on a real PDS, of posts that are created over HTTP", (it) => {
  it.effect("The record has the card of the text's first link, and the PDS has its picture", () =>
    Effect.gen(function* () {
      const { create, get, person, publish, record, site } = yield* World
      const { body } = yield* create({ content: `It is out: ${site}/release and ${site}/plain` })
      const card: LinkCard = (yield* get(body.id)).card
      const hash = createHash("sha256").update(png).digest("hex")
      const thumb = { hash, content_type: "image/png", size: png.byteLength }
      const shown = { title: "A release", description: "What is in it" }
      assert.deepStrictEqual(card, { url: `${site}/release`, ...shown, thumb })
      yield* publish
      const embedded = external(yield* record(body.id))
      assert.deepInclude(embedded, { uri: `${site}/release`, ...shown })
      assert.deepStrictEqual([embedded?.thumb?.mimeType, embedded?.thumb?.size], ["image/png", png.byteLength])
      const cid = embedded?.thumb?.ref.toString() ?? ""
      const blob = yield* Effect.promise(() => person.agent.com.atproto.sync.getBlob({ did: person.did, cid }))
      assert.deepStrictEqual(new Uint8Array(blob.data), png)
    })
  )

  it.effect("A link to a post is quoted, alone and beside media, and no longer where the post is gone by then", () =>
    Effect.gen(function* () {
      const { create, get, person, publish, record, workspace } = yield* World
      const { agent, did } = person
      const handle = "person.test"
      const post = (text: string) =>
        Effect.map(
          Effect.promise(() => agent.post({ text })),
          ({ cid, uri }) => ({ uri, cid })
        )
      const quoted = yield* post("The quoted post")
      const gone = yield* post("A post that goes")
      const linkTo = (uri: string) => `https://bsky.app/profile/${did}/post/${uri.split("/").at(-1)}`
      for (const found of [quoted, gone]) {
        shown.push({ ...found, author: { did, handle }, record: { text: "The quoted post" } })
      }
      const alone = yield* create({ content: `See ${linkTo(quoted.uri)}` })
      assert.deepInclude((yield* get(alone.body.id)).card, { description: "The quoted post", record: quoted })
      const { hash } = yield* (yield* MediaStore).write(workspace, Stream.make(png))
      const file = yield* storeFile(workspace, { hash, facts: { ...imageFacts, size: png.byteLength } })
      const withMedia = yield* create({ content: `See ${linkTo(quoted.uri)}`, media: [{ id: file.id }] })
      const withGone = yield* create({ content: `See ${linkTo(gone.uri)}` })
      yield* Effect.promise(() => agent.deletePost(gone.uri))
      yield* publish
      assert.deepInclude((yield* record(alone.body.id))?.embed, { $type: "app.bsky.embed.record", record: quoted })
      const embed = (yield* record(withMedia.body.id))?.embed
      assert.isTrue(AppBskyEmbedRecordWithMedia.isMain(embed))
      assert.deepInclude(embed, { record: { $type: "app.bsky.embed.record", record: quoted } })
      assert.isUndefined((yield* record(withGone.body.id))?.embed)
    })
  )

  it.effect(
    "A page without Open Graph, a huge one, a large and an inner picture cost the card no more than they must",
    () =>
      Effect.gen(function* () {
        const { create, publish, record, site } = yield* World
        const expected = {
          plain: "A plain page",
          huge: "A huge page",
          large: "A large picture",
          "inner-picture": "An inner picture"
        }
        const created = yield* Effect.forEach(Object.keys(expected), (path) => create({ content: `${site}/${path}` }))
        yield* publish
        const cards = yield* Effect.forEach(created, ({ body }) => Effect.map(record(body.id), external))
        assert.deepStrictEqual(
          cards.map((card) => card?.title),
          Object.values(expected)
        )
        const [plain, , large, inner] = cards
        assert.deepStrictEqual([plain?.description, plain?.thumb, inner?.thumb], ["", undefined, undefined])
        assert.isAtMost(large?.thumb?.size ?? Infinity, 1_000_000)
      })
  )

  it.effect("A link that leads to no page, inward or nowhere has no card, and its post goes out", () =>
    Effect.gen(function* () {
      const { create, publish, record, site } = yield* World
      const paths = ["late", "picture", "untitled", "inward", "missing"]
      const created = yield* Effect.forEach(paths, (path) => create({ content: `${site}/${path}` }))
      yield* publish
      for (const [index, { body }] of created.entries()) {
        assert.isNull(body.card ?? null)
        const found = yield* record(body.id)
        assert.include(found?.text, paths[index])
        assert.isUndefined(found?.embed)
      }
    })
  )

  it.effect("A page that does not answer holds up whoever schedules for ten seconds, and the post has no card", () =>
    Effect.gen(function* () {
      const { create, get, publish, record, site, waiting } = yield* World
      const creating = yield* Effect.forkChild(create({ content: `${site}/slow` }))
      yield* Deferred.await(waiting)
      yield* TestClock.adjust("10 seconds")
      const { body, status } = yield* Fiber.join(creating)
      assert.deepStrictEqual([status, (yield* get(body.id)).card], [201, null])
      yield* publish
      assert.isUndefined((yield* record(body.id))?.embed)
    })
  )

  it.effect("A post with pictures has them in place of a card, and its link is not looked up", () =>
    Effect.gen(function* () {
      const { create, publish, record, requests, site, workspace } = yield* World
      const { hash } = yield* (yield* MediaStore).write(workspace, Stream.make(png))
      const file = yield* storeFile(workspace, { hash, facts: { ...imageFacts, size: png.byteLength } })
      const before = requests()
      const { body } = yield* create({ content: `${site}/release?with=pictures`, media: [{ id: file.id }] })
      assert.strictEqual(requests(), before)
      yield* publish
      const found = yield* record(body.id)
      assert.isTrue(AppBskyEmbedImages.isMain(found?.embed))
    })
  )

  it.effect("The card is of the text that Bluesky gets, comes with scheduling, and follows the text", () =>
    Effect.gen(function* () {
      const { call, create, get, publish, record, requests, site } = yield* World
      const before = requests()
      const draft = yield* create({ content: `${site}/release?draft`, status: "draft" })
      const id = draft.body.id
      assert.deepStrictEqual([requests() - before, (yield* get(id)).card], [0, null])
      const bluesky = `${site}/plain?override`
      const schedule = { status: "scheduled", scheduled_at: "2026-02-01T12:00:00Z" }
      yield* call("PATCH", `/v1/posts/${id}`, { ...schedule, platform_overrides: { bluesky } })
      assert.strictEqual((yield* get(id)).card.url, bluesky)
      yield* call("PATCH", `/v1/posts/${id}`, { platform_overrides: { bluesky: "No link" } })
      assert.isNull((yield* get(id)).card)
      yield* call("PATCH", `/v1/posts/${id}`, { platform_overrides: { bluesky: `${site}/plain?again` } })
      assert.strictEqual((yield* get(id)).card.title, "A plain page")
      yield* call("POST", `/v1/posts/${id}/publish`)
      yield* publish
      assert.strictEqual(external(yield* record(id))?.uri, `${site}/plain?again`)
    })
  )
})
