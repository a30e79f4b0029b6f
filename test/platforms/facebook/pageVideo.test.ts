import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import type { HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { Dropped, Rejected } from "../../../src/domain/publishing/platformError.ts"
import { sendPost } from "../../../src/platforms/carryOut.ts"
import type { UploadProgress } from "../../../src/platforms/PlatformClient.ts"
import { isUprightVideo } from "../../../src/domain/media/mediaRules.ts"
import { platformHttpLayer } from "../../support/http/platformHttpLayer.ts"
import { encoding, makeChecks, video as wide } from "../../support/mediaChecks.ts"
import { outcome, statusFault } from "../world.ts"
import { facebookConformance, formOf } from "./conformance.ts"
import { pageWorld, video, wideVideo } from "./world.ts"

const withServers = Layer.merge(platformHttpLayer, SecureRandom.layerWebCrypto)

const { isPost } = facebookConformance

const phaseOf = (request: HttpClientRequest.HttpClientRequest) =>
  request.body._tag === "Stream" ? "transfer" : (formOf(request).get("upload_phase") ?? undefined)

const phases = (requests: ReadonlyArray<HttpClientRequest.HttpClientRequest>) =>
  requests.flatMap((request) => (request.url.endsWith("/videos") ? (phaseOf(request) ?? []) : []))

describe("The form of a video on a Page", () => {
  const { refusals } = makeChecks("facebook")
  const upright = { ...wide, width: 1080, height: 1920 }

  it("A video that is higher than wide is a reel, and every other one a video of the Page", () => {
    for (const [width, height, expected] of [
      [1080, 1920, true],
      [1080, 1081, true],
      [1080, 1080, false],
      [1920, 1080, false]
    ] as const) {
      assert.strictEqual(isUprightVideo({ ...wide, width, height }), expected)
    }
    assert.isFalse(isUprightVideo({ type: "image", width: 1080, height: 1920 }))
  })

  it("A landscape or square video may be long, and a reel may not", () => {
    const long = 4 * 3_600_000
    assert.deepStrictEqual(refusals({ ...wide, durationMs: long, encoding }), [])
    assert.deepStrictEqual(refusals({ ...wide, width: 1080, height: 1080, durationMs: 1_000 }), [])
    assert.deepStrictEqual(refusals({ ...upright, durationMs: 90_000 }), [])
    assert.match(refusals({ ...wide, durationMs: long + 1 })[0] ?? "", /accepts videos of 1 s to 14,400 s/)
    assert.match(refusals({ ...upright, durationMs: 90_001 })[0] ?? "", /accepts upright videos of 3 s to 90 s/)
  })

  it("A reel has 24 to 60 frames per second", () => {
    for (const frameRate of [23.976, 60]) assert.deepStrictEqual(refusals({ ...upright, frameRate }), [])
    for (const frameRate of [10, 61]) assert.match(refusals({ ...upright, frameRate })[0] ?? "", /24 to 60 frames/)
    assert.deepStrictEqual(refusals({ ...wide, frameRate: 10 }), [])
  })

  it("Its shape, codec, type and size are checked", () => {
    for (const [width, height] of [
      [854, 480],
      [426, 240],
      [1280, 720]
    ] as const) {
      assert.deepStrictEqual(refusals({ ...wide, width, height }), [])
    }
    assert.match(refusals({ ...wide, width: 1920, height: 800 })[0] ?? "", /aspect ratios from 1:1.8 to 1.8:1/)
    assert.match(refusals({ ...wide, videoCodec: "av1" })[0] ?? "", /H\.264/)
    assert.match(refusals({ ...wide, audioCodec: "opus" })[0] ?? "", /AAC/)
    assert.match(refusals({ ...wide, contentType: "video/webm" })[0] ?? "", /video\/mp4/)
    assert.match(refusals({ ...wide, size: 1_000_000_001 })[0] ?? "", /1,000 MB/)
    assert.match(refusals({ ...upright, width: 500, height: 900 })[0] ?? "", /at least 540x960/)
  })
})

/** A Page to which the upload of a video has begun. */
const begunWorld = Effect.gen(function* () {
  const world = yield* pageWorld()
  const { account, upload } = world
  /** Goes on with an upload, until its end if the number of calls is not limited. */
  const uploadFrom = Effect.fnUntraced(function* (progress: UploadProgress, most = 30) {
    let last = progress
    for (let calls = 0; last._tag === "Processing" && calls < most; calls++) {
      last = yield* upload([wideVideo], account, last.begun)
      if (last._tag === "Processing") yield* TestClock.adjust(last.askAfter)
    }
    return last
  })
  return { ...world, started: yield* upload([wideVideo], account, null), uploadFrom }
})

describe("A video of a Page that is no reel", () => {
  it.effect("It is uploaded in parts, processed unseen, described, and then made visible", () =>
    Effect.gen(function* () {
      const { accepted, account, adapter, prepare: prepareIt, requests, upload, uploadsOf } = yield* pageWorld()
      const started = yield* upload([wideVideo], account, null)
      assert.strictEqual(started._tag, "Processing")
      assert.deepStrictEqual(phases(requests), ["start"])
      requests.length = 0
      const uploads = yield* uploadsOf([wideVideo])
      assert.deepStrictEqual(phases(requests), ["start", "transfer", "transfer", "transfer", "finish"])
      const finish = requests.find((request) => phaseOf(request) === "finish")
      assert.strictEqual(finish && formOf(finish).get("published"), "false")
      // All requests go to the API, whatever its answers name.
      assert.isTrue(requests.every(({ url }) => /^http:\/\/127\.0\.0\.1:\d+\/facebook\/v26\.0\//.test(url)))
      const post = yield* prepareIt({ text: "A talk", uploads })
      assert.strictEqual(yield* accepted, 0)
      const { platformPostId, url } = yield* sendPost(adapter, post, account)
      assert.match(platformPostId ?? "", /^14\d+$/)
      assert.isTrue(url?.endsWith(`/${account.accountId}/videos/${platformPostId}`))
      assert.strictEqual(yield* accepted, 1)
      const { key } =
        facebookConformance.facts.postPath.exec(`/${account.accountId}/videos/${platformPostId}`)?.groups ?? {}
      assert.strictEqual(facebookConformance.rules.postId(account.accountId, key ?? ""), platformPostId)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A video that was published from an earlier upload is found, although a later one is hidden", () =>
    Effect.gen(function* () {
      const { account, adapter, prepare: prepareIt, uploadsOf } = yield* pageWorld()
      const earlier = yield* prepareIt({ text: "A talk", uploads: yield* uploadsOf([wideVideo]) })
      const sentAt = yield* DateTime.now
      const { platformPostId, url } = yield* sendPost(adapter, earlier, account)
      const later = yield* prepareIt({ text: "A talk", uploads: yield* uploadsOf([wideVideo]) })
      yield* TestClock.adjust("6 minutes")
      const found = Option.getOrThrow(yield* adapter.find(later, account, sentAt))
      assert.deepStrictEqual(found, { platformPostId, url, recognized: true })
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A text that is changed before it is sent is the text of the video", () =>
    Effect.gen(function* () {
      const { account, adapter, prepare: prepareIt, requests, uploadsOf } = yield* pageWorld()
      const uploads = yield* uploadsOf([wideVideo])
      yield* prepareIt({ text: "An old text", uploads })
      yield* sendPost(adapter, yield* prepareIt({ text: "", uploads }), account)
      const texts = requests.flatMap((request) => formOf(request).get("description") ?? [])
      assert.deepStrictEqual(texts, ["An old text", ""])
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A part whose answer is lost, or that arrived only partly, is not sent twice into the video", () =>
    Effect.gen(function* () {
      const { fail, requests, started, uploadFrom } = yield* begunWorld
      // Facebook has the first part, and says so only when it gets that part again.
      yield* fail({ kind: "reset", when: "after_commit" }, "any", 1)
      assert.strictEqual(yield* outcome(uploadFrom(started, 1)), "Unavailable")
      const corrected = yield* uploadFrom(started, 1)
      yield* fail({ kind: "nulls" }, "any", 1)
      assert.strictEqual((yield* uploadFrom(corrected))._tag, "Uploaded")
      assert.deepStrictEqual(phases(requests), [
        "start",
        // Lost, refused with the right offset, and cut off.
        "transfer",
        "transfer",
        "transfer",
        // The second and the third part.
        "transfer",
        "transfer",
        "finish"
      ])
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A lost answer to the end of an upload begins no second one", () =>
    Effect.gen(function* () {
      const { fail, requests, started, uploadFrom } = yield* begunWorld
      yield* fail({ kind: "delay", ms: 0 }, "any", 3)
      yield* fail({ kind: "reset", when: "after_commit" }, "any", 1)
      assert.strictEqual(yield* outcome(uploadFrom(started, 1)), "Unavailable")
      assert.strictEqual(phases(requests).at(-1), "finish")
      assert.strictEqual((yield* uploadFrom(started))._tag, "Uploaded")
      assert.strictEqual(phases(requests).filter((phase) => phase === "start").length, 1)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A long failure of Facebook or of the network costs no upload", () =>
    Effect.gen(function* () {
      const { fail, requests, started, uploadFrom } = yield* begunWorld
      for (const fault of [
        statusFault(503),
        { kind: "front", status: 502 },
        { kind: "reset", when: "before_commit" }
      ] as const) {
        yield* fail(fault, "any", 10)
        for (let calls = 0; calls < 10; calls++)
          assert.strictEqual(yield* outcome(uploadFrom(started, 1)), "Unavailable")
      }
      assert.strictEqual((yield* uploadFrom(started))._tag, "Uploaded")
      assert.strictEqual(phases(requests).filter((phase) => phase === "start").length, 1)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("Facebook's blindness to a video that it processes only takes time", () =>
    Effect.gen(function* () {
      const { fail, requests, started, uploadFrom } = yield* begunWorld
      const finished = yield* uploadFrom(started, 1)
      yield* fail(statusFault(404), "any", 6)
      assert.strictEqual((yield* uploadFrom(finished))._tag, "Uploaded")
      assert.strictEqual(phases(requests).filter((phase) => phase === "start").length, 1)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A video that Facebook lost is uploaded once more", () =>
    Effect.gen(function* () {
      const { fail, requests, started, uploadFrom } = yield* begunWorld
      const finished = yield* uploadFrom(started, 1)
      yield* fail(statusFault(404), "any", 8)
      assert.strictEqual((yield* uploadFrom(finished))._tag, "Uploaded")
      assert.strictEqual(phases(requests).filter((phase) => phase === "start").length, 2)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("Bytes beyond the video are not sent", () =>
    Effect.gen(function* () {
      const { account, fail, requests, upload } = yield* pageWorld()
      const more = { video_id: "141", upload_session_id: "151", start_offset: "0", end_offset: wideVideo.size + 1 }
      yield* fail(statusFault(200, { body: JSON.stringify(more) }), "any", 1)
      assert.strictEqual(yield* outcome(upload([wideVideo], account, null)), "Unavailable")
      assert.deepStrictEqual(phases(requests), ["start"])
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A video that Facebook can't process is uploaded once more, and then refused with the reason", () =>
    Effect.gen(function* () {
      const { accepted, fail, requests, started, uploadFrom } = yield* begunWorld
      yield* fail({ kind: "processing", error: "Bad codec" }, "any", 40)
      const refused = yield* Effect.flip(uploadFrom(started))
      assert.isTrue(refused instanceof Rejected && refused.message.includes("Bad codec"))
      assert.strictEqual(phases(requests).filter((phase) => phase === "start").length, 2)
      assert.strictEqual(yield* accepted, 0)
    }).pipe(Effect.provide(withServers))
  )

  it.effect.each([
    { error: "role lost", expected: "NeedsReauthorization" },
    { error: "too many requests", expected: "RateLimited" }
  ])("An upload that is refused with “$error” is $expected", ({ error, expected }) =>
    Effect.gen(function* () {
      const { account, fail, upload } = yield* pageWorld()
      const progress = yield* upload([wideVideo], account, null)
      yield* fail(statusFault(400, { error }), "any", 2)
      const next = upload([wideVideo], account, progress._tag === "Processing" ? progress.begun : null)
      assert.strictEqual(yield* outcome(next), expected)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("An upload that another Page began, or that is of another file, is not continued", () =>
    Effect.gen(function* () {
      const { account, requests, upload } = yield* pageWorld()
      const progress = yield* upload([wideVideo], account, null)
      const begun = progress._tag === "Processing" ? progress.begun : null
      yield* upload([{ ...wideVideo, hash: "another" }], account, begun)
      yield* upload([wideVideo], { ...account, accountId: "104512345678901" }, begun).pipe(Effect.ignore)
      assert.deepStrictEqual(phases(requests), ["start", "start", "start"])
      // A reel's upload is none of it either.
      yield* upload([video], account, begun)
      assert.isTrue(requests.at(-1)?.url.endsWith("/video_reels"))
    }).pipe(Effect.provide(withServers))
  )

  it.effect("After a lost answer its own state decides, and repetitions make no second post", () =>
    Effect.gen(function* () {
      const { accepted, account, adapter, fail, prepare: prepareIt, requests, uploadsOf } = yield* pageWorld()
      const post = yield* prepareIt({ uploads: yield* uploadsOf([wideVideo]) })
      const sentAt = yield* DateTime.now
      yield* fail({ kind: "reset", when: "before_commit" }, "publish", 1)
      assert.strictEqual(yield* outcome(sendPost(adapter, post, account)), "OutcomeUnknown")
      yield* fail({ kind: "reset", when: "after_commit" }, "publish", 1)
      const { platformPostId } = yield* adapter.reconcile(post, account, sentAt)
      assert.strictEqual((yield* sendPost(adapter, post, account)).platformPostId, platformPostId)
      assert.deepStrictEqual([requests.filter(isPost).length, yield* accepted], [3, 1])
      yield* fail(statusFault(404), "any", 1)
      assert.strictEqual(yield* outcome(adapter.find(post, account, sentAt)), "OutcomeUnknown")
      const found = Option.getOrThrow(yield* adapter.find(post, account, sentAt))
      assert.strictEqual(found.platformPostId, platformPostId)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("Seventy minutes after a send that never arrived it certainly is not out", () =>
    Effect.gen(function* () {
      const { accepted, account, adapter, fail, prepare: prepareIt, uploadsOf } = yield* pageWorld()
      const post = yield* prepareIt({ uploads: yield* uploadsOf([wideVideo]) })
      const sentAt = yield* DateTime.now
      yield* fail({ kind: "reset", when: "before_commit" }, "publish", 1)
      yield* outcome(sendPost(adapter, post, account))
      assert.strictEqual(yield* outcome(adapter.find(post, account, sentAt)), "OutcomeUnknown")
      yield* TestClock.adjust("70 minutes")
      assert.isTrue((yield* Effect.flip(adapter.reconcile(post, account, sentAt))) instanceof Dropped)
      assert.isTrue(Option.isNone(yield* adapter.find(post, account, sentAt)))
      assert.strictEqual(yield* accepted, 0)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A video that somebody deleted before its post is uploaded again", () =>
    Effect.gen(function* () {
      const { fail, prepare: prepareIt, uploadsOf } = yield* pageWorld()
      const uploads = yield* uploadsOf([wideVideo])
      yield* fail(statusFault(404), "any", 1)
      assert.strictEqual(yield* outcome(prepareIt({ uploads })), "UploadsGone")
    }).pipe(Effect.provide(withServers))
  )

  it.effect("After a restore, neither it nor a reel is taken for a post of somebody else", () =>
    Effect.gen(function* () {
      const { account, adapter, prepare: prepareIt, publish, uploadsOf } = yield* pageWorld()
      const since = yield* DateTime.now
      const ids: Array<string> = []
      for (const file of [wideVideo, video]) {
        const post = yield* prepareIt({ text: `${file.width} wide`, uploads: yield* uploadsOf([file]) })
        yield* outcome(sendPost(adapter, post, account))
        yield* TestClock.adjust("1 minute")
        ids.push((yield* adapter.reconcile(post, account, since)).platformPostId ?? "")
      }
      yield* publish({ text: "By hand" })
      yield* TestClock.adjust("6 minutes")
      const others = {
        ...account.others,
        published: (asked: ReadonlyArray<string>) => Effect.succeed(new Set(asked.filter((id) => ids.includes(id))))
      }
      const { unmatched = () => Effect.die("No list") } = adapter
      const { posts } = yield* unmatched({ ...account, others }, since, yield* DateTime.now)
      assert.deepStrictEqual(
        posts.map(({ text }) => text),
        ["By hand"]
      )
    }).pipe(Effect.provide(withServers))
  )
})
