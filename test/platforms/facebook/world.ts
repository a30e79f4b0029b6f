import { Effect, Stream } from "effect"
import { TestClock } from "effect/testing"
import { sendPost } from "../../../src/platforms/carryOut.ts"
import { noFiles } from "../../../src/platforms/MediaFiles.ts"
import type { Account, PlatformFile, PublishRequest, UploadProgress } from "../../../src/platforms/PlatformClient.ts"
import { image } from "../../support/mediaChecks.ts"
import { mp4, png } from "../../sandbox/sampleFiles.ts"
import type { Conformance } from "../contract/conformance.ts"
import { standInWorld } from "../contract/standInWorld.ts"
import { targetId } from "../world.ts"
import { facebookConformance } from "./conformance.ts"

const videoBytes = mp4(200_000)

export const picture: PlatformFile = { ...image, hash: "a", alt: "A drop" }
/** An upright video, which becomes a reel. */
export const video: PlatformFile = {
  ...image,
  hash: "video",
  type: "video",
  contentType: "video/mp4",
  size: videoBytes.byteLength,
  width: 1080,
  height: 1920,
  alt: ""
}
export const wideVideo: PlatformFile = { ...video, width: 1920, height: 1080 }

/** A Page, its files, and a stand-in that serves it. */
export const pageWorld = Effect.fnUntraced(function* (platform: Conformance = facebookConformance) {
  const world = yield* standInWorld(platform)
  const { adapter } = world
  const account: Account = {
    ...world.account,
    files: {
      ...noFiles,
      read: (hash, range) => {
        const bytes = hash === "video" ? videoBytes : new Uint8Array(png)
        return Stream.make(range === undefined ? bytes : bytes.subarray(range.offset, range.offset + range.length))
      }
    }
  }
  const { upload = () => Effect.die("No upload") } = adapter
  /** Uploads files, and returns the progress of each call. */
  const uploadAll = Effect.fnUntraced(function* (files: ReadonlyArray<PlatformFile>) {
    const progress: Array<UploadProgress> = [yield* upload(files, account, null)]
    for (let last = progress.at(-1); last?._tag === "Processing" && progress.length < 20; last = progress.at(-1)) {
      yield* TestClock.adjust(last.askAfter)
      progress.push(yield* upload(files, account, last.begun))
    }
    return progress
  })
  const prepare = (more: Partial<PublishRequest> = {}) =>
    adapter.prepare({ targetId, text: "Hello", settings: {}, ...more }, account)
  return {
    ...world,
    account,
    upload,
    uploadAll,
    /** The references to the uploaded files. */
    uploadsOf: (files: ReadonlyArray<PlatformFile>) =>
      Effect.flatMap(uploadAll(files), (progress) => {
        const last = progress.at(-1)
        return last?._tag === "Uploaded" ? Effect.succeed(last.uploads) : Effect.die("It is not uploaded")
      }),
    prepare,
    publish: (more?: Partial<PublishRequest>) =>
      Effect.flatMap(prepare(more), (prepared) => sendPost(adapter, prepared, account))
  }
})
