import { Effect, Stream } from "effect"
import { TestClock } from "effect/testing"
import { type FileRange, noFiles } from "../../../src/platforms/MediaFiles.ts"
import type { Account, PublishRequest } from "../../../src/platforms/PlatformClient.ts"
import { mp4 } from "../../sandbox/sampleFiles.ts"
import type { Conformance } from "../contract/conformance.ts"
import { standInWorld } from "../contract/standInWorld.ts"
import { targetId } from "../world.ts"
import { tiktokConformance, video } from "./conformance.ts"

/** An account, a video of a size, and a stand-in that serves the account. */
export const tiktokWorld = Effect.fnUntraced(function* (size = 200_000, platform: Conformance = tiktokConformance) {
  const world = yield* standInWorld(platform)
  const bytes = mp4(size)
  /** The parts of the video that were read. */
  const reads: Array<FileRange> = []
  const account: Account = {
    ...world.account,
    files: {
      ...noFiles,
      read: (_, range = { offset: 0, length: size }) => {
        reads.push(range)
        return Stream.make(bytes.subarray(range.offset, range.offset + range.length))
      }
    }
  }
  const request: PublishRequest = {
    targetId,
    text: "How we roast",
    settings: { tiktok: { privacy_level: "PUBLIC_TO_EVERYONE" } },
    uploads: { video: { ...video, size } }
  }
  return {
    ...world,
    account,
    bytes,
    reads,
    request,
    /** One call of `prepare`. */
    prepareOnce: (more: Partial<PublishRequest> = {}) => world.adapter.prepare({ ...request, ...more }, account),
    prepare: (more: Partial<PublishRequest> = {}) => world.prepare({ ...request, ...more }, account),
    chunks: () => world.requests.filter(({ method }) => method === "PUT"),
    asked: (path: string) => world.requests.filter(({ url }) => url.endsWith(`/${path}/`))
  }
})

export const wait = TestClock.adjust
