import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Effect, Option, Redacted, Ref, Schema } from "effect"
import { HttpClient, HttpClientRequest, HttpRouter, HttpServer, HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { instagramByPages } from "../../../src/platforms/instagram/live.ts"
import { tokens } from "../../../src/platforms/instagram/tokens.ts"
import type { PublishRequest } from "../../../src/platforms/PlatformClient.ts"
import { mp4 } from "../../sandbox/sampleFiles.ts"
import { image, video } from "../../support/mediaChecks.ts"
import { containerAccount } from "../meta/world.ts"
import { outcome, start, statusFault, targetId, world } from "../world.ts"

const jpeg = Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 0, 0, 0, 0])

/** The address of the service's links to files, which the stand-in fetches. All lead to the same bytes. */
const fileServer = (bytes: Uint8Array) =>
  Effect.gen(function* () {
    const server = yield* NodeHttpServer.make(createServer, {
      port: 0,
      host: "127.0.0.1",
      gracefulShutdownTimeout: 0
    })
    const route = HttpRouter.route("GET", "/files/:id", Effect.succeed(HttpServerResponse.uint8Array(bytes)))
    yield* server.serve(yield* HttpRouter.toHttpEffect(HttpRouter.addAll([route])))
    return HttpServer.formatAddress(server.address)
  })

const file = { ...image, hash: "a", alt: "A cat" }
const clip = { ...video, hash: "b", size: 64, alt: "" }

/** The world of each way to connect an account. Posts are published in the same way. */
const logins = [
  ["Instagram Login", {}],
  ["Facebook Login", { configured: { instagram: instagramByPages } }]
] as const

const single = (kind: "IMAGE" | "VIDEO" = "IMAGE") => ({
  file: { hash: "a", contentType: kind === "IMAGE" ? "image/jpeg" : "video/mp4", size: 8, kind, alt: "A cat" }
})

const instagramAccount = (bytes = jpeg) =>
  Effect.gen(function* () {
    const setup = yield* containerAccount("instagram", yield* fileServer(bytes), bytes)
    /** Prepares a post with one picture, unless told otherwise. */
    const prepare = (more: Partial<PublishRequest> = {}) => setup.prepare({ uploads: single(), ...more })
    return { ...setup, prepare }
  })

const story = { instagram: { post_type: "story" } } as const

