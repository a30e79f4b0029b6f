import { noFiles } from "../../../src/platforms/MediaFiles.ts"
import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { sendPost } from "../../../src/platforms/carryOut.ts"
import type { Account, PlatformFile } from "../../../src/platforms/PlatformClient.ts"
import { gif, mov, mp4, png, webm } from "../../sandbox/sampleFiles.ts"
import { imageFacts } from "../../support/database/mediaFixtures.ts"
import { connected, outcome, statusFault, targetId, uploadThrough, world } from "../world.ts"

const video: PlatformFile = {
  ...imageFacts,
  type: "video",
  contentType: "video/mp4",
  size: 4000,
  hash: "a video",
  alt: "A walk"
}

const animation: PlatformFile = { ...video, type: "gif", contentType: "image/gif" }
const recording: PlatformFile = { ...video, contentType: "video/webm" }
const clip: PlatformFile = { ...video, contentType: "video/quicktime" }

const setup = (bytes = mp4(4000), file = video) =>
  Effect.gen(function* () {
    const bluesky = yield* connected("bluesky")
    const account: Account = { ...bluesky.account, files: { ...noFiles, read: () => Stream.make(bytes) } }
    /** While the video is processed, the test's clock moves on. */
    const upload = Effect.gen(function* () {
      const uploading = yield* Effect.forkChild(uploadThrough(bluesky.adapter, [file], account))
      const turning = yield* Effect.forkChild(Effect.forever(Effect.andThen(Effect.yieldNow, TestClock.adjust(100))))
      return yield* Effect.ensuring(Fiber.join(uploading), Fiber.interrupt(turning))
    })
    const publish = Effect.gen(function* () {
      const prepared = yield* bluesky.adapter.prepare(
        { targetId, text: "Hello", settings: {}, uploads: yield* upload },
        account
      )
      return { prepared, publication: yield* sendPost(bluesky.adapter, prepared, account) }
    })
    return { ...bluesky, account, upload, publish }
  })

