import { noFiles } from "../../../src/platforms/MediaFiles.ts"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Effect, Fiber, Option, Stream } from "effect"
import { TestClock } from "effect/testing"
import { sendPost } from "../../../src/platforms/carryOut.ts"
import type { Account, PlatformFile, Uploads } from "../../../src/platforms/PlatformClient.ts"
import type { Fault } from "../../../src/sandbox/state/faults.ts"
import { gif, mp4, png } from "../../sandbox/sampleFiles.ts"
import { imageFacts } from "../../support/database/mediaFixtures.ts"
import { connected, outcome, statusFault, targetId, uploadThrough, world } from "../world.ts"

/** The files that the account's store has, by their addresses. */
const stored = { image: png, gif: gif(2000), video: mp4(2_500_000) }

const file = (type: keyof typeof stored, alt = ""): PlatformFile => ({
  ...imageFacts,
  type,
  contentType: { image: "image/png", gif: "image/gif", video: "video/mp4" }[type],
  size: stored[type].byteLength,
  hash: type,
  alt
})

const bytesOf = (hash: string): Uint8Array => Object.entries(stored).find(([name]) => name === hash)?.[1] ?? png

const nothing: Fault = { kind: "delay", ms: 0 }
const processed = { kind: "processing", ms: 0 } as const

const setup = Effect.gen(function* () {
  const x = yield* connected("twitter")
  const reads: Array<number> = []
  const account: Account = {
    ...x.account,
    files: {
      ...noFiles,
      read: (hash, range) =>
        Stream.suspend(() => {
          const bytes = bytesOf(hash)
          reads.push(range?.length ?? bytes.byteLength)
          return Stream.make(range === undefined ? bytes : bytes.slice(range.offset, range.offset + range.length))
        })
    }
  }
  const upload = (files: ReadonlyArray<PlatformFile>) => uploadThrough(x.adapter, files, account)
  const prepare = (uploads: Uploads, text = "Hello") =>
    x.adapter.prepare({ targetId, text, settings: {}, uploads }, account)
  /** What becomes of the next requests of an upload, one after the other. */
  const order = (...faults: ReadonlyArray<Fault>) =>
    Effect.forEach(faults, (fault) => x.injectFault(fault, "upload"), { discard: true })
  /** On the real clock, because pauses are part of an upload. What it returns ran out by the test's clock. */
  const uploadNow = (...files: ReadonlyArray<PlatformFile>) => TestClock.withLive(upload(files))
  return {
    ...x,
    account,
    reads,
    order,
    prepare,
    upload: (...files: ReadonlyArray<PlatformFile>) => upload(files),
    uploadNow,
    publish: (prepared: Uploads) => sendPost(x.adapter, prepared, account)
  }
})

const media = (post: { readonly media?: ReadonlyArray<{ readonly type: string; readonly alt: string }> } | undefined) =>
  (post?.media ?? []).map(({ alt, type }) => `${type} ${alt}`.trim())

