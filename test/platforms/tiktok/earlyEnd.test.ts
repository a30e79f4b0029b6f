import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { Headers, HttpClientRequest } from "effect/http"
import { OutcomeUnknown } from "../../../src/domain/publishing/platformError.ts"
import { type Call, NoResponse } from "../../../src/platforms/call.ts"
import { sendPost } from "../../../src/platforms/carryOut.ts"
import { chunkAt, contentRange } from "../../../src/platforms/tiktok/chunks.ts"
import { platformHttpLayer } from "../../support/http/platformHttpLayer.ts"
import { mp4 } from "../../sandbox/sampleFiles.ts"
import { outcome, statusFault } from "../world.ts"
import { tiktokConformance } from "./conformance.ts"
import { tiktokWorld, wait } from "./world.ts"

const withServers = Layer.merge(platformHttpLayer, SecureRandom.layerWebCrypto)

/** A video of three chunks. */
const size = 16_000_000
const bytes = mp4(size)

const said = (status: number, headers: Readonly<Record<string, string>> = {}) =>
  Effect.succeed({ status, headers: Headers.fromInput(headers), body: "" })

const nothing = Effect.fail(new NoResponse({ message: "The answer is lost", maybeSent: true }))

/** A TikTok that has all bytes with an early chunk, publishes the video, and answers this to that chunk. */
const endsEarly = (answers: ReadonlyArray<ReturnType<Call>>, index = 1) => {
  const left = [...answers]
  const early = contentRange(chunkAt(size, index), size)
  const rest = [1, 2].filter((each) => each > index).map((each) => chunkAt(size, each))
  const ending =
    (call: Call): Call =>
    (request) =>
      Effect.gen(function* () {
        if (request.method !== "PUT" || request.headers["content-range"] !== early) return yield* call(request)
        const own = yield* call(request)
        for (const range of own.status === 206 ? rest : []) {
          yield* call(
            HttpClientRequest.put(request.url, { headers: { "content-range": contentRange(range, size) } }).pipe(
              HttpClientRequest.bodyUint8Array(bytes.subarray(range.offset, range.offset + range.length), "video/mp4")
            )
          )
        }
        return yield* left.shift() ?? Effect.succeed(own)
      })
  return tiktokWorld(size, {
    ...tiktokConformance,
    adapterAt: (url, call) => tiktokConformance.adapterAt(url, ending(call))
  })
}

const whole = said(416, { "content-range": `bytes 0-${size}/${size}` })
const lastByte = said(416, { "content-range": `bytes 0-${size - 1}/${size}` })

describe("A video that TikTok publishes before its last chunk is sent", () => {
  it.effect.each([
    ["a 201 one chunk early", [said(201)], 1],
    ["a 201 two chunks early", [said(201)], 0],
    ["a 416 with all bytes", [whole], 1],
    ["a 416 with the last byte", [nothing, lastByte], 1],
    ["a 404 after a lost answer", [nothing], 1]
  ] as const)("After %s, no other upload is begun, and it is out once", ([, answers, index]) =>
    Effect.gen(function* () {
      const { accepted, account, adapter, asked, prepare } = yield* endsEarly(answers, index)
      const prepared = yield* prepare()
      assert.strictEqual(yield* outcome(sendPost(adapter, prepared, account)), "success")
      assert.lengthOf(asked("video/init"), 1)
      assert.strictEqual(yield* accepted, 1)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("It is out once, too, if its address has ended before TikTok is asked", () =>
    Effect.gen(function* () {
      const { accepted, account, adapter, asked, prepare, prepareOnce } = yield* endsEarly([nothing])
      const begun = yield* Effect.flip(prepareOnce())
      if (begun._tag !== "Preparing") return assert.fail("It has not begun")
      const lost = yield* Effect.flip(prepareOnce({ begun: begun.begun }))
      if (lost._tag !== "Preparing") return assert.fail("It does not go on")
      yield* wait("56 minutes")
      const prepared = yield* prepare({ begun: lost.begun })
      assert.strictEqual(yield* outcome(sendPost(adapter, prepared, account)), "success")
      assert.lengthOf(asked("video/init"), 1)
      assert.strictEqual(yield* accepted, 1)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("If TikTok then does not know it, a person is told, and no other upload is begun", () =>
    Effect.gen(function* () {
      const { account, adapter, asked, fail, prepare } = yield* endsEarly([said(201)])
      const prepared = yield* prepare()
      yield* fail(statusFault(400, { error: "invalid_publish_id" }), "timeline", 1)
      const failure = yield* Effect.flip(sendPost(adapter, prepared, account))
      assert.isTrue(failure instanceof OutcomeUnknown && failure.conclusive === true, failure._tag)
      assert.lengthOf(asked("video/init"), 1)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("While TikTok can't say what became of it, no other upload is begun", () =>
    Effect.gen(function* () {
      const { accepted, asked, fail, prepare } = yield* endsEarly([nothing])
      yield* fail(statusFault(500, { error: "internal_error" }), "timeline", 1)
      assert.strictEqual(yield* outcome(prepare()), "Unavailable")
      assert.lengthOf(asked("video/init"), 1)
      assert.strictEqual(yield* accepted, 1)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("If TikTok does not say how many bytes it has, it is asked again, and no other upload is begun", () =>
    Effect.gen(function* () {
      const { account, adapter, accepted, asked, fail, prepare } = yield* endsEarly([nothing])
      const body = JSON.stringify({
        data: { status: "PROCESSING_UPLOAD" },
        error: { code: "ok", message: "", log_id: "7" }
      })
      yield* fail(statusFault(200, { body }), "timeline", 1)
      const prepared = yield* prepare()
      assert.strictEqual(yield* outcome(sendPost(adapter, prepared, account)), "success")
      assert.lengthOf(asked("video/init"), 1)
      assert.strictEqual(yield* accepted, 1)
    }).pipe(Effect.provide(withServers))
  )
})
