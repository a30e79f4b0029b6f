import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Ref, type Schema, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import type { HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { type Call, NoResponse } from "../../../src/platforms/call.ts"
import { sendPost } from "../../../src/platforms/carryOut.ts"
import { readAccess } from "../../../src/platforms/instagram/credentials.ts"
import { pageToken } from "../../../src/platforms/instagram/standIn/apis.ts"
import { tokens } from "../../../src/platforms/instagram/tokens.ts"
import type { Account, Prepared, PublishRequest } from "../../../src/platforms/PlatformClient.ts"
import { mp4 } from "../../sandbox/sampleFiles.ts"
import { image } from "../../support/mediaChecks.ts"
import { platformHttpLayer } from "../../support/http/platformHttpLayer.ts"
import { standInWorld } from "../contract/standInWorld.ts"
import { outcome, targetId } from "../world.ts"
import { instagramConformance, instagramPageConformance } from "./conformance.ts"

const withServers = Layer.merge(platformHttpLayer, SecureRandom.layerWebCrypto)

const bytes = mp4(200_000)

const uploads = {
  file: { hash: "video", contentType: "video/mp4", size: bytes.byteLength, kind: "VIDEO", alt: "" }
}

const takesBytes = ({ method, url }: HttpClientRequest.HttpClientRequest) =>
  method === "POST" && url.includes("/ig-api-upload/")

interface Turn {
  readonly prepared: Prepared | null
  readonly begun: Schema.Json | null
}

/** An account with a video. `meet` may answer in the platform's place. */
const videoWorld = Effect.fnUntraced(function* (
  meet: (request: HttpClientRequest.HttpClientRequest, call: Call) => ReturnType<Call> = (request, call) =>
    call(request),
  platform = instagramPageConformance
) {
  const { adapterAt } = platform
  const world = yield* standInWorld({
    ...platform,
    adapterAt: (url: string, call: Call) =>
      adapterAt(url, (request: HttpClientRequest.HttpClientRequest) => meet(request, call))
  })
  const links = yield* Ref.make(0)
  const account: Account = {
    ...world.account,
    files: {
      ...world.account.files,
      read: (_, range = { offset: 0, length: bytes.byteLength }) =>
        Stream.make(bytes.subarray(range.offset, range.offset + range.length)),
      share: ({ hash }) =>
        Effect.as(
          Ref.update(links, (count) => count + 1),
          { id: hash, url: `https://files.test/${hash}.mp4` }
        )
    }
  }
  /** One call of `prepare`: the prepared post, or the state to go on from. */
  const step = (begun: Schema.Json | null, more: Partial<PublishRequest> = {}) =>
    world.adapter.prepare({ targetId, text: "Hello", settings: {}, uploads, begun, ...more }, account).pipe(
      Effect.map((prepared) => ({ prepared, begun })),
      Effect.catchTag("Preparing", (preparing) =>
        Effect.as(TestClock.adjust(preparing.askAfter), { prepared: null, begun: preparing.begun })
      )
    )
  const prepare = Effect.fnUntraced(function* (more: Partial<PublishRequest> = {}, asMany = 1) {
    let begun: Schema.Json | null = null
    for (let turn = 0; turn < 60; turn++) {
      let last: Turn = yield* step(begun, more)
      // Its process was killed before the state was stored, so another one does the same again.
      for (let again = 1; again < asMany && last.prepared === null; again++) last = yield* step(begun, more)
      if (last.prepared !== null) return last.prepared
      begun = last.begun
    }
    return yield* Effect.die("It is never ready")
  })
  return {
    ...world,
    account,
    links: Ref.get(links),
    step,
    prepare,
    publish: (more: Partial<PublishRequest> = {}, asMany = 1) =>
      Effect.flatMap(prepare(more, asMany), (prepared) => sendPost(world.adapter, prepared, account)),
    offsets: Effect.sync(() =>
      world.requests.filter(takesBytes).map(({ headers }) => [headers["offset"], headers["file_size"]])
    )
  }
})

const story = { instagram: { post_type: "story" } } as const

describe("A video on Instagram through Facebook Login", () => {
  it.effect.each([{}, { settings: story }])("Its bytes are sent, and no link is made: %j", (more) =>
    Effect.gen(function* () {
      const { accepted, links, offsets, publish, requests } = yield* videoWorld()
      const { url } = yield* publish(more)
      assert.isNotNull(url)
      assert.deepStrictEqual([yield* links, yield* accepted], [0, 1])
      assert.deepStrictEqual(yield* offsets, [["0", "200000"]])
      const sent = requests.find(takesBytes)
      assert.match(sent?.headers["authorization"] ?? "", /^OAuth EAA/)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("With Instagram Login it is fetched from a link, because that API takes no bytes", () =>
    Effect.gen(function* () {
      const { accepted, links, offsets, publish } = yield* videoWorld(undefined, instagramConformance)
      yield* publish()
      assert.deepStrictEqual([yield* links, yield* accepted, yield* offsets], [1, 1, []])
    }).pipe(Effect.provide(withServers))
  )

  it.effect("An upload that is cut off goes on from the bytes that have arrived", () =>
    Effect.gen(function* () {
      const { accepted, fail, offsets, prepare, account, adapter, step } = yield* videoWorld()
      const { begun } = yield* step(null)
      // The faults meet the question for the state, which they do not change, and then the bytes.
      yield* fail({ kind: "nulls" }, "upload", 2)
      const { begun: cut } = yield* step(begun)
      const { begun: rest } = yield* step(cut)
      const { prepared } = yield* step(rest)
      assert.deepStrictEqual(yield* offsets, [
        ["0", "200000"],
        ["100000", "200000"]
      ])
      yield* sendPost(adapter, prepared ?? (yield* prepare()), account)
      assert.strictEqual(yield* accepted, 1)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("If the answer to the last byte is lost, no byte is sent again", () =>
    Effect.gen(function* () {
      let lost = 0
      const { accepted, offsets, publish } = yield* videoWorld((request, call) =>
        takesBytes(request) && lost++ === 0
          ? Effect.andThen(call(request), Effect.fail(new NoResponse({ message: "Lost", maybeSent: true })))
          : call(request)
      )
      yield* publish()
      assert.deepStrictEqual([yield* accepted, yield* offsets], [1, [["0", "200000"]]])
    }).pipe(Effect.provide(withServers))
  )

  it.effect("However often its process is killed between two requests, one post is made", () =>
    Effect.gen(function* () {
      const { accepted, publish } = yield* videoWorld()
      yield* publish({}, 3)
      assert.strictEqual(yield* accepted, 1)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("An address on another host gets neither the bytes nor the token", () =>
    Effect.gen(function* () {
      const { fail, offsets, step } = yield* videoWorld()
      // The first fault meets the question for the quota, which it does not change.
      yield* fail({ kind: "nulls" }, "upload", 2)
      assert.strictEqual(yield* outcome(step(null)), "Unavailable")
      assert.deepStrictEqual(yield* offsets, [])
    }).pipe(Effect.provide(withServers))
  )

  it.effect("If two containers get no bytes, Instagram fetches the video", () =>
    Effect.gen(function* () {
      const { accepted, links, publish } = yield* videoWorld((request, call) =>
        takesBytes(request) ? Effect.fail(new NoResponse({ message: "Cut off", maybeSent: true })) : call(request)
      )
      yield* publish()
      assert.deepStrictEqual([yield* links, yield* accepted], [1, 1])
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A refused token ends the upload, and a person has to connect the account again", () =>
    Effect.gen(function* () {
      const { step, withdraw } = yield* videoWorld()
      const { begun } = yield* step(null)
      yield* withdraw
      assert.strictEqual(yield* outcome(step(begun)), "NeedsReauthorization")
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A video that Instagram can't process is refused, or made again", () =>
    Effect.gen(function* () {
      const { fail, prepare, publish, recover } = yield* videoWorld()
      yield* fail({ kind: "processing", error: "2207026" }, "upload", 2)
      assert.strictEqual(yield* outcome(prepare()), "Rejected")
      yield* recover
      assert.strictEqual(yield* outcome(publish()), "success")
    }).pipe(Effect.provide(withServers))
  )
})

describe("An account that is connected in the other way", () => {
  /** The same account with the other login. */
  const both = Effect.gen(function* () {
    const world = yield* videoWorld()
    const { accessToken } = yield* Effect.fromResult(readAccess(yield* world.account.credentials.current))
    const credentials = tokens.encodeTokens({
      accessToken: accessToken.slice(pageToken("").length),
      obtainedAt: yield* DateTime.now
    })
    const other: Account = {
      ...world.account,
      credentials: { current: Effect.succeed(credentials), refresh: () => Effect.die("Unexpected renewal") }
    }
    return { ...world, other }
  })

  it.effect("A container of the first login is made again, and one post is made", () =>
    Effect.gen(function* () {
      const { accepted, adapter, other, prepare } = yield* both
      const prepared = yield* prepare()
      assert.strictEqual(yield* outcome(sendPost(adapter, prepared, other)), "TooEarly")
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual(yield* outcome(sendPost(adapter, prepared, other)), "UploadsGone")
      const again = (begun: Schema.Json | null): Effect.Effect<Prepared, { readonly _tag: string }> =>
        adapter
          .prepare({ targetId, text: "Hello", settings: {}, uploads, begun }, other)
          .pipe(
            Effect.catchTag("Preparing", (preparing) =>
              Effect.andThen(TestClock.adjust(preparing.askAfter), again(preparing.begun))
            )
          )
      yield* sendPost(adapter, yield* again(null), other)
      assert.strictEqual(yield* accepted, 1)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("The files of a carousel are given again", () =>
    Effect.gen(function* () {
      const { account, adapter, other } = yield* both
      const { upload = () => Effect.die("It takes no files") } = adapter
      const files = ["a", "b"].map((hash) => ({ ...image, hash, alt: "" }))
      const first = yield* upload(files, account, null)
      yield* TestClock.adjust("5 seconds")
      const second = yield* upload(files, account, first._tag === "Processing" ? first.begun : null)
      const made = second._tag === "Uploaded" ? second.uploads : assert.fail("It is not uploaded")
      const request = { targetId, text: "Hello", settings: {}, uploads: made }
      assert.strictEqual(yield* outcome(adapter.prepare(request, account)), "Preparing")
      assert.strictEqual(yield* outcome(adapter.prepare(request, other)), "UploadsGone")
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A post whose outcome was open is not sent again, and is found by its text in the end", () =>
    Effect.gen(function* () {
      const { accepted, account, adapter, fail, other, prepare } = yield* both
      const prepared = yield* prepare()
      const sentAt = yield* DateTime.now
      yield* fail({ kind: "reset", when: "after_commit" }, "publish", 1)
      // The first login's state of the container settles this. The other one has to look.
      yield* outcome(sendPost(adapter, prepared, account))
      const reconciled = adapter.reconcile(prepared, other, sentAt)
      assert.strictEqual(yield* outcome(reconciled), "OutcomeUnknown")
      yield* TestClock.adjust("29 hours")
      assert.isNotNull((yield* reconciled).platformPostId)
      assert.strictEqual(yield* accepted, 1)
    }).pipe(Effect.provide(withServers))
  )
})
