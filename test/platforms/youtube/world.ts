import { Effect, Stream } from "effect"
import type { HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { sendPost } from "../../../src/platforms/carryOut.ts"
import { noFiles } from "../../../src/platforms/MediaFiles.ts"
import type { Account, PlatformFile, PublishRequest, UploadProgress } from "../../../src/platforms/PlatformClient.ts"
import type { PlatformSettings } from "../../../src/domain/posts/platformSettings.ts"
import { mp4, png } from "../../sandbox/sampleFiles.ts"
import { video as facts } from "../../support/mediaChecks.ts"
import { standInWorld } from "../contract/standInWorld.ts"
import { targetId } from "../world.ts"
import { title, youtubeConformance } from "./conformance.ts"

const contents: Readonly<Record<string, Uint8Array>> = { small: mp4(600_000), large: mp4(17_000_000), picture: png }

const fileOf = (hash: string): PlatformFile => ({ ...facts, hash, size: contents[hash]?.byteLength ?? 0, alt: "" })

export const video = fileOf("small")
/** More than a chunk. */
export const largeVideo = fileOf("large")

export const settings: PlatformSettings = { youtube: { title } }

const pictureUrl = "https://a.example/1.png"

/** With a thumbnail that the service has kept. */
export const withThumbnail = (hash = "picture"): PlatformSettings => ({
  youtube: {
    title,
    thumbnail_url: pictureUrl,
    thumbnail: { url: pictureUrl, hash, content_type: "image/png", size: png.byteLength }
  }
})

/** The requests of an upload, as words. */
export const steps = (requests: ReadonlyArray<HttpClientRequest.HttpClientRequest>): ReadonlyArray<string> =>
  requests.flatMap(({ body, method, url }) => {
    if (url.includes("/upload/youtube/v3/videos")) {
      return method === "POST" ? ["start"] : [body._tag === "Stream" ? "bytes" : "question"]
    }
    if (url.endsWith("/thumbnails/set")) return ["thumbnail"]
    return url.endsWith("/youtube/v3/videos") ? [method === "PUT" ? "update" : "state"] : []
  })

/** A channel, its files, and a stand-in that serves it. */
export const channelWorld = Effect.fnUntraced(function* (file = video) {
  const world = yield* standInWorld(youtubeConformance)
  const { adapter } = world
  const account: Account = {
    ...world.account,
    files: {
      ...noFiles,
      read: (hash, { length, offset } = { offset: 0, length: Infinity }) =>
        Stream.make((contents[hash] ?? new Uint8Array()).subarray(offset, offset + length))
    }
  }
  const { upload = () => Effect.die("No upload") } = adapter
  /** Goes on with an upload, until its end if the number of calls is not limited. */
  const uploadFrom = Effect.fnUntraced(function* (progress: UploadProgress, most = 40) {
    let last = progress
    for (let calls = 0; last._tag === "Processing" && calls < most; calls++) {
      yield* TestClock.adjust(last.askAfter)
      last = yield* upload([file], account, last.begun)
    }
    return last
  })
  const uploaded = Effect.gen(function* () {
    const last = yield* uploadFrom(yield* upload([file], account, null))
    return last._tag === "Uploaded" ? last.uploads : yield* Effect.die("It is not uploaded")
  })
  const prepare = (more: Partial<PublishRequest> = {}) =>
    adapter.prepare({ targetId, text: "How we roast", settings, ...more }, account)
  return {
    ...world,
    account,
    upload,
    uploadFrom,
    uploaded,
    prepare,
    /** An uploaded video that is prepared. */
    prepared: Effect.flatMap(uploaded, (uploads) => prepare({ uploads })),
    send: (post: Parameters<typeof sendPost>[1]) => sendPost(adapter, post, account)
  }
})
