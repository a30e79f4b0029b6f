import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import { OutcomeUnknown } from "../../../src/domain/publishing/platformError.ts"
import { platformHttpLayer } from "../../support/http/platformHttpLayer.ts"
import { outcome, statusFault, targetId } from "../world.ts"
import { bodyOf } from "../contract/conformance.ts"
import { youtubeConformance } from "./conformance.ts"
import { channelWorld, settings, steps } from "./world.ts"

const withServers = Layer.merge(platformHttpLayer, SecureRandom.layerWebCrypto)

const { isPost } = youtubeConformance

const decodePost = Schema.decodeUnknownSync(Schema.Struct({ video: Schema.String }))

/** A prepared video, without the requests that made it. */
const preparedWorld = Effect.gen(function* () {
  const world = yield* channelWorld()
  const post = yield* world.prepared
  world.requests.length = 0
  return { ...world, post, sentAt: yield* DateTime.now }
})

describe("A video on YouTube", () => {
  it.effect("One request gives it its title, description and tags, and makes it visible", () =>
    Effect.gen(function* () {
      const { accepted, prepare, requests, send, uploaded } = yield* channelWorld()
      const own = { title: " A talk ", privacy: "unlisted", made_for_kids: true, youtube_tags: ["coffee"] } as const
      const post = yield* prepare({ uploads: yield* uploaded, settings: { youtube: own } })
      assert.strictEqual(yield* accepted, 0)
      const { platformPostId, url } = yield* send(post)
      assert.strictEqual(yield* accepted, 1)
      assert.isTrue(url?.endsWith(`/watch?v=${platformPostId}`))
      const { snippet, status } = bodyOf(requests.find(isPost) ?? assert.fail("Nothing was sent"))
      assert.deepStrictEqual(snippet, {
        categoryId: "22",
        title: "A talk",
        description: "How we roast",
        tags: ["coffee"]
      })
      assert.deepStrictEqual(status, {
        embeddable: true,
        license: "youtube",
        publicStatsViewable: true,
        privacyStatus: "unlisted",
        selfDeclaredMadeForKids: true
      })
    }).pipe(Effect.provide(withServers))
  )

  it.effect("Without a choice it is public, and not made for children", () =>
    Effect.gen(function* () {
      const { post, requests, send } = yield* preparedWorld
      yield* send(post)
      const { status } = bodyOf(requests.find(isPost) ?? assert.fail("Nothing was sent"))
      assert.deepInclude(status, { privacyStatus: "public", selfDeclaredMadeForKids: false })
    }).pipe(Effect.provide(withServers))
  )

  it.effect.each(["before_commit", "after_commit"] as const)(
    "After an answer that is lost %s, its title tells if it is out, and it is published once",
    (when) =>
      Effect.gen(function* () {
        const { accepted, account, adapter, fail, post, requests, send, sentAt } = yield* preparedWorld
        yield* fail({ kind: "reset", when }, "publish", 1)
        const isLost = when === "before_commit"
        assert.strictEqual(yield* outcome(send(post)), isLost ? "OutcomeUnknown" : "success")
        const found = yield* adapter.reconcile(post, account, sentAt)
        assert.strictEqual(found.url, (yield* adapter.reconcile(post, account, sentAt)).url)
        assert.strictEqual(requests.filter(isPost).length, isLost ? 2 : 1)
        assert.strictEqual(yield* accepted, 1)
      }).pipe(Effect.provide(withServers))
  )

  it.effect("A process that is killed after any request leaves a video that another one publishes once", () =>
    Effect.gen(function* () {
      const { accepted, account, adapter, fail, post, requests, sentAt, send } = yield* preparedWorld
      yield* fail({ kind: "reset", when: "after_commit" }, "any", 2)
      assert.strictEqual(yield* outcome(send(post)), "OutcomeUnknown")
      yield* fail({ kind: "reset", when: "after_commit" }, "any", 1)
      assert.strictEqual(yield* outcome(adapter.reconcile(post, account, sentAt)), "OutcomeUnknown")
      assert.isNotNull((yield* adapter.reconcile(post, account, sentAt)).url)
      assert.deepStrictEqual([requests.filter(isPost).length, yield* accepted], [1, 1])
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A video that its owner has hidden again is not shown again", () =>
    Effect.gen(function* () {
      const { account, adapter, fail, post, requests, send, sentAt } = yield* preparedWorld
      yield* send(post)
      const hidden = {
        kind: "youtube#videoListResponse",
        items: [
          {
            id: (yield* adapter.reconcile(post, account, sentAt)).platformPostId,
            snippet: { title: "Another title" },
            status: { uploadStatus: "processed", privacyStatus: "private" }
          }
        ]
      }
      yield* fail(statusFault(200, { body: JSON.stringify(hidden) }), "any", 1)
      const open = yield* Effect.flip(adapter.reconcile(post, account, sentAt))
      assert.isTrue(open instanceof OutcomeUnknown && open.conclusive === true)
      assert.strictEqual(requests.filter(isPost).length, 1)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("Seventy minutes after a send that never arrived it certainly is not out", () =>
    Effect.gen(function* () {
      const { account, adapter, post, requests, sentAt } = yield* preparedWorld
      yield* TestClock.adjust("61 minutes")
      assert.strictEqual(yield* outcome(adapter.reconcile(post, account, sentAt)), "OutcomeUnknown")
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(yield* outcome(adapter.reconcile(post, account, sentAt)), "Dropped")
      assert.strictEqual(requests.filter(isPost).length, 0)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A video that YouTube rejects after its upload is told, and not published", () =>
    Effect.gen(function* () {
      const { account, adapter, fail, post, prepare, sentAt, uploaded } = yield* preparedWorld
      const uploads = yield* uploaded
      const known: { readonly video: string; readonly key: string } = Object(uploads)
      const rejected = {
        kind: "youtube#videoListResponse",
        items: [
          {
            id: known.video,
            snippet: { title: known.key },
            status: { uploadStatus: "rejected", privacyStatus: "private", rejectionReason: "duplicate" }
          }
        ]
      }
      const fault = statusFault(200, { body: JSON.stringify(rejected) })
      yield* fail(fault, "any", 1)
      const refused = yield* Effect.flip(prepare({ uploads }))
      assert.include(refused.message, "rejected, duplicate")
      const other = yield* prepare({ uploads })
      yield* fail(fault, "any", 1)
      const dropped = yield* Effect.flip(adapter.reconcile(other, account, sentAt))
      assert.include(dropped.message, "rejected, duplicate")
      assert.isNotNull((yield* adapter.reconcile(post, account, sentAt)).url)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A video that may have been published is prepared for no second publication", () =>
    Effect.gen(function* () {
      const { prepare, send, uploaded } = yield* channelWorld()
      const uploads = yield* uploaded
      yield* send(yield* prepare({ uploads }))
      assert.strictEqual(yield* outcome(prepare({ uploads })), "OutcomeUnknown")
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A post without a title, without its video or as a reply is prepared for nothing", () =>
    Effect.gen(function* () {
      const { prepare, uploaded } = yield* channelWorld()
      const uploads = yield* uploaded
      assert.strictEqual(yield* outcome(prepare({ uploads, settings: {} })), "Rejected")
      assert.strictEqual(yield* outcome(prepare({})), "UploadsGone")
      assert.strictEqual(
        yield* outcome(
          prepare({
            uploads: { _tag: "YoutubeUploads", accountId: "UCzbcdefghijklmnopqrstuv", video: "dQx5mQ1tZ0a", key: "" }
          })
        ),
        "UploadsGone"
      )
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A post whose video is not known is found by its title and description, whoever published it", () =>
    Effect.gen(function* () {
      const { account, adapter, post, send, sentAt } = yield* preparedWorld
      const sought = yield* adapter.prepare({ targetId, text: "How we roast", settings, isSought: true }, account)
      assert.strictEqual(yield* outcome(adapter.find(sought, account, sentAt)), "Unavailable")
      const { platformPostId } = yield* send(post)
      const found = Option.getOrThrow(yield* adapter.find(sought, account, sentAt))
      assert.deepInclude(found, { platformPostId, recognized: true })
      const other = yield* adapter.prepare({ targetId, text: "Another text", settings, isSought: true }, account)
      yield* TestClock.adjust("6 minutes")
      assert.isTrue(Option.isNone(yield* adapter.find(other, account, sentAt)))
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A post that was published from an earlier upload is found, although a later one is still hidden", () =>
    Effect.gen(function* () {
      const { account, adapter, post, prepared, send, sentAt } = yield* preparedWorld
      const { platformPostId } = yield* send(post)
      const later = yield* prepared
      yield* TestClock.adjust("6 minutes")
      const found = Option.getOrThrow(yield* adapter.find(later, account, sentAt))
      assert.deepInclude(found, { platformPostId, recognized: true })
      yield* TestClock.adjust("1 day")
      assert.isTrue(Option.isNone(yield* adapter.find(later, account, yield* DateTime.now, sentAt)))
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A video whose title or visibility is neither the first nor the post's is left to a person at once", () =>
    Effect.gen(function* () {
      const { account, adapter, fail, post, requests, send, sentAt } = yield* preparedWorld
      const { video } = decodePost(post)
      const keptPrivate = {
        kind: "youtube#video",
        id: video,
        snippet: { title: settings.youtube?.title },
        status: { uploadStatus: "processed", privacyStatus: "private" }
      }
      yield* fail(statusFault(200, { body: JSON.stringify(keptPrivate) }), "publish", 1)
      const kept = yield* Effect.flip(send(post))
      assert.isTrue(kept instanceof OutcomeUnknown && kept.conclusive === true && kept.message.includes("/watch?v="))
      assert.strictEqual(requests.filter(isPost).length, 1)
      for (const items of [[keptPrivate], []]) {
        yield* fail(statusFault(200, { body: JSON.stringify({ kind: "youtube#videoListResponse", items }) }), "any", 1)
        const open = yield* Effect.flip(adapter.find(post, account, sentAt))
        assert.isTrue(open instanceof OutcomeUnknown && open.conclusive === true)
      }
    }).pipe(Effect.provide(withServers))
  )

  it.effect("An answer that is lost at the last attempt leaves the outcome open, because YouTube tells it", () =>
    Effect.gen(function* () {
      const { fail, post, send } = yield* preparedWorld
      yield* fail({ kind: "reset", when: "before_commit" }, "publish", 1)
      const open = yield* Effect.flip(send(post))
      assert.isTrue(open instanceof OutcomeUnknown && open.askAfter !== undefined)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("Published videos that no target has sent are listed, and hidden ones are not", () =>
    Effect.gen(function* () {
      const { account, adapter, post, send, sentAt, uploaded } = yield* preparedWorld
      const { platformPostId } = yield* send(post)
      yield* uploaded
      const { complete, posts } = yield* (
        adapter.unmatched?.(account, sentAt, yield* DateTime.now) ?? assert.fail("Nothing is listed")
      )
      assert.deepStrictEqual([complete, posts.map(({ id }) => id)], [true, [platformPostId ?? ""]])
    }).pipe(Effect.provide(withServers))
  )

  it.effect("Access of an hour is renewed with a refresh token that stays the same", () =>
    Effect.gen(function* () {
      const { accepted, post, requests, send } = yield* preparedWorld
      yield* TestClock.adjust("2 hours")
      yield* send(post)
      assert.isTrue(requests.some(({ url }) => url.endsWith("/token")))
      yield* TestClock.adjust("2 hours")
      yield* send(post)
      assert.strictEqual(yield* accepted, 1)
      assert.deepStrictEqual(
        steps(requests).filter((step) => step === "state"),
        []
      )
    }).pipe(Effect.provide(withServers))
  )
})
