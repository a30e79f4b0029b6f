import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Redacted } from "effect"
import { HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { Sandbox } from "../../../../src/sandbox/Sandbox.ts"
import type { Fault } from "../../../../src/sandbox/state/faults.ts"
import { world } from "../../world.ts"
import { postJson, send } from "../../../sandbox/requests.ts"
import { gif, mp4, png } from "../../../sandbox/sampleFiles.ts"

const toBase64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64")
const contentTypes = { tweet_image: "image/png", tweet_gif: "image/gif", tweet_video: "video/mp4" }
type Category = keyof typeof contentTypes

const twitter = Effect.fn(function* (seed = "acme") {
  const sandbox = yield* Sandbox
  const account = yield* sandbox.connect("twitter", seed)
  const { accessToken } = JSON.parse(Redacted.value(account.credentials))
  const url = (path: string) => `${sandbox.apiUrls.twitter}/2/${path}`
  const post = (path: string, body: unknown) => send(postJson(url(path), accessToken, body))
  const initialize = (category: Category, total_bytes: number, media_type: string = contentTypes[category]) =>
    post("media/upload/initialize", { media_category: category, media_type, total_bytes })
  const append = (id: string, segment_index: number, bytes: Uint8Array) =>
    post(`media/upload/${id}/append`, { media: toBase64(bytes), segment_index })
  const finalize = (id: string) =>
    send(HttpClientRequest.post(url(`media/upload/${id}/finalize`)).pipe(HttpClientRequest.bearerToken(accessToken)))
  const status = (id: string) =>
    send(
      HttpClientRequest.get(url("media/upload"), { urlParams: { media_id: id, command: "STATUS" } }).pipe(
        HttpClientRequest.bearerToken(accessToken)
      )
    )
  const upload = Effect.fn(function* (category: Category, bytes: Uint8Array) {
    const begun = yield* initialize(category, bytes.byteLength)
    const id: string = begun.body.data.id
    yield* append(id, 0, bytes)
    const { body } = yield* finalize(id)
    return { id, data: body.data }
  })
  const tweet = (media_ids: ReadonlyArray<string>, text?: string) =>
    post("tweets", { ...(text === undefined ? {} : { text }), media: { media_ids } })
  const timeline = (params: Readonly<Record<string, string>>) =>
    send(
      HttpClientRequest.get(url(`users/${account.accountId}/tweets`), { urlParams: params }).pipe(
        HttpClientRequest.bearerToken(accessToken)
      )
    )
  const multipart = (path: string, fields: Readonly<Record<string, string>>, media: Uint8Array) => {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    form.append("media", new Blob([Buffer.from(media)]))
    return send(
      HttpClientRequest.post(url(path)).pipe(
        HttpClientRequest.bearerToken(accessToken),
        HttpClientRequest.bodyFormData(form)
      )
    )
  }
  const inject = (fault: Fault) => sandbox.faults.add({ platform: "twitter", call: "upload", fault })
  return { sandbox, append, finalize, inject, initialize, multipart, post, status, timeline, tweet, upload }
})

const detail = ({ body }: { readonly body: { readonly errors: ReadonlyArray<{ readonly message: string }> } }) =>
  body.errors.map(({ message }) => message).join("; ")

describe("The sandbox's media upload on X", () => {
  it.effect("An image is uploaded in segments, described, and posted", () =>
    Effect.gen(function* () {
      const { append, finalize, initialize, post, sandbox, timeline, tweet } = yield* twitter()
      const begun = yield* initialize("tweet_image", png.byteLength)
      const { expires_after_secs, id, media_key } = begun.body.data
      assert.strictEqual(expires_after_secs, 1_295_999)
      assert.strictEqual(media_key, `3_${id}`)
      assert.strictEqual((yield* append(id, 1, png.subarray(40))).status, 200)
      assert.strictEqual((yield* append(id, 0, png.subarray(0, 40))).status, 200)
      const { body } = yield* finalize(id)
      assert.strictEqual(body.data.expires_after_secs, 86_400)
      assert.isUndefined(body.data.processing_info)
      const described = yield* post("media/metadata", { id, metadata: { alt_text: { text: "A pixel" } } })
      assert.strictEqual(described.status, 200)
      const posted = yield* tweet([id], "Look")
      assert.strictEqual(posted.status, 201)
      assert.match(posted.body.data.text, /^Look https:\/\/t\.co\/\w{10}$/)
      const page = yield* timeline({ expansions: "attachments.media_keys", "media.fields": "alt_text" })
      assert.deepStrictEqual(page.body.data[0].attachments, { media_keys: [media_key] })
      assert.deepStrictEqual(page.body.includes.media, [{ media_key, type: "photo", alt_text: "A pixel" }])
      assert.strictEqual(page.body.data[0].entities.urls[0].media_key, media_key)
      assert.isUndefined((yield* timeline({})).body.data[0].attachments)
      assert.deepStrictEqual((yield* sandbox.file(`x-${id}`))?.bytes, png)
    }).pipe(Effect.provide(world()))
  )

  it.effect("A segment of more than 2 MiB is refused without a word, as by what is in front of X", () =>
    Effect.gen(function* () {
      const { initialize, multipart } = yield* twitter()
      const most = 2 * 1024 * 1024
      const { id } = (yield* initialize("tweet_video", 2 * most)).body.data
      const append = (bytes: number) =>
        multipart(`media/upload/${id}/append`, { segment_index: "0" }, new Uint8Array(bytes))
      const { body, status } = yield* append(most + 1)
      assert.deepStrictEqual([status, body], [413, undefined])
      assert.strictEqual((yield* append(most)).status, 200)
    }).pipe(Effect.provide(world()))
  )

  it.effect("One request uploads an image, and multipart works as JSON does", () =>
    Effect.gen(function* () {
      const { append, finalize, initialize, multipart, post, tweet } = yield* twitter()
      const one = yield* post("media/upload", { media: toBase64(png), media_category: "tweet_image" })
      const two = yield* multipart("media/upload", { media_category: "tweet_image" }, png)
      const begun = yield* initialize("tweet_image", png.byteLength)
      const { id } = begun.body.data
      assert.strictEqual((yield* multipart(`media/upload/${id}/append`, { segment_index: "0" }, png)).status, 200)
      // The same segment again is no error, as after a lost response; other bytes are.
      assert.strictEqual((yield* append(id, 0, png)).status, 200)
      assert.strictEqual((yield* append(id, 0, png.subarray(1))).status, 400)
      assert.strictEqual((yield* finalize(id)).status, 200)
      assert.strictEqual((yield* tweet([one.body.data.id, two.body.data.id, id])).status, 201)
    }).pipe(Effect.provide(world()))
  )

  it.effect("What is not of its category, too large, incomplete or another file than it said is refused", () =>
    Effect.gen(function* () {
      const { append, finalize, initialize, multipart } = yield* twitter()
      assert.include(detail(yield* initialize("tweet_image", 10, "video/mp4")), "not of category")
      assert.include(detail(yield* initialize("tweet_image", 10, "image/svg+xml")), "not of category")
      assert.include(detail(yield* initialize("tweet_image", 5_000_001)), "exceeds")
      assert.include(detail(yield* initialize("tweet_gif", 15_000_001)), "exceeds")
      assert.include(detail(yield* initialize("tweet_video", 16_000_000_001)), "exceeds")
      const begun = yield* initialize("tweet_image", png.byteLength)
      const { id } = begun.body.data
      assert.include(detail(yield* finalize(id)), "segment [0] is missing")
      yield* append(id, 1, png.subarray(40))
      assert.include(detail(yield* finalize(id)), "segment [0] is missing")
      yield* append(id, 0, png.subarray(0, 30))
      assert.include(detail(yield* finalize(id)), "do not add up to provided total")
      assert.strictEqual((yield* append(id, 1000, png)).status, 400)
      assert.strictEqual((yield* append(id, 2, new Uint8Array())).status, 400)
      assert.strictEqual((yield* multipart(`media/upload/${id}/append`, {}, png)).status, 400)
      assert.include(detail(yield* append("1", 0, png)), "Could not find media")
      const other = yield* initialize("tweet_image", 10, "image/jpeg")
      yield* append(other.body.data.id, 0, png.subarray(0, 10))
      assert.include(detail(yield* finalize(other.body.data.id)), "unrecognized")
    }).pipe(Effect.provide(world()))
  )

  it.effect("A video is processed for a while, and can't be posted before", () =>
    Effect.gen(function* () {
      const { inject, status, tweet, upload } = yield* twitter()
      yield* inject({ kind: "delay", ms: 0 })
      yield* inject({ kind: "delay", ms: 0 })
      yield* inject({ kind: "processing", ms: 10_000 })
      const { data, id } = yield* upload("tweet_video", mp4(1000))
      assert.deepStrictEqual(data.processing_info, { state: "pending", check_after_secs: 10 })
      yield* TestClock.adjust("6 seconds")
      assert.deepStrictEqual((yield* status(id)).body.data.processing_info, {
        state: "in_progress",
        check_after_secs: 4
      })
      assert.include(detail(yield* tweet([id])), "media IDs are invalid")
      yield* TestClock.adjust("4 seconds")
      assert.strictEqual((yield* status(id)).body.data.processing_info.state, "succeeded")
      assert.strictEqual((yield* tweet([id])).status, 201)
    }).pipe(Effect.provide(world()))
  )

  it.effect("Processing fails where a fault orders it", () =>
    Effect.gen(function* () {
      const { inject, status, tweet, upload } = yield* twitter()
      yield* inject({ kind: "delay", ms: 0 })
      yield* inject({ kind: "delay", ms: 0 })
      yield* inject({ kind: "processing", ms: 0, error: "Unsupported codec" })
      const { id } = yield* upload("tweet_gif", gif(1000))
      const { processing_info } = (yield* status(id)).body.data
      assert.strictEqual(processing_info.state, "failed")
      assert.strictEqual(processing_info.error.message, "Unsupported codec")
      assert.include(detail(yield* tweet([id])), "media IDs are invalid")
    }).pipe(Effect.provide(world()))
  )

  it.effect("A post has four photos, or one GIF, or one video", () =>
    Effect.gen(function* () {
      const { tweet, upload } = yield* twitter()
      const photos = yield* Effect.forEach([1, 2, 3, 4, 5], () => upload("tweet_image", png))
      const [first, second, ...rest] = photos.map(({ id }) => id)
      const clip = yield* upload("tweet_gif", gif(1000))
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* tweet([first ?? "", second ?? "", ...rest])).status, 400)
      assert.include(detail(yield* tweet([first ?? "", clip.id])), "at most 4 photos")
      assert.include(detail(yield* tweet([first ?? "", first ?? ""])), "media IDs are invalid")
      assert.strictEqual((yield* tweet([])).status, 400)
      assert.strictEqual((yield* tweet([second ?? "", ...rest])).status, 201)
      assert.strictEqual((yield* tweet([clip.id])).status, 201)
    }).pipe(Effect.provide(world()))
  )

  it.effect("Media is used once, by its owner, and within 24 hours", () =>
    Effect.gen(function* () {
      const { tweet, upload } = yield* twitter()
      const other = yield* twitter("other")
      const { id } = yield* upload("tweet_image", png)
      assert.include(detail(yield* other.tweet([id])), "media IDs are invalid")
      assert.strictEqual((yield* tweet([id])).status, 201)
      assert.include(detail(yield* tweet([id])), "media IDs are invalid")
      const late = yield* upload("tweet_image", png)
      yield* TestClock.adjust(Duration.hours(1))
      yield* TestClock.adjust(Duration.hours(23))
      assert.strictEqual((yield* tweet([late.id])).status, 401)
    }).pipe(Effect.provide(world()))
  )
})
