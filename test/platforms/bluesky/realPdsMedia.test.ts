import { noFiles } from "../../../src/platforms/MediaFiles.ts"
import { AppBskyEmbedImages, AppBskyEmbedVideo } from "@atproto/api"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Option, Stream } from "effect"
import { TestClock } from "effect/testing"
import { sendPost } from "../../../src/platforms/carryOut.ts"
import type { Account, PlatformFile, Uploads } from "../../../src/platforms/PlatformClient.ts"
import { mp4, png } from "../../sandbox/sampleFiles.ts"
import { imageFacts } from "../../support/database/mediaFixtures.ts"
import { outcome, start, uploadThrough } from "../world.ts"
import { member, nextTarget, pdsWorld, putRecord } from "./pdsWorld.ts"

const uploadBlob = "com.atproto.repo.uploadBlob"

/** Images that differ, by the text after their last chunk. */
const image = (text: string) => Buffer.concat([png, Buffer.from(text)])
const bytesOf = (hash: string): Uint8Array => (hash === "video" ? mp4(4000) : image(hash))

const imageFile = (hash: string, alt = ""): PlatformFile => ({
  ...imageFacts,
  size: bytesOf(hash).byteLength,
  width: 1600,
  height: 900,
  hash,
  alt
})
const videoFile: PlatformFile = {
  ...imageFile("video", "A walk"),
  type: "video",
  contentType: "video/mp4",
  durationMs: 1000
}

const setup = Effect.gen(function* () {
  yield* TestClock.setTime(DateTime.toEpochMillis(start))
  const found = yield* member
  const account: Account = {
    ...found.account,
    files: { ...noFiles, read: (hash) => Stream.suspend(() => Stream.make(bytesOf(hash))) }
  }
  const { adapter } = found
  const upload = (files: ReadonlyArray<PlatformFile>) => uploadThrough(adapter, files, account)
  const prepare = (uploads: Uploads, text = "Hello") =>
    adapter.prepare({ targetId: nextTarget(), text, settings: {}, uploads }, account)
  const prepared = (...files: ReadonlyArray<PlatformFile>) =>
    Effect.flatMap(upload(files), (uploads) => prepare(uploads))
  return {
    ...found,
    account,
    prepare,
    prepared,
    upload: (...files: ReadonlyArray<PlatformFile>) => upload(files),
    publish: (post: Uploads) => sendPost(adapter, post, account),
    reconcile: (post: Uploads, sentAt: DateTime.Utc) => adapter.reconcile(post, account, sentAt)
  }
})

layer(pdsWorld())("media on a real PDS", (it) => {
  it.effect(
    "Four images are shown in their order, with alternative texts and aspect ratios, and the text may be blank",
    () =>
      Effect.gen(function* () {
        const { posts, prepare, publish, upload } = yield* setup
        const uploads = yield* upload(
          ...["a", "b", "c", "d"].map((name) => imageFile(name, name === "d" ? "" : `Image ${name}`))
        )
        yield* publish(yield* prepare(uploads, ""))
        const embed = (yield* posts)[0]?.value.embed
        assert.isTrue(AppBskyEmbedImages.isMain(embed) && AppBskyEmbedImages.validateMain(embed).success)
        const images = AppBskyEmbedImages.isMain(embed) ? embed.images : []
        assert.deepStrictEqual(
          images.map(({ alt, image: blob }) => [alt, blob.mimeType, blob.size]),
          ["Image a", "Image b", "Image c", ""].map((alt) => [alt, "image/png", png.byteLength + 1])
        )
        assert.deepStrictEqual(images[0]?.aspectRatio, { width: 1600, height: 900 })
      })
  )

  it.effect("A fifth image is refused by the PDS, which the rules of media know before", () =>
    Effect.gen(function* () {
      const { posts, prepared, publish } = yield* setup
      const post = yield* prepared(...["a", "b", "c", "d", "e"].map((name) => imageFile(name)))
      assert.strictEqual(yield* outcome(publish(post)), "Rejected")
      assert.lengthOf(yield* posts, 0)
    })
  )

  it.effect("A video is put as the PDS's own blob where no video service is configured", () =>
    Effect.gen(function* () {
      const { posts, prepared, publish } = yield* setup
      yield* publish(yield* prepared(videoFile))
      const embed = (yield* posts)[0]?.value.embed
      assert.isTrue(AppBskyEmbedVideo.isMain(embed))
      const video = AppBskyEmbedVideo.isMain(embed) ? embed : undefined
      assert.deepStrictEqual([video?.alt, video?.video.mimeType, video?.video.size], ["A walk", "video/mp4", 4000])
    })
  )

  it.effect.each([
    ["images", [imageFile("lost", "A cat")]],
    ["a video", [videoFile]]
  ] satisfies Array<[string, Array<PlatformFile>]>)(
    "A post with %s is published although the PDS has dropped them since",
    ([, files]) =>
      Effect.gen(function* () {
        const { pds, posts, prepared, publish } = yield* setup
        const post = yield* prepared(...files)
        yield* pds.dropTemporaryBlobs
        assert.strictEqual(yield* outcome(publish(post)), "success")
        assert.lengthOf(yield* posts, 1)
      })
  )

  it.effect.each(["before the server", "before the response"] as const)(
    "A put that was cut off %s is repeated with the same files",
    (cut) =>
      Effect.gen(function* () {
        const { pds, posts, prepared, publish, reconcile, relay } = yield* setup
        const post = yield* prepared(imageFile(`cut ${cut}`))
        const sentAt = yield* DateTime.now
        yield* relay.cutNext(putRecord, cut)
        assert.strictEqual(yield* outcome(publish(post)), "OutcomeUnknown")
        yield* pds.dropTemporaryBlobs
        assert.strictEqual(yield* outcome(reconcile(post, sentAt)), "success")
        assert.strictEqual(yield* outcome(reconcile(post, sentAt)), "success")
        assert.lengthOf(yield* posts, 1)
      })
  )

  it.effect("An upload that is cut off before a put sends nothing, and is tried again", () =>
    Effect.gen(function* () {
      const { posts, prepared, publish, relay } = yield* setup
      const post = yield* prepared(imageFile("upload cut"))
      yield* relay.cutNext(uploadBlob, "before the response")
      assert.strictEqual(yield* outcome(publish(post)), "Unavailable")
      assert.lengthOf(yield* posts, 0)
      assert.strictEqual(yield* outcome(publish(post)), "success")
    })
  )

  it.effect("Files that changed in the store never replace the ones that may have been sent", () =>
    Effect.gen(function* () {
      const { account, adapter, posts, prepared, publish, reconcile, relay } = yield* setup
      const post = yield* prepared(imageFile("changed"))
      const sentAt = yield* DateTime.now
      const other: Account = { ...account, files: { ...noFiles, read: () => Stream.make(image("other")) } }
      assert.strictEqual(yield* outcome(sendPost(adapter, post, other)), "UploadsGone")
      yield* relay.cutNext(putRecord, "before the server")
      assert.strictEqual(yield* outcome(publish(post)), "OutcomeUnknown")
      const error = yield* Effect.flip(adapter.reconcile(post, other, sentAt))
      assert.deepStrictEqual(
        [error._tag, error._tag === "OutcomeUnknown" && error.conclusive === true],
        ["OutcomeUnknown", true]
      )
      assert.strictEqual(yield* outcome(reconcile(post, sentAt)), "success")
      assert.lengthOf(yield* posts, 1)
      const found = yield* adapter.find(post, account, sentAt)
      assert.isTrue(Option.isSome(found))
    })
  )
})