describe.each(logins)("A post on Instagram, with %s", (_, options) => {
  it.effect("A picture is published from its container once that is finished, and the post has its address", () =>
    Effect.gen(function* () {
      const { account, adapter, ended, posts, prepare, publications, send, shared } = yield* instagramAccount()
      const early = yield* Effect.flip(
        adapter.prepare({ targetId, text: "Hello", settings: {}, uploads: single() }, account)
      )
      assert.strictEqual(early._tag, "Preparing")
      assert.lengthOf(yield* posts, 0)
      const { addressFollows, cid, platformPostId, url } = yield* send(yield* prepare())
      const [post] = yield* posts
      assert.deepStrictEqual(
        [platformPostId, url, addressFollows, post?.text, post?.media?.[0]?.alt],
        [post?.id, `https://posts.example/sandbox/instagram/p/${post?.id}`, undefined, "Hello", "A cat"]
      )
      assert.match(cid ?? "", /^18\d{15}$/)
      assert.deepStrictEqual(yield* publications, [1])
      assert.include(yield* Ref.get(ended), (yield* Ref.get(shared)).at(-1)?.id)
    }).pipe(Effect.provide(world(options)))
  )

  it.effect("A carousel has its pictures in order, each from a container of its own", () =>
    Effect.gen(function* () {
      const { account, adapter, posts, prepare, send } = yield* instagramAccount()
      const { upload = () => Effect.die("It takes no files") } = adapter
      const files = Array.from({ length: 10 }, (_, index) => ({ ...file, hash: `${index}`, alt: `Picture ${index}` }))
      const first = yield* upload(files, account, null)
      const begun = first._tag === "Processing" ? first.begun : assert.fail("It is ready immediately")
      yield* TestClock.adjust("5 seconds")
      const second = yield* upload(files, account, begun)
      const uploads = second._tag === "Uploaded" ? second.uploads : assert.fail("It is not ready")
      yield* send(yield* prepare({ uploads }))
      const [post] = yield* posts
      assert.deepStrictEqual(
        post?.media?.map(({ alt }) => alt),
        files.map(({ alt }) => alt)
      )
      // Children that Instagram is about to forget are made again.
      yield* TestClock.adjust("23 hours")
      assert.strictEqual(yield* outcome(prepare({ uploads })), "UploadsGone")
    }).pipe(Effect.provide(world(options)))
  )

  it.effect("A video is a reel, with the second of its cover; a story is published without the text", () =>
    Effect.gen(function* () {
      const { account, adapter, posts, prepare, send } = yield* instagramAccount(mp4(64))
      const { upload = () => Effect.die("It takes no files") } = adapter
      const progress = yield* upload([clip], account, null)
      const uploads = progress._tag === "Uploaded" ? progress.uploads : assert.fail("It is not uploaded")
      yield* send(yield* prepare({ uploads, settings: { instagram: { cover_at: "2.5" } } }))
      yield* send(yield* prepare({ uploads, settings: story }))
      const shown = (yield* posts).map(({ replySettings, text }) => [replySettings, text])
      assert.deepStrictEqual(shown, [
        ["STORY", ""],
        ["REELS", "Hello"]
      ])
    }).pipe(Effect.provide(world(options)))
  )

  it.effect("A text that is too long for a caption does not keep a story from being published", () =>
    Effect.gen(function* () {
      const { posts, prepare, send } = yield* instagramAccount()
      yield* send(yield* prepare({ settings: story, text: "a".repeat(2_201) }))
      assert.deepStrictEqual(
        (yield* posts).map(({ text }) => text),
        [""]
      )
    }).pipe(Effect.provide(world(options)))
  )

  it.effect("No post without a file is sent, nor a story of several files, nor a caption that is too long", () =>
    Effect.gen(function* () {
      const { prepare } = yield* instagramAccount()
      const children = { children: ["1", "2"], madeAt: DateTime.formatIso(start) }
      assert.strictEqual(yield* outcome(prepare({ uploads: null })), "Rejected")
      assert.strictEqual(yield* outcome(prepare({ uploads: children, settings: story })), "Rejected")
      assert.strictEqual(yield* outcome(prepare({ text: "a".repeat(2_201) })), "Rejected")
      assert.strictEqual(yield* outcome(prepare({ text: "a".repeat(2_200) })), "success")
    }).pipe(Effect.provide(world(options)))
  )

  it.effect("The account's own quota decides how many posts a day are begun", () =>
    Effect.gen(function* () {
      const { prepare, send } = yield* instagramAccount()
      for (let number = 0; number < 50; number++) yield* send(yield* prepare())
      assert.strictEqual(yield* outcome(prepare()), "RateLimited")
      yield* TestClock.adjust("24 hours")
      assert.strictEqual(yield* outcome(prepare()), "success")
    }).pipe(Effect.provide(world(options)))
  )
})