describe("media on X", () => {
  it.effect("Four images are sent with their alternative texts, and the text may be blank", () =>
    Effect.gen(function* () {
      const { posts, prepare, publish, upload } = yield* setup
      const uploads = yield* upload(...["a", "b", "c", ""].map((alt) => file("image", alt)))
      yield* publish(yield* prepare(uploads, ""))
      const [post] = yield* posts
      assert.deepStrictEqual(media(post), ["image a", "image b", "image c", "image"])
    }).pipe(Effect.provide(world()))
  )

  it.effect("A text beside files of which nothing can be seen is not sent", () =>
    Effect.gen(function* () {
      const { posts, prepare, publish, upload } = yield* setup
      yield* publish(yield* prepare(yield* upload(file("image")), "\u3164\u200B"))
      assert.strictEqual((yield* posts)[0]?.text, "")
    }).pipe(Effect.provide(world()))
  )

  it.effect("A video is read and sent in segments, one at a time in memory", () =>
    Effect.gen(function* () {
      const { order, posts, prepare, publish, reads, upload } = yield* setup
      yield* order(nothing, nothing, nothing, nothing, processed)
      yield* publish(yield* prepare(yield* upload(file("video", "A walk"))))
      assert.deepStrictEqual(reads, [1_048_576, 1_048_576, 402_848])
      assert.deepStrictEqual(media((yield* posts)[0]), ["video A walk"])
    }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    ["before X has it", { kind: "reset", when: "before_commit" }],
    ["after X has it, and is sent twice", { kind: "reset", when: "after_commit" }],
    ["in front of X", statusFault(503)]
  ] satisfies Array<[string, Fault]>)("A segment that is lost %s is sent again", ([, fault]) =>
    Effect.gen(function* () {
      const { order, reads, uploadNow } = yield* setup
      yield* order(nothing, fault, nothing, processed)
      assert.strictEqual(yield* outcome(uploadNow(file("gif"))), "success")
      assert.deepStrictEqual(reads, [2000])
    }).pipe(Effect.provide(world()))
  )

  it.effect("An upload of a video that is too long for the account asks nobody to connect it again", () =>
    Effect.gen(function* () {
      const { order, uploadNow } = yield* setup
      yield* order(statusFault(403, { detail: "You are not allowed to post a video longer than 20 minutes." }))
      const error = yield* Effect.flip(uploadNow(file("video")))
      assert.strictEqual(error._tag, "Rejected")
      assert.include(error.message, "more than 20 minutes")
      assert.notInclude(error.message, "onnect")
    }).pipe(Effect.provide(world()))
  )

  it.effect("A file that X can't process is refused with X's reason", () =>
    Effect.gen(function* () {
      const { order, uploadNow } = yield* setup
      yield* order(nothing, nothing, { ...processed, error: "InvalidMedia" })
      const error = yield* Effect.flip(uploadNow(file("gif")))
      assert.deepStrictEqual([error._tag, error.message.includes("InvalidMedia")], ["Rejected", true])
    }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    ["is sent once X has processed it", undefined, "success"],
    ["is refused once X has failed to", "InvalidMedia", "Rejected"]
  ] as const)("A video that X processes for a while is asked for until then, and %s", ([, error, expected]) =>
    Effect.gen(function* () {
      const { order, upload } = yield* setup
      const processing: Fault = { kind: "processing", ms: 12_000, ...(error === undefined ? {} : { error }) }
      yield* order(nothing, nothing, nothing, nothing, processing)
      const begun = yield* DateTime.now
      const uploading = yield* Effect.forkChild(outcome(upload(file("video"))))
      const turning = yield* Effect.forkChild(Effect.forever(Effect.andThen(Effect.yieldNow, TestClock.adjust(100))))
      assert.strictEqual(yield* Effect.ensuring(Fiber.join(uploading), Fiber.interrupt(turning)), expected)
      assert.isAtLeast(DateTime.toEpochMillis(yield* DateTime.now) - DateTime.toEpochMillis(begun), 12_000)
    }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    ["a refused alternative text", "Rejected", 3, statusFault(400, { detail: "alt_text is too long" })],
    ["an account that does not allow media", "Rejected", 0, statusFault(403, { detail: "Forbidden" })],
    ["a rate limit", "RateLimited", 0, statusFault(429)],
    ["spent credits", "ApplicationRefused", 0, statusFault(402)],
    ["a spending cap", "ApplicationRefused", 1, statusFault(403, { error: "SpendCapReached" })],
    [
      "an application without uploads",
      "ApplicationRefused",
      0,
      statusFault(403, { body: '{"errors":[{"code":453,"message":"No access"}]}' })
    ],
    ["something in front of X that refuses it", "Unavailable", 0, statusFault(403, { body: "<html>blocked</html>" })],
    ...[401, 403, 404, 407, 429].map((status): [string, string, number, Fault] => [
      `a gateway that answers ${status} in JSON of its own`,
      "Unavailable",
      0,
      statusFault(status, { body: '{"title":"Denied","detail":"Log in to the gateway"}' })
    ]),
    ["an overloaded X", "Unavailable", 0, statusFault(503)]
  ] satisfies Array<[string, string, number, Fault]>)(
    "An upload that meets %s is %s, and nothing is sent",
    ([, expected, before, fault]) =>
      Effect.gen(function* () {
        const { order, posts, upload } = yield* setup
        yield* order(...Array.from({ length: before }, () => nothing), fault)
        assert.strictEqual(yield* outcome(upload(file("image", "A cat"))), expected)
        assert.lengthOf(yield* posts, 0)
      }).pipe(Effect.provide(world()))
  )

  it.effect("A video that X processes for hours is uploaded once, and asked for from whichever process", () =>
    Effect.gen(function* () {
      const { account, adapter, order, posts, prepare, publish, reads } = yield* setup
      const { upload = () => Effect.die("X takes files") } = adapter
      const next = (begun: Uploads | null) => upload([file("video", "A walk")], account, begun)
      yield* order(nothing, nothing, nothing, nothing, { kind: "processing", ms: 14_400_000 })
      const begun = yield* next(null)
      if (begun._tag !== "Processing") return assert.fail("The video was not processed")
      assert.strictEqual(Duration.toSeconds(begun.askAfter), 30)
      yield* TestClock.adjust("3 hours")
      const still = yield* next(begun.begun)
      if (still._tag !== "Processing") return assert.fail("The video is still processed")
      yield* TestClock.adjust("2 hours")
      const done = yield* next(still.begun)
      if (done._tag !== "Uploaded") return assert.fail("The video was processed")
      assert.lengthOf(reads, 3)
      yield* publish(yield* prepare(done.uploads))
      assert.deepStrictEqual(media((yield* posts)[0]), ["video A walk"])
    }).pipe(Effect.provide(world()))
  )

  it.effect("What X processes for other files, for another account, or longer than it keeps it is begun anew", () =>
    Effect.gen(function* () {
      const { account, adapter, order, reads } = yield* setup
      const { upload = () => Effect.die("X takes files") } = adapter
      const long: Fault = { kind: "processing", ms: 86_300_000 }
      yield* order(nothing, nothing, long)
      const begun = yield* upload([file("gif")], account, null)
      const stored = begun._tag === "Processing" ? begun.begun : null
      const readAgain = Effect.fnUntraced(function* (name: "gif" | "video", by: Account) {
        reads.length = 0
        yield* upload([file(name)], by, stored)
        return reads.length
      })
      assert.strictEqual(yield* readAgain("gif", account), 0)
      assert.strictEqual(yield* readAgain("video", account), 3)
      assert.strictEqual(yield* readAgain("gif", { ...account, accountId: "another" }), 1)
      yield* TestClock.adjust("86200 seconds")
      assert.strictEqual(yield* readAgain("gif", account), 1)
    }).pipe(Effect.provide(world()))
  )

  it.effect("What X keeps for two minutes only is trusted for one", () =>
    Effect.gen(function* () {
      const { order, posts, prepare, publish, upload } = yield* setup
      const body = JSON.stringify({ data: { id: "1", media_key: "3_1", expires_after_secs: 120 } })
      const shortLived = Effect.andThen(
        order(nothing, nothing, statusFault(200, { when: "after_commit", body })),
        upload(file("image"))
      )
      const first = yield* prepare(yield* shortLived)
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual(yield* outcome(publish(first)), "success")
      const second = yield* prepare(yield* shortLived, "Again")
      yield* TestClock.adjust("60 seconds")
      const error = yield* Effect.flip(publish(second))
      assert.deepStrictEqual([error._tag, error.message.includes("have expired")], ["UploadsGone", true])
      assert.lengthOf(yield* posts, 1)
    }).pipe(Effect.provide(world()))
  )

  it.effect("What ran out is not sent but has to be uploaded again", () =>
    Effect.gen(function* () {
      const { posts, prepare, publish, upload } = yield* setup
      const prepared = yield* prepare(yield* upload(file("image")))
      yield* TestClock.adjust("24 hours")
      assert.strictEqual(yield* outcome(publish(prepared)), "UploadsGone")
      assert.lengthOf(yield* posts, 0)
    }).pipe(Effect.provide(world()))
  )

  it.effect("A file that X does not know any more has to be uploaded again", () =>
    Effect.gen(function* () {
      const { posts, prepare, publish, upload } = yield* setup
      const uploads = yield* upload(file("image"))
      yield* publish(yield* prepare(uploads))
      // A file can be used once.
      assert.strictEqual(yield* outcome(publish(yield* prepare(uploads, "Again"))), "UploadsGone")
      assert.lengthOf(yield* posts, 1)
    }).pipe(Effect.provide(world()))
  )
})

