import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { Rejected } from "../../../src/domain/publishing/platformError.ts"
import type { PlatformFile } from "../../../src/platforms/PlatformClient.ts"
import { platformHttpLayer } from "../../support/http/platformHttpLayer.ts"
import { capturedTelemetryLayer, Log } from "../../support/telemetry/capturedTelemetry.ts"
import { outcome, statusFault } from "../world.ts"
import { channelWorld, largeVideo, steps, video } from "./world.ts"

const withServers = Layer.merge(platformHttpLayer, SecureRandom.layerWebCrypto)

/** A channel to which an upload has begun. */
const begunWorldOf = Effect.fnUntraced(function* (file: PlatformFile) {
  const world = yield* channelWorld(file)
  return { ...world, started: yield* world.upload([file], world.account, null) }
})

const begunWorld = begunWorldOf(video)

const starts = (requests: Parameters<typeof steps>[0]) => steps(requests).filter((step) => step === "start").length

describe("The upload of a video to YouTube", () => {
  it.effect("It begins as private, with an address that is stored before the first byte, and ends processed", () =>
    Effect.gen(function* () {
      const { accepted, requests, started, uploadFrom } = yield* begunWorldOf(largeVideo)
      assert.deepStrictEqual(steps(requests), ["start"])
      const [start] = requests
      const body = start?.body._tag === "Uint8Array" ? JSON.parse(new TextDecoder().decode(start.body.body)) : {}
      assert.strictEqual(body.status.privacyStatus, "private")
      assert.match(body.snippet.title, /^Scheduled upload [\w-]{36}$/)
      const last = yield* uploadFrom(started)
      assert.strictEqual(last._tag, "Uploaded")
      assert.deepStrictEqual(steps(requests), ["start", "question", "bytes", "bytes", "state", "state"])
      assert.strictEqual(yield* accepted, 0)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A chunk whose answer is lost is not sent again, because YouTube tells how much has arrived", () =>
    Effect.gen(function* () {
      const { fail, requests, started, uploadFrom } = yield* begunWorldOf(largeVideo)
      yield* fail({ kind: "delay", ms: 0 }, "any", 1)
      yield* fail({ kind: "reset", when: "after_commit" }, "any", 1)
      assert.strictEqual((yield* uploadFrom(started))._tag, "Uploaded")
      assert.deepStrictEqual(steps(requests).slice(1, -2), ["question", "bytes", "question", "bytes"])
    }).pipe(Effect.provide(withServers))
  )

  it.effect("If the answer to the last byte is lost, the address tells the video", () =>
    Effect.gen(function* () {
      const { fail, requests, started, uploadFrom } = yield* begunWorldOf(largeVideo)
      yield* fail({ kind: "delay", ms: 0 }, "any", 2)
      yield* fail({ kind: "reset", when: "after_commit" }, "any", 1)
      assert.strictEqual((yield* uploadFrom(started))._tag, "Uploaded")
      assert.deepStrictEqual(steps(requests).slice(1, -2), ["question", "bytes", "bytes", "question"])
      assert.strictEqual(starts(requests), 1)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A process that is killed between any two requests leaves an upload that another one goes on with", () =>
    Effect.gen(function* () {
      const { fail, recover, requests, started, uploadFrom } = yield* begunWorldOf(largeVideo)
      // Each time, the stored progress is that from before the lost answer.
      for (let before = 1; before <= 4; before++) {
        yield* fail({ kind: "delay", ms: 0 }, "any", before - 1)
        yield* fail({ kind: "reset", when: "after_commit" }, "any", 1)
        yield* uploadFrom(started, 1).pipe(Effect.ignore)
        yield* recover
      }
      assert.strictEqual((yield* uploadFrom(started))._tag, "Uploaded")
      assert.strictEqual(starts(requests), 1)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("However many answers are lost, an upload goes on as long as bytes arrive", () =>
    Effect.gen(function* () {
      const { account, fail, requests, started, upload, uploadFrom } = yield* begunWorldOf(largeVideo)
      const loseBytes = Effect.andThen(
        fail({ kind: "delay", ms: 0 }, "any", 1),
        fail({ kind: "reset", when: "after_commit" }, "any", 1)
      )
      yield* loseBytes
      const first = yield* uploadFrom(started, 1)
      const begun = first._tag === "Processing" ? Object(first.begun) : {}
      assert.strictEqual(begun.failures, 1)
      yield* loseBytes
      const second = yield* upload([largeVideo], account, { ...begun, failures: 7 })
      assert.deepInclude(second._tag === "Processing" ? second.begun : {}, { failures: 1 })
      assert.strictEqual(starts(requests), 1)
      assert.strictEqual((yield* uploadFrom(second))._tag, "Uploaded")
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A chunk that arrives only in part is completed", () =>
    Effect.gen(function* () {
      const { fail, requests, started, uploadFrom } = yield* begunWorld
      yield* fail({ kind: "delay", ms: 0 }, "any", 1)
      yield* fail({ kind: "nulls" }, "any", 1)
      assert.strictEqual((yield* uploadFrom(started))._tag, "Uploaded")
      assert.strictEqual(steps(requests).filter((step) => step === "bytes").length, 2)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A long failure of YouTube or of the network costs no upload", () =>
    Effect.gen(function* () {
      const { fail, recover, requests, started, uploadFrom } = yield* begunWorld
      for (const fault of [
        statusFault(503),
        { kind: "front", status: 502 },
        { kind: "reset", when: "before_commit" }
      ] as const) {
        yield* fail(fault, "any", 20)
        for (let calls = 0; calls < 10; calls++)
          assert.strictEqual(yield* outcome(uploadFrom(started, 1)), "Unavailable")
        yield* recover
      }
      yield* fail(statusFault(503, { retry_after: 60 }), "any", 100)
      const waiting = yield* uploadFrom(started, 20)
      assert.strictEqual(waiting._tag === "Processing" && Duration.toSeconds(waiting.askAfter), 60)
      yield* recover
      assert.strictEqual((yield* uploadFrom(waiting))._tag, "Uploaded")
      assert.strictEqual(starts(requests), 1)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("An upload whose address nothing answers at begins anew, while YouTube itself can be reached", () =>
    Effect.gen(function* () {
      const { account, requests, started, upload, uploadFrom } = yield* begunWorld
      const begun = started._tag === "Processing" ? Object(started.begun) : {}
      const dead = { ...begun, session: "http://127.0.0.1:9/upload" }
      const first = yield* upload([video], account, dead)
      assert.deepInclude(first._tag === "Processing" ? first.begun : {}, { failures: 1 })
      assert.strictEqual((yield* uploadFrom(first))._tag, "Uploaded")
      assert.strictEqual(starts(requests), 2)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A video whose address has ended is found among the channel's videos", () =>
    Effect.gen(function* () {
      const { fail, requests, started, uploadFrom } = yield* begunWorld
      yield* uploadFrom(started, 1)
      yield* fail({ kind: "forgotten_files" }, "any", 1)
      assert.strictEqual((yield* uploadFrom(started))._tag, "Uploaded")
      assert.strictEqual(starts(requests), 1)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A video that arrived although its address says that it waits is found, too", () =>
    Effect.gen(function* () {
      const { fail, requests, started, uploadFrom } = yield* begunWorld
      yield* uploadFrom(started, 1)
      yield* fail({ kind: "whims" }, "any", 8)
      assert.strictEqual((yield* uploadFrom(started))._tag, "Uploaded")
      assert.strictEqual(starts(requests), 1)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("An upload whose address ends in the middle begins anew, twice at most", () =>
    Effect.gen(function* () {
      const { fail, requests, started, uploadFrom } = yield* begunWorld
      yield* fail({ kind: "forgotten_files" }, "any", 1)
      assert.strictEqual((yield* uploadFrom(started))._tag, "Uploaded")
      assert.strictEqual(starts(requests), 2)
      const other = yield* begunWorld
      yield* other.fail({ kind: "forgotten_files" }, "any", 100)
      assert.strictEqual(yield* outcome(other.uploadFrom(other.started)), "Rejected")
      assert.strictEqual(starts(other.requests), 3)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A video that YouTube processes for a day is asked for less and less often", () =>
    Effect.gen(function* () {
      const { account, fail, requests, upload, uploadFrom } = yield* channelWorld()
      yield* fail({ kind: "processing", ms: 86_000_000 }, "any", 1)
      const started = yield* upload([video], account, null)
      assert.strictEqual((yield* uploadFrom(started, 200))._tag, "Uploaded")
      const questions = steps(requests).filter((step) => step === "state").length
      assert.isAtLeast(questions, 100)
      // Every hour one is repeated with renewed access.
      assert.isAtMost(questions, 160)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A new video that YouTube does not find for a while only takes time", () =>
    Effect.gen(function* () {
      const { fail, requests, started, uploadFrom } = yield* begunWorld
      const arrived = yield* uploadFrom(started, 1)
      yield* fail({ kind: "unseen", ms: 1 }, "any", 5)
      assert.strictEqual((yield* uploadFrom(arrived))._tag, "Uploaded")
      assert.strictEqual(starts(requests), 1)
    }).pipe(Effect.provide(withServers))
  )

  it.effect.each([
    { code: "failed", told: "failed, codec" },
    { code: "rejected", told: "rejected, codec" }
  ])("A video that YouTube has $code is told with the reason, and published by nobody", ({ code, told }) =>
    Effect.gen(function* () {
      const { accepted, fail, started, uploadFrom } = yield* begunWorld
      yield* fail({ kind: "processing", error: "codec", code }, "any", 6)
      const refused = yield* Effect.flip(uploadFrom(started))
      assert.isTrue(refused instanceof Rejected && refused.message.includes(told), refused.message)
      assert.strictEqual(yield* accepted, 0)
    }).pipe(Effect.provide(withServers))
  )

  it.effect.each([
    { status: 403, error: "quotaExceeded", expected: "RateLimited" },
    { status: 400, error: "uploadLimitExceeded", expected: "RateLimited" },
    { status: 401, error: "youtubeSignupRequired", expected: "NeedsReauthorization" },
    { status: 403, error: "accessNotConfigured", expected: "ApplicationRefused" },
    { status: 400, error: "invalidTitle", expected: "Rejected" },
    { status: 503, error: "backendError", expected: "Unavailable" }
  ])("An upload that is refused with $error is $expected", ({ error, expected, status }) =>
    Effect.gen(function* () {
      const { account, fail, upload } = yield* channelWorld()
      yield* fail(statusFault(status, { error }), "any", 1)
      assert.strictEqual(yield* outcome(upload([video], account, null)), expected)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("The quota of the day is told before it is used up, and ends at midnight in California", () =>
    Effect.gen(function* () {
      const { account, upload } = yield* channelWorld()
      const warnings = Effect.map(Log, (log) => log.filter(({ message }) => message.includes("uploads that")).length)
      for (let count = 0; count < 79; count++) yield* upload([video], account, null)
      assert.strictEqual(yield* warnings, 0)
      yield* upload([video], account, null)
      assert.strictEqual(yield* warnings, 1)
      for (let count = 80; count < 100; count++) yield* upload([video], account, null)
      const refused = yield* Effect.flip(upload([video], account, null))
      if (refused._tag !== "RateLimited") return assert.fail(refused._tag)
      assert.strictEqual(DateTime.toEpochMillis(refused.until), Date.parse("2030-02-01T08:00:00Z"))
      assert.strictEqual(yield* warnings, 2)
    }).pipe(Effect.provide(Layer.merge(withServers, capturedTelemetryLayer)))
  )

  it.effect("An address on another host gets no bytes and no token", () =>
    Effect.gen(function* () {
      const { account, fail, requests, upload } = yield* channelWorld()
      yield* fail({ kind: "nulls" }, "any", 1)
      assert.strictEqual(yield* outcome(upload([video], account, null)), "Unavailable")
      assert.deepStrictEqual(steps(requests), ["start"])
    }).pipe(Effect.provide(withServers))
  )

  it.effect("An upload that another channel began, or that is of another file, is not continued", () =>
    Effect.gen(function* () {
      const { account, requests, started, upload } = yield* begunWorld
      const begun = started._tag === "Processing" ? started.begun : null
      yield* upload([{ ...video, hash: "another" }], account, begun)
      yield* upload([video], { ...account, accountId: "UCzbcdefghijklmnopqrstuv" }, begun)
      assert.deepStrictEqual(steps(requests), ["start", "start", "start"])
      assert.strictEqual(yield* outcome(upload([video, video], account, null)), "Rejected")
    }).pipe(Effect.provide(withServers))
  )
})