describe.each(logins)("An unknown outcome on Instagram, with %s", (_, options) => {
  it.effect.each([
    [400, "restricted"],
    [500, "unknown error"]
  ] as const)("A post is out although Instagram answered %i, “%s”: its container says so", ([status, error]) =>
    Effect.gen(function* () {
      const { injectFault, prepare, publications, send } = yield* instagramAccount()
      const prepared = yield* prepare()
      yield* injectFault(statusFault(status, { error, when: "after_commit" }))
      const { addressFollows, platformPostId } = yield* send(prepared)
      assert.deepStrictEqual([addressFollows, platformPostId], [true, null])
      // A second send of the same container reads its state.
      assert.strictEqual(yield* outcome(send(prepared)), "success")
      assert.deepStrictEqual(yield* publications, [1])
    }).pipe(Effect.provide(world(options)))
  )

  it.effect("The address that Instagram did not name is found in the list of its kind, once that shows the post", () =>
    Effect.gen(function* () {
      const { account, adapter, injectFault, posts, prepare, send } = yield* instagramAccount()
      const { findAddress = () => Effect.die("Nobody finds it") } = adapter
      for (const settings of [{}, story]) {
        const prepared = yield* prepare({ settings })
        const sentAt = yield* DateTime.now
        yield* injectFault(statusFault(500, { error: "unknown error", when: "after_commit" }))
        yield* send(prepared)
        assert.isTrue(Option.isNone(yield* findAddress(prepared, account, sentAt)))
        yield* TestClock.adjust("10 seconds")
        const found = Option.getOrThrow(yield* findAddress(prepared, account, sentAt))
        assert.strictEqual(found.platformPostId, (yield* posts)[0]?.id)
        yield* TestClock.adjust("5 minutes")
      }
    }).pipe(Effect.provide(world(options)))
  )

  it.effect.each(["instagram", "threads"] as const)(
    "After a restore that lost what was uploaded, a post with a picture is found on %s by its text alone",
    (platform) =>
      Effect.gen(function* () {
        const { account, adapter, posts, prepare, send } = yield* containerAccount(platform, yield* fileServer(jpeg))
        yield* send(yield* prepare({ uploads: single() }))
        yield* TestClock.adjust("10 seconds")
        const sought = yield* prepare({ isSought: true })
        const found = Option.getOrThrow(yield* adapter.find(sought, account, start))
        assert.strictEqual(found.platformPostId, (yield* posts)[0]?.id)
      }).pipe(Effect.provide(world(options)))
  )

  it.effect("A story that is looked for without its container is left to a person, because it has no text", () =>
    Effect.gen(function* () {
      const { account, adapter, prepare, send } = yield* instagramAccount()
      yield* send(yield* prepare({ settings: story }))
      yield* TestClock.adjust("10 seconds")
      const sought = yield* prepare({ settings: story, isSought: true })
      assert.strictEqual(yield* outcome(adapter.find(sought, account, start)), "OutcomeUnknown")
    }).pipe(Effect.provide(world(options)))
  )

  it.effect("Of two stories at a time neither is taken for the other", () =>
    Effect.gen(function* () {
      const { account, adapter, injectFault, prepare, send } = yield* instagramAccount()
      yield* send(yield* prepare({ settings: story }))
      const prepared = yield* prepare({ settings: story })
      const sentAt = yield* DateTime.now
      yield* injectFault(statusFault(500, { error: "unknown error", when: "after_commit" }))
      yield* send(prepared)
      yield* TestClock.adjust("10 seconds")
      const { platformPostId } = yield* adapter.reconcile(prepared, account, sentAt)
      assert.isNull(platformPostId)
    }).pipe(Effect.provide(world(options)))
  )

  it.effect("A doubt ends within a day: the container has expired, and was never published again", () =>
    Effect.gen(function* () {
      const { account, adapter, injectFault, prepare, publications, send } = yield* instagramAccount()
      const prepared = yield* prepare()
      const sentAt = yield* DateTime.now
      yield* injectFault({ kind: "reset", when: "before_commit" })
      assert.strictEqual(yield* outcome(send(prepared)), "OutcomeUnknown")
      const reconciled = outcome(adapter.reconcile(prepared, account, sentAt))
      assert.strictEqual(yield* reconciled, "OutcomeUnknown")
      yield* TestClock.adjust("20 minutes")
      assert.strictEqual(yield* reconciled, "OutcomeUnknown")
      yield* TestClock.adjust("24 hours")
      assert.strictEqual(yield* reconciled, "Dropped")
      assert.strictEqual(yield* outcome(send(prepared)), "UploadsGone")
      assert.deepStrictEqual(yield* publications, [])
    }).pipe(Effect.provide(world(options)))
  )

  it.effect(
    "A container that Instagram does not find or is not ready yet is tried again, and replaced in the end",
    () =>
      Effect.gen(function* () {
        const { injectFault, prepare, publications, send } = yield* instagramAccount()
        const prepared = yield* prepare()
        yield* injectFault(statusFault(400, { error: "not ready" }))
        assert.strictEqual(yield* outcome(send(prepared)), "TooEarly")
        yield* injectFault({ kind: "forgotten_files" }, "publish", 2)
        assert.strictEqual(yield* outcome(send(prepared)), "TooEarly")
        yield* TestClock.adjust("5 minutes")
        assert.strictEqual(yield* outcome(send(prepared)), "UploadsGone")
        assert.strictEqual(yield* outcome(send(yield* prepare())), "success")
        assert.deepStrictEqual(yield* publications, [1])
      }).pipe(Effect.provide(world(options)))
  )

  it.effect("With Instagram's whims every post goes out once, if it is tried again", () =>
    Effect.gen(function* () {
      const { injectFault, prepare, publications, send } = yield* instagramAccount()
      yield* injectFault({ kind: "whims" }, "any", 100_000)
      const retried = <A, E extends { readonly _tag: string }>(effect: Effect.Effect<A, E>) =>
        Effect.retry(effect, {
          times: 20,
          while: ({ _tag }) => ["TooEarly", "Unavailable", "OutcomeUnknown"].includes(_tag)
        })
      const texts = Array.from({ length: 20 }, (_, number) => `Post ${number}`)
      for (const text of texts) {
        const prepared = yield* retried(prepare({ text }))
        yield* retried(send(prepared))
      }
      assert.deepStrictEqual(
        yield* publications,
        texts.map(() => 1)
      )
    }).pipe(Effect.provide(world(options)))
  )
})