describe("a look for a post with media", () => {
  /** A post whose response was lost, and how to look for it. */
  const lost = Effect.fn(function* (fault: Fault, text = "Hello") {
    const x = yield* setup
    const prepared = yield* x.prepare(yield* x.upload(file("image")), text)
    const sentAt = yield* DateTime.now
    yield* x.injectFault(fault)
    assert.strictEqual(yield* outcome(x.publish(prepared)), "OutcomeUnknown")
    return { ...x, find: x.adapter.find(prepared, x.account, sentAt), sentAt }
  })
  const afterCommit: Fault = { kind: "reset", when: "after_commit" }
  const beforeCommit: Fault = { kind: "reset", when: "before_commit" }

  it.effect.each(["Hello", "", "\u3164\u200B", "See https://example.com/a"])(
    "A post is recognized by its media, with the text '%s'",
    (text) =>
      Effect.gen(function* () {
        const { find, posts } = yield* lost(afterCommit, text)
        const found = yield* find
        assert.deepStrictEqual(
          Option.map(found, ({ platformPostId }) => platformPostId),
          Option.some((yield* posts)[0]?.id ?? "")
        )
      }).pipe(Effect.provide(world()))
  )

  it.effect("A post with the same text and without media is another one", () =>
    Effect.gen(function* () {
      const { account, adapter, find } = yield* lost(beforeCommit)
      yield* sendPost(adapter, yield* adapter.prepare({ targetId, text: "Hello", settings: {} }, account), account)
      assert.deepStrictEqual(yield* find, Option.none())
    }).pipe(Effect.provide(world()))
  )

  it.effect("A post with the same text and other media is left to a person", () =>
    Effect.gen(function* () {
      const { find, prepare, publish, upload } = yield* lost(beforeCommit)
      yield* publish(yield* prepare(yield* upload(file("image"))))
      const error = yield* Effect.flip(find)
      assert.deepStrictEqual(
        [error._tag, error._tag === "OutcomeUnknown" && error.conclusive],
        ["OutcomeUnknown", true]
      )
    }).pipe(Effect.provide(world()))
  )
})
