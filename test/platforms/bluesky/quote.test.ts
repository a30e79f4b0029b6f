import { noFiles } from "../../../src/platforms/MediaFiles.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Schema, Stream } from "effect"
import { Headers, HttpClient } from "effect/http"
import { TargetId } from "../../../src/domain/ids.ts"
import type { LinkCard } from "../../../src/domain/posts/linkCard.ts"
import { makeFindQuoted } from "../../../src/platforms/bluesky/findQuoted.ts"
import { shortLinks } from "../../../src/platforms/bluesky/rules/quoteLink.ts"
import { makeCall } from "../../../src/platforms/call.ts"
import { sendPost } from "../../../src/platforms/carryOut.ts"
import type { Account, PlatformFile } from "../../../src/platforms/PlatformClient.ts"
import { Sandbox } from "../../../src/sandbox/Sandbox.ts"
import { imageFacts } from "../../support/database/mediaFixtures.ts"
import { png } from "../../sandbox/sampleFiles.ts"
import { connected, statusFault, uploadThrough, world } from "../world.ts"

const image: PlatformFile = { ...imageFacts, size: png.byteLength, hash: "a picture", alt: "" }

/** Another target than that of the quoted post. */
const quoting = TargetId.make("01a1fc17-0000-7000-8000-00000000ffff")

const find = Effect.fn(function* (url: string) {
  const { apiUrls } = yield* Sandbox
  return yield* makeFindQuoted(makeCall(yield* HttpClient.HttpClient, "Bluesky"), apiUrls.bluesky)(url)
})

/** A published post, and the card of a link to it. */
const setup = Effect.gen(function* () {
  const bluesky = yield* connected("bluesky")
  const account: Account = { ...bluesky.account, files: { ...noFiles, read: () => Stream.make(png) } }
  const { cid, platformPostId } = yield* bluesky.publish("The first\npost")
  const [post = assert.fail()] = yield* bluesky.posts
  const url = `https://bsky.app/profile/${account.accountId}/post/${post.id}`
  const record = { uri: platformPostId ?? "", cid: cid ?? "" }
  const card: LinkCard = { url, title: "A title", description: "", thumb: null, record }
  const prepare = (files: ReadonlyArray<PlatformFile> = []) =>
    Effect.gen(function* () {
      const uploads = files.length === 0 ? null : yield* uploadThrough(bluesky.adapter, files, account)
      return yield* bluesky.adapter.prepare(
        { targetId: quoting, text: `See ${url}`, settings: {}, card, uploads },
        account
      )
    })
  const publish = (files: ReadonlyArray<PlatformFile> = []) =>
    Effect.gen(function* () {
      yield* sendPost(bluesky.adapter, yield* prepare(files), account)
      const [latest] = yield* bluesky.posts
      return embedOf(latest?.record?.value)
    })
  return { ...bluesky, account, card, post, prepare, publish, record, url }
})

const embedOf = (record: unknown): unknown =>
  Schema.decodeUnknownSync(Schema.Struct({ embed: Schema.optionalKey(Schema.Unknown) }))(record).embed

