import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { HttpClientRequest } from "effect/http"
import { Sandbox } from "../../../../src/sandbox/Sandbox.ts"
import { world } from "../../world.ts"
import { postJson, send } from "../../../sandbox/requests.ts"
import { mp4, png } from "../../../sandbox/sampleFiles.ts"

const bluesky = Effect.fn(function* (seed = "acme") {
  const sandbox = yield* Sandbox
  const account = yield* sandbox.connect("bluesky", seed)
  const { accessJwt } = JSON.parse(Redacted.value(account.credentials))
  const method = (name: string) => `${sandbox.apiUrls.bluesky}/xrpc/com.atproto.repo.${name}`
  const put = (embed: object) =>
    send(
      postJson(method("putRecord"), accessJwt, {
        repo: account.accountId,
        collection: "app.bsky.feed.post",
        rkey: "3lacsy4tuss2a",
        swapRecord: null,
        record: { $type: "app.bsky.feed.post", text: "", createdAt: "2030-01-31T12:00:00.000Z", embed }
      })
    )
  const upload = (bytes: Uint8Array, contentType: string) =>
    Effect.map(
      send(
        HttpClientRequest.post(method("uploadBlob")).pipe(
          HttpClientRequest.bearerToken(accessJwt),
          HttpClientRequest.bodyUint8Array(bytes, contentType)
        )
      ),
      ({ body, status }) => ({ status, error: body.error, blob: body.blob })
    )
  return { sandbox, put, upload }
})

const images = (...list: ReadonlyArray<object>) => ({ $type: "app.bsky.embed.images", images: list })
const external = (more: object = {}) => ({
  $type: "app.bsky.embed.external",
  external: { uri: "https://example.com/", title: "Example", description: "", ...more }
})

describe("The sandbox's blobs on Bluesky", () => {
  it.effect("The same bytes have the same reference, the real one of the protocol", () =>
    Effect.gen(function* () {
      const { sandbox, upload } = yield* bluesky()
      const { blob } = yield* upload(new TextEncoder().encode("hello world"), "text/plain")
      assert.deepStrictEqual(blob, {
        $type: "blob",
        ref: { $link: "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e" },
        mimeType: "text/plain",
        size: 11
      })
      const first = yield* upload(png, "application/octet-stream")
      assert.strictEqual(first.blob.mimeType, "image/png")
      assert.deepStrictEqual((yield* upload(png, "image/png")).blob, first.blob)
      assert.deepStrictEqual((yield* sandbox.file(first.blob.ref.$link))?.bytes, png)
    }).pipe(Effect.provide(world()))
  )

  it.effect("A post has up to four images, a video or a link card", () =>
    Effect.gen(function* () {
      const { put, sandbox, upload } = yield* bluesky()
      const { blob } = yield* upload(png, "image/png")
      const picture = { image: blob, alt: "A pixel", aspectRatio: { width: 1, height: 1 } }
      assert.strictEqual((yield* put(images(picture, picture, picture, picture, picture))).status, 400)
      assert.strictEqual((yield* put(images())).status, 400)
      assert.strictEqual((yield* put(images({ image: blob }))).status, 400)
      assert.strictEqual((yield* put(images({ image: blob, alt: "" }, picture))).status, 200)
      const [post] = yield* sandbox.posts
      const id = blob.ref.$link
      assert.deepStrictEqual(post?.media, [
        { id, type: "image", alt: "" },
        { id, type: "image", alt: "A pixel" }
      ])
    }).pipe(Effect.provide(world()))
  )

  it.effect("A video is an MP4, and what is of another type or too large is refused", () =>
    Effect.gen(function* () {
      const { put, sandbox, upload } = yield* bluesky()
      const picture = yield* upload(png, "image/png")
      const video = yield* upload(mp4(1000), "video/mp4")
      const large = yield* upload(new Uint8Array(1_000_001), "image/png")
      assert.include((yield* put(images({ image: video.blob, alt: "" }))).body.message, "blob of type image/*")
      assert.include(
        (yield* put({ $type: "app.bsky.embed.video", video: picture.blob })).body.message,
        "blob of type video/mp4"
      )
      assert.include((yield* put(external({ thumb: large.blob }))).body.message, "blob too big (maximum 1000000")
      assert.include(
        (yield* put(images({ image: { ...picture.blob, size: 2_000_001 }, alt: "" }))).body.message,
        "too big"
      )
      // An alternative text has no limit of its own.
      const alt = "A harbor at dawn. ".repeat(100)
      assert.strictEqual((yield* put({ $type: "app.bsky.embed.video", video: video.blob, alt })).status, 200)
      assert.strictEqual((yield* sandbox.posts)[0]?.media?.[0]?.type, "video")
    }).pipe(Effect.provide(world()))
  )

  it.effect("A link card has a title and a description, and may have a picture", () =>
    Effect.gen(function* () {
      const { put, sandbox, upload } = yield* bluesky()
      const { blob } = yield* upload(png, "image/png")
      assert.strictEqual(
        (yield* put({ $type: "app.bsky.embed.external", external: { uri: "https://a.b" } })).status,
        400
      )
      assert.strictEqual((yield* put(external({ uri: "no uri" }))).status, 400)
      assert.strictEqual((yield* put(external({ thumb: blob }))).status, 200)
      assert.deepStrictEqual((yield* sandbox.posts)[0]?.card, {
        url: "https://example.com/",
        title: "Example",
        description: "",
        thumb: blob.ref.$link
      })
    }).pipe(Effect.provide(world()))
  )

  it.effect("A record refers to blobs that its own account has uploaded, as they are", () =>
    Effect.gen(function* () {
      const { put, upload } = yield* bluesky()
      const other = yield* bluesky("other")
      const { blob } = yield* upload(png, "image/png")
      const unknown = yield* other.put(images({ image: blob, alt: "" }))
      assert.strictEqual(unknown.status, 400)
      assert.strictEqual(unknown.body.error, "BlobNotFound")
      const mistyped = yield* put(images({ image: { ...blob, mimeType: "image/jpeg" }, alt: "" }))
      assert.strictEqual(mistyped.body.error, "InvalidMimeType")
      const resized = yield* put(images({ image: { ...blob, size: blob.size + 1 }, alt: "" }))
      assert.strictEqual(resized.body.error, "InvalidSize")
    }).pipe(Effect.provide(world()))
  )

  it.effect(
    "Where a fault drops the bytes of temporary blobs, a put fails as on a real PDS until they are uploaded again",
    () =>
      Effect.gen(function* () {
        const { put, sandbox, upload } = yield* bluesky()
        const { blob } = yield* upload(png, "image/png")
        const embed = images({ image: blob, alt: "" })
        yield* sandbox.faults.add({ platform: "bluesky", fault: { kind: "lost_blobs" } })
        const lost = yield* put(embed)
        assert.strictEqual(lost.status, 500)
        assert.strictEqual(lost.body.error, "InternalServerError")
        assert.strictEqual((yield* put(embed)).status, 500)
        assert.deepStrictEqual((yield* upload(png, "image/png")).blob, blob)
        assert.strictEqual((yield* put(embed)).status, 200)
        // What a record has is not temporary any more.
        yield* sandbox.faults.add({ platform: "bluesky", fault: { kind: "lost_blobs" } })
        assert.strictEqual((yield* put(embed)).status, 200)
        assert.strictEqual((yield* sandbox.accepted).bluesky, 1)
      }).pipe(Effect.provide(world()))
  )
})