describe("videos on Bluesky", () => {
  it.effect("The video service processes a video, and the post shows what it made of it", () =>
    Effect.gen(function* () {
      const { posts, publish, sandbox } = yield* setup()
      yield* publish
      const [post] = yield* posts
      assert.deepStrictEqual(
        post?.media?.map(({ alt, type }) => [type, alt]),
        [["video", "A walk"]]
      )
      const file = yield* sandbox.file(post?.media?.[0]?.id ?? "")
      // The service's own bytes, and not those that were uploaded.
      assert.strictEqual(file?.bytes.byteLength, 4008)
    }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    ["A GIF", gif(4000), animation, "gif"],
    ["A QuickTime file", mov(4000), clip, "video"],
    ["A WebM file", webm(4000), recording, "video"]
  ] as const)("%s goes through the video service, and is shown as what it is", ([, bytes, file, type]) =>
    Effect.gen(function* () {
      const { posts, publish } = yield* setup(bytes, file)
      const { prepared } = yield* publish
      const [post] = yield* posts
      assert.deepStrictEqual(
        post?.media?.map((one) => [one.type, one.alt]),
        [[type, "A walk"]]
      )
      assert.strictEqual(JSON.stringify(prepared).includes('"presentation":"gif"'), type === "gif")
      assert.include(JSON.stringify(prepared), '"mimeType":"video/mp4"')
    }).pipe(Effect.provide(world()))
  )

  it.effect("A video that the service knows already is not processed again, and gets the same reference", () =>
    Effect.gen(function* () {
      const { upload } = yield* setup()
      assert.deepStrictEqual(yield* upload, yield* upload)
    }).pipe(Effect.provide(world()))
  )

  it.effect("A video whose blob was dropped before the send is uploaded again, and the post is sent", () =>
    Effect.gen(function* () {
      const { injectFault, posts, publish } = yield* setup()
      yield* injectFault({ kind: "lost_blobs" })
      const sending = yield* Effect.forkChild(publish)
      const turning = yield* Effect.forkChild(Effect.forever(Effect.andThen(Effect.yieldNow, TestClock.adjust(100))))
      yield* Effect.ensuring(Fiber.join(sending), Fiber.interrupt(turning))
      assert.lengthOf(yield* posts, 1)
    }).pipe(Effect.provide(world()))
  )

  it.effect("A video that can't be processed is refused with the service's reason", () =>
    Effect.gen(function* () {
      const { injectFault, upload } = yield* setup()
      yield* injectFault({ kind: "delay", ms: 0 }, "upload")
      yield* injectFault({ kind: "processing", ms: 3000, error: "no video track" }, "upload")
      const error = yield* Effect.flip(upload)
      assert.deepStrictEqual([error._tag, error.message.includes("no video track")], ["Rejected", true])
    }).pipe(Effect.provide(world()))
  )

  it.effect("A video whose job failed for a reason of the service is processed again", () =>
    Effect.gen(function* () {
      const { injectFault, publish, posts } = yield* setup()
      yield* injectFault({ kind: "delay", ms: 0 }, "upload")
      yield* injectFault({ kind: "processing", error: "try again", code: "generic_failure" }, "upload")
      yield* publish
      assert.lengthOf(yield* posts, 1)
    }).pipe(Effect.provide(world()))
  )

  it.effect("A video whose jobs keep failing is refused with the service's reason after the fourth", () =>
    Effect.gen(function* () {
      const { injectFault, upload } = yield* setup()
      yield* injectFault({ kind: "processing", error: "no luck", code: "pds_upload_failure" }, "upload", 1000)
      const begin = yield* Clock.currentTimeMillis
      const error = yield* Effect.flip(upload)
      assert.deepStrictEqual([error._tag, error.message.includes("no luck")], ["Rejected", true])
      assert.isAtLeast((yield* Clock.currentTimeMillis) - begin, 315_000)
    }).pipe(Effect.provide(world()))
  )

  const blob = {
    $type: "blob",
    ref: { $link: "bafkreieq5jui4j25lacwomsqgjeswwl3y5zcdrresptwgmfylxo2depppq" },
    mimeType: "video/mp4",
    size: 1
  }
  it.effect.each([
    ["an upload", 1, 409, { jobId: "a", did: "did:a", state: "JOB_STATE_FAILED", error: "already_exists", blob }],
    ["a look", 2, 200, { jobStatus: { jobId: "a", state: "JOB_STATE_FAILED", error: "already_exists", blob } }],
    ["a look", 2, 200, { jobStatus: { jobId: "a", state: "JOB_STATE_FAILED", failureCode: "encoding_failure", blob } }],
    ["a look", 2, 200, { jobStatus: { jobId: "a", state: "JOB_STATE_SOMETHING", blob } }]
  ] as const)("The blob in the answer to %s counts whatever its job's state", ([, before, status, body]) =>
    Effect.gen(function* () {
      const { injectFault, upload } = yield* setup()
      yield* injectFault({ kind: "delay", ms: 0 }, "upload", before)
      yield* injectFault(statusFault(status, { body: JSON.stringify(body) }), "upload")
      assert.include(JSON.stringify(yield* upload), blob.ref.$link)
    }).pipe(Effect.provide(world()))
  )

  it.effect("A known video's job that the answer marks as failed is asked for its blob", () =>
    Effect.gen(function* () {
      const { account, injectFault, posts, publish, upload } = yield* setup()
      yield* upload
      yield* injectFault({ kind: "delay", ms: 0 }, "upload")
      const jobId = createHash("sha256").update(account.accountId).update(mp4(4000)).digest("hex").slice(0, 22)
      const body = JSON.stringify({ jobId, state: "JOB_STATE_FAILED", error: "already_exists" })
      yield* injectFault(statusFault(409, { body }), "upload")
      yield* publish
      assert.lengthOf(yield* posts, 1)
    }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    [
      "unconfirmed_email",
      400,
      { jobStatus: { jobId: "", did: "", state: "JOB_STATE_FAILED", error: "unconfirmed_email" } }
    ],
    ["unconfirmed_email", 401, { jobId: "", error: "unconfirmed_email", message: "Unconfirmed" }],
    ["unconfirmed_email", 200, { jobStatus: { jobId: "", error: "unconfirmed_email" } }]
  ] as const)("An account whose e-mail address is not confirmed is told so: %s with %i", ([, status, body]) =>
    Effect.gen(function* () {
      const { injectFault, upload } = yield* setup()
      yield* injectFault({ kind: "delay", ms: 0 }, "upload")
      yield* injectFault(statusFault(status, { body: JSON.stringify(body) }), "upload")
      const error = yield* Effect.flip(upload)
      assert.deepStrictEqual(
        [error._tag, error.message.includes("Confirm your email address in Bluesky")],
        ["Rejected", true]
      )
    }).pipe(Effect.provide(world()))
  )

  it.effect("An account without a profile is told so", () =>
    Effect.gen(function* () {
      const { injectFault, upload } = yield* setup()
      yield* injectFault({ kind: "delay", ms: 0 }, "upload")
      const body = JSON.stringify({ jobStatus: { jobId: "", error: "profile_not_found" } })
      yield* injectFault(statusFault(400, { body }), "upload")
      const error = yield* Effect.flip(upload)
      assert.deepStrictEqual([error._tag, error.message.includes("profile")], ["Rejected", true])
    }).pipe(Effect.provide(world()))
  )

  it.effect("What is not a video is refused", () =>
    Effect.gen(function* () {
      const { upload } = yield* setup(new Uint8Array(Buffer.concat([png, Buffer.alloc(4000 - png.length)])))
      assert.strictEqual(yield* outcome(upload), "Rejected")
    }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    ["the PDS does not let the service upload", 0, 503],
    ["the service does not take the video", 1, 503],
    ["the service knows the video and names no job", 1, 409],
    ["the job's state can't be read", 2, 503]
  ] as const)("Where %s, the upload is tried again later", ([, before, status]) =>
    Effect.gen(function* () {
      const { injectFault, upload } = yield* setup()
      for (let call = 0; call < before; call++) yield* injectFault({ kind: "delay", ms: 0 }, "upload")
      yield* injectFault(statusFault(status), "upload")
      assert.strictEqual(yield* outcome(upload), "Unavailable")
    }).pipe(Effect.provide(world()))
  )
})