describe.each(logins)("A container of Instagram, with %s", (_, options) => {
  it.effect("An error that another container would have too ends the post; others are made again four times", () =>
    Effect.gen(function* () {
      const { injectFault, prepare, shared } = yield* instagramAccount()
      yield* injectFault({ kind: "processing", error: "2207009" }, "upload", 2)
      const failed = yield* Effect.flip(prepare())
      assert.strictEqual(failed._tag, "Rejected")
      const before = (yield* Ref.get(shared)).length
      yield* injectFault({ kind: "processing", error: "2207053" }, "upload", 100)
      assert.strictEqual(yield* outcome(prepare()), "Rejected")
      assert.strictEqual((yield* Ref.get(shared)).length - before, 4)
    }).pipe(Effect.provide(world(options)))
  )

  it.effect("A picture that is no JPEG is refused, and nothing is made of it", () =>
    Effect.gen(function* () {
      const { posts, prepare } = yield* instagramAccount(mp4(64))
      assert.strictEqual(yield* outcome(prepare()), "Rejected")
      assert.lengthOf(yield* posts, 0)
    }).pipe(Effect.provide(world(options)))
  )
})

describe("The stand-in of Instagram", () => {
  it.effect("A container that is published twice is two posts, which the tests here would count", () =>
    Effect.gen(function* () {
      const { account, prepare, publications, sandbox, stored } = yield* instagramAccount()
      const { container } = yield* Schema.decodeUnknownEffect(Schema.Struct({ container: Schema.String }))(
        yield* prepare()
      )
      const { accessToken } = yield* tokens.decodeTokens(yield* Ref.get(stored))
      const client = yield* HttpClient.HttpClient
      for (const published of [1, 2]) {
        const request = HttpClientRequest.post(
          `${sandbox.apiUrls.instagram}/instagram/v26.0/${account.accountId}/media_publish`
        ).pipe(HttpClientRequest.bearerToken(accessToken), HttpClientRequest.bodyUrlParams({ creation_id: container }))
        assert.strictEqual((yield* client.execute(request)).status, 200)
        assert.deepStrictEqual(yield* publications, [published])
      }
    }).pipe(Effect.provide(world()))
  )
})

describe("Access to Instagram", () => {
  it.effect("A token is renewed from its second day on, and kept as it is before", () =>
    Effect.gen(function* () {
      const { account, adapter, stored } = yield* instagramAccount()
      const renew = Effect.flatMap(Ref.get(stored), (stale) => adapter.renew(account, stale))
      const kept = Redacted.value(yield* Ref.get(stored))
      assert.strictEqual(Redacted.value((yield* renew).credentials), kept)
      yield* TestClock.adjust("25 hours")
      const second = yield* renew
      assert.notStrictEqual(Redacted.value(second.credentials), kept)
      assert.isTrue(Duration.isGreaterThanOrEqualTo(second.lifetime ?? Duration.zero, Duration.hours(24)))
      yield* TestClock.adjust("61 days")
      assert.strictEqual(yield* outcome(renew), "NeedsReauthorization")
    }).pipe(Effect.provide(world()))
  )
})