describe("A link to something on Bluesky", () => {
  it.effect("A link to a post is found with its author and text, however it names the account", () =>
    Effect.gen(function* () {
      const { account, post, record, url } = yield* setup
      const { accountId, username } = account
      const linkBy = (name: string) => `https://bsky.app/profile/${name}/post/${post.id}`
      const byHandle = linkBy(username)
      for (const link of [
        url,
        linkBy(encodeURIComponent(accountId)),
        byHandle,
        linkBy(`@${username}`),
        `${byHandle}?ref=a`
      ]) {
        const found = Option.getOrUndefined(yield* find(link))
        assert.deepInclude(found, { url: link, description: "The first post", thumb: null, record })
        assert.include(found?.title, `@${username}`)
      }
    }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    ["a post that is gone", "/profile/did:plc:abc/post/3l3qk5fzqk52x"],
    ["an account that is unknown", "/profile/nobody.test/post/3l3qk5fzqk52x"],
    ["a profile", "/profile/did:plc:abc"]
  ])("A link to %s is not found", ([, path]) =>
    Effect.gen(function* () {
      assert.isTrue(Option.isNone(yield* find(`https://bsky.app${path}`)))
    }).pipe(Effect.provide(world()))
  )

  const creator = { did: "did:plc:abc", handle: "ada.example", displayName: "Ada" }
  const cid = "bafyreieq5jui4j25lacwomsqgjeswwl3y5zcdrresptwgmfylxo2depppq"
  it.effect.each([
    [
      "feed",
      "/profile/did:plc:abc/feed/cats",
      "app.bsky.feed.generator",
      "Cats: feed by Ada (@ada.example)",
      (uri: string) => ({ view: { uri, cid, creator, displayName: "Cats", description: "All" } })
    ],
    [
      "list",
      "/profile/did:plc:abc/lists/cats",
      "app.bsky.graph.list",
      "Cats: list by Ada (@ada.example)",
      (uri: string) => ({ list: { uri, cid, creator, name: "Cats", description: "All" } })
    ],
    [
      "starter pack",
      "/starter-pack/did:plc:abc/cats",
      "app.bsky.graph.starterpack",
      "Cats: starter pack by Ada (@ada.example)",
      (uri: string) => ({ starterPack: { uri, cid, creator, record: { name: "Cats", description: "All" } } })
    ],
    [
      "starter pack by its short address",
      "/start/did:plc:abc/cats",
      "app.bsky.graph.starterpack",
      "Cats: starter pack by Ada (@ada.example)",
      (uri: string) => ({ starterPack: { uri, cid, creator, record: { name: "Cats", description: "All" } } })
    ]
  ] as const)("A link to a %s is found with its name and author", ([, path, collection, title, view]) =>
    Effect.gen(function* () {
      const uri = `at://did:plc:abc/${collection}/cats`
      const url = `https://bsky.app${path}`
      const answer = (found: string) =>
        makeFindQuoted(
          () => Effect.succeed({ status: 200, headers: Headers.empty, body: JSON.stringify(view(found)) }),
          "https://view.example"
        )(url)
      assert.deepStrictEqual(
        yield* answer(uri),
        Option.some({ url, title, description: "All", thumb: null, record: { uri, cid } })
      )
      assert.isTrue(Option.isNone(yield* answer(`at://did:plc:other/${collection}/cats`)))
    })
  )

  const pack = { uri: "at://did:plc:abc/app.bsky.graph.starterpack/cats", cid, creator, record: { name: "Cats" } }
  /** Finds a link, where the service of short links answers `answer`. Returns the requests to it as well. */
  const findShort = Effect.fnUntraced(function* (url: string, answer: { status: number; body: string }, base?: string) {
    const asked: Array<string> = []
    const found = yield* makeFindQuoted(
      (request) =>
        Effect.sync(() => {
          const isShort = request.url.startsWith(shortLinks)
          if (isShort) asked.push(`${request.url} ${request.headers["accept"]}`)
          return {
            headers: Headers.empty,
            ...(isShort ? answer : { status: 200, body: JSON.stringify({ starterPack: pack }) })
          }
        }),
      "https://view.example",
      base
    )(url)
    return { found: Option.getOrUndefined(found), asked }
  })

  it.effect("A short link leads to the starter pack that its service names, and the card keeps the short link", () =>
    Effect.gen(function* () {
      const url = `${shortLinks}/QqC8Ekv`
      const answer = { status: 200, body: JSON.stringify({ url: "https://bsky.app/start/did:plc:abc/cats" }) }
      const { asked, found } = yield* findShort(url, answer, shortLinks)
      assert.deepInclude(found, {
        url,
        title: "Cats: starter pack by Ada (@ada.example)",
        record: { uri: pack.uri, cid }
      })
      assert.deepStrictEqual(asked, [`${url} application/json`])
      // The sandbox asks nobody.
      assert.deepStrictEqual(yield* findShort(url, answer), { asked: [], found: undefined })
    })
  )

  it.effect.each([
    ["is unknown", "QqC8Ekv", { status: 404, body: '{"error":"NotFound"}' }],
    ["leads elsewhere", "QqC8Ekv", { status: 200, body: '{"url":"https://example.com/start/did:plc:abc/cats"}' }],
    ["leads to another short link", "QqC8Ekv", { status: 200, body: '{"url":"https://go.bsky.app/other"}' }],
    ["leads to a page", "QqC8Ekv", { status: 200, body: "<html>" }],
    ["is a redirect", "redirect?u=https%3A%2F%2Fbsky.app", { status: 404, body: "" }],
    ["has a path", "a/b", { status: 404, body: "" }]
  ] as const)("A short link that %s is not found", ([, code, answer]) =>
    Effect.gen(function* () {
      const { found } = yield* findShort(`${shortLinks}/${code}`, answer, shortLinks)
      assert.isUndefined(found)
    })
  )

  it.effect("A post quotes the record in place of a card", () =>
    Effect.gen(function* () {
      const { publish, record } = yield* setup
      assert.deepStrictEqual(yield* publish(), { $type: "app.bsky.embed.record", record })
    }).pipe(Effect.provide(world()))
  )

  it.effect("A post with media quotes the record beside them", () =>
    Effect.gen(function* () {
      const { publish, record } = yield* setup
      const embed = yield* publish([image])
      assert.deepInclude(embed, {
        $type: "app.bsky.embed.recordWithMedia",
        record: { $type: "app.bsky.embed.record", record }
      })
      assert.include(JSON.stringify(embed), `"media":{"$type":"app.bsky.embed.images"`)
    }).pipe(Effect.provide(world()))
  )

  it.effect("A repeated send of a quote puts the same record, also after the quoted post was deleted", () =>
    Effect.gen(function* () {
      const { account, adapter, post, posts, prepare, sandbox } = yield* setup
      const prepared = yield* prepare([image])
      const first = yield* sendPost(adapter, prepared, account)
      yield* sandbox.deletePost(post)
      assert.deepStrictEqual(yield* sendPost(adapter, prepared, account), first)
      const [sent] = yield* posts
      assert.include(JSON.stringify(sent?.record?.value), "app.bsky.embed.recordWithMedia")
    }).pipe(Effect.provide(world()))
  )

  it.effect("A post that is gone by the time of the send is not quoted", () =>
    Effect.gen(function* () {
      const { post, publish, sandbox } = yield* setup
      yield* sandbox.deletePost(post)
      assert.isUndefined(yield* publish())
    }).pipe(Effect.provide(world()))
  )

  it.effect.each<readonly [string, object]>([
    ["whose author blocks the account", { author: { viewer: { blockedBy: true } } }],
    ["whose author the account blocks", { author: { viewer: { blocking: "at://did:plc:a/app.bsky.graph.block/b" } } }],
    ["that may not be quoted", { author: {}, viewer: { embeddingDisabled: true } }]
  ])("A post %s is not quoted", ([, view]) =>
    Effect.gen(function* () {
      const { injectFault, publish, record } = yield* setup
      yield* injectFault(statusFault(200, { body: JSON.stringify({ posts: [{ ...record, ...view }] }) }), "identity")
      assert.isUndefined(yield* publish())
    }).pipe(Effect.provide(world()))
  )

  it.effect("Without a service that shows posts, the record is quoted if the PDS has it, or can't tell", () =>
    Effect.gen(function* () {
      const { injectFault, post, prepare, record, sandbox } = yield* setup
      yield* injectFault(statusFault(502), "identity", 3)
      assert.deepInclude(yield* prepare(), { quote: record })
      yield* injectFault(statusFault(502), "timeline")
      assert.deepInclude(yield* prepare(), { quote: record })
      yield* sandbox.deletePost(post)
      assert.notProperty(yield* prepare(), "quote")
    }).pipe(Effect.provide(world()))
  )
})
