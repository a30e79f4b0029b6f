import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Struct } from "effect"
import { SecureRandom } from "effect/crypto"
import { noFiles } from "../../../src/platforms/MediaFiles.ts"
import { platformHttpLayer } from "../../support/http/platformHttpLayer.ts"
import { png } from "../../sandbox/sampleFiles.ts"
import { outcome, statusFault, targetId } from "../world.ts"
import { channelWorld, settings, steps, withThumbnail } from "./world.ts"

const withServers = Layer.merge(platformHttpLayer, SecureRandom.layerWebCrypto)

const problem = (status: number, reason: string) =>
  statusFault(status, {
    body: JSON.stringify({
      error: { code: status, message: "No", errors: [{ message: "No", domain: "youtube.thumbnail", reason }] }
    })
  })

/** A video that is uploaded, without the requests that did it. */
const uploadedWorld = Effect.gen(function* () {
  const world = yield* channelWorld()
  const uploads = yield* world.uploaded
  world.requests.length = 0
  return { ...world, uploads }
})

describe("The thumbnail of a video on YouTube", () => {
  it.effect("It is set before anybody sees the video, with the bytes that the service kept", () =>
    Effect.gen(function* () {
      const { prepare, requests, send, uploads } = yield* uploadedWorld
      const post = yield* prepare({ uploads, settings: withThumbnail() })
      assert.isNotNull((yield* send(post)).url)
      assert.deepStrictEqual(steps(requests), ["state", "thumbnail", "update"])
      const sent = requests.find(({ url }) => url.endsWith("/thumbnails/set")) ?? assert.fail("It was not set")
      assert.isTrue(sent.body._tag === "Uint8Array" && Buffer.from(png).equals(sent.body.body))
      assert.strictEqual(sent.body._tag === "Uint8Array" ? sent.body.contentType : "", "image/png")
    }).pipe(Effect.provide(withServers))
  )

  it.effect("Without one nothing is set, and a post that is only looked for sets none", () =>
    Effect.gen(function* () {
      const { prepare, requests, uploads } = yield* uploadedWorld
      yield* prepare({ uploads, settings })
      yield* prepare({ uploads, settings: withThumbnail(), isSought: true })
      assert.deepStrictEqual(steps(requests), ["state"])
    }).pipe(Effect.provide(withServers))
  )

  it.effect("After a lost answer it is set again, and the video is published once", () =>
    Effect.gen(function* () {
      const { accepted, fail, prepare, requests, send, uploads } = yield* uploadedWorld
      const order = { uploads, settings: withThumbnail() }
      yield* fail({ kind: "reset", when: "after_commit" }, "upload", 1)
      assert.strictEqual(yield* outcome(prepare(order)), "Unavailable")
      yield* send(yield* prepare(order))
      assert.deepStrictEqual(steps(requests), ["state", "thumbnail", "state", "thumbnail", "update"])
      assert.strictEqual(yield* accepted, 1)
    }).pipe(Effect.provide(withServers))
  )

  it.effect.each([
    [403, "forbidden", /youtube\.com\/verify, and publish the post again/],
    [400, "invalidImage", /another thumbnail, or without one/]
  ] as const)(
    "If YouTube refuses it with %s, the video stays private, and the same one is published later",
    (refused) =>
      Effect.gen(function* () {
        const [status, reason, help] = refused
        const { accepted, fail, prepare, requests, send, uploads } = yield* uploadedWorld
        const order = { uploads, settings: withThumbnail() }
        yield* fail(problem(status, reason), "upload", 1)
        const error = yield* Effect.flip(prepare(order))
        assert.strictEqual(error._tag, "Rejected")
        assert.match(error.message, /refused the thumbnail, so the video was not made visible/)
        assert.match(error.message, help)
        assert.strictEqual(yield* accepted, 0)
        yield* send(yield* prepare(order))
        assert.deepStrictEqual(steps(requests), ["state", "thumbnail", "state", "thumbnail", "update"])
        assert.strictEqual(yield* accepted, 1)
      }).pipe(Effect.provide(withServers))
  )

  it.effect.each([
    [404, "videoNotFound", "Unavailable"],
    [429, "uploadRateLimitExceeded", "RateLimited"],
    [403, "quotaExceeded", "RateLimited"],
    [503, "backendError", "Unavailable"],
    [401, "youtubeSignupRequired", "NeedsReauthorization"]
  ] as const)("With %s %s nothing is published, and it is tried again later", ([status, reason, expected]) =>
    Effect.gen(function* () {
      const { accepted, fail, prepare, uploads } = yield* uploadedWorld
      yield* fail(problem(status, reason), "upload", 1)
      assert.strictEqual(yield* outcome(prepare({ uploads, settings: withThumbnail() })), expected)
      assert.strictEqual(yield* accepted, 0)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A picture that the service has not kept, or has lost, is told, and nothing is published", () =>
    Effect.gen(function* () {
      const { account, adapter, requests, uploads } = yield* uploadedWorld
      const prepare = (own: ReturnType<typeof withThumbnail>, files = account.files) =>
        Effect.flip(adapter.prepare({ targetId, text: "How we roast", settings: own, uploads }, { ...account, files }))
      const unkept = Struct.omit(withThumbnail().youtube ?? {}, ["thumbnail"])
      const errors = [yield* prepare({ youtube: unkept }), yield* prepare(withThumbnail(), noFiles)]
      for (const { _tag, message } of errors) {
        assert.strictEqual(_tag, "Rejected")
        assert.match(message, /does not keep the thumbnail/)
      }
      assert.deepStrictEqual(steps(requests), ["state", "state"])
    }).pipe(Effect.provide(withServers))
  )
})
