import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Stream } from "effect"
import { mkdtemp, open, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { processVideo } from "../../../src/media/process/child/video.ts"
import { findMetadata } from "../../../src/media/process/child/videoMetadata.ts"
import { eraseBytes } from "../../../src/media/process/eraseBytes.ts"
import { extendedVideo, fragmentedVideo, locatedVideo, shortVideo, videoWith } from "../sampleFiles.ts"

const place = "+51.5074-000.1278/"

/** Stores a file for as long as the scope is open. */
const store = Effect.fnUntraced(function* (bytes: Buffer) {
  const directory = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(path.join(tmpdir(), "video-"))),
    (made) => Effect.promise(() => rm(made, { recursive: true }))
  )
  const file = path.join(directory, "video")
  yield* Effect.promise(() => writeFile(file, bytes))
  return file
})

const find = Effect.fnUntraced(function* (bytes: Buffer) {
  const stored = yield* store(bytes)
  return yield* Effect.promise(async () => {
    await using file = await open(stored)
    return await findMetadata(file)
  })
}, Effect.scoped)

const readFacts = Effect.fnUntraced(function* (bytes: Buffer) {
  const file = yield* store(bytes)
  const { facts } = yield* processVideo({ contentType: "video/mp4", path: file, outputDirectory: "/", outputs: {} })
  return facts
}, Effect.scoped)

/** Chunks whose ends are at odd places. */
const inChunks = (bytes: Buffer, size: number) =>
  Stream.fromIterable(
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size)
    )
  )

describe("videoMetadata", () => {
  it.live.each([7, 1_000, 1_000_000])(
    "A video that is sent has none of the places that the file tells, and plays as before, in chunks of %i bytes",
    (chunkSize) =>
      Effect.gen(function* () {
        const original = yield* Effect.promise(() => locatedVideo(place))
        assert.strictEqual(original.toString("latin1").split(place).length, 6)
        const erasure = yield* find(original)
        const erased = Buffer.concat(yield* Stream.runCollect(eraseBytes(erasure)(inChunks(original, chunkSize))))
        assert.strictEqual(erased.length, original.length)
        assert.notInclude(erased.toString("latin1"), place)
        assert.notInclude(erased.toString("latin1"), "xyz")
        assert.deepStrictEqual(yield* readFacts(erased), yield* readFacts(original))
        const frame = Buffer.alloc(2_000, 49)
        assert.strictEqual(erased.indexOf(frame), original.indexOf(frame))
        assert.deepStrictEqual((yield* find(erased)).freed, [])
      })
  )

  it.live("A video without metadata is sent as it is", () =>
    Effect.gen(function* () {
      const video = yield* Effect.promise(shortVideo)
      assert.deepStrictEqual(yield* find(video), { freed: [], spans: [] })
    })
  )

  it.live("A video with a box that is longer than what holds it is refused", () =>
    Effect.gen(function* () {
      const video = yield* Effect.promise(shortVideo)
      video.writeUInt32BE(0x7f_ff_ff_ff, video.indexOf("mvhd") - 4)
      assert.strictEqual((yield* Effect.flip(readFacts(video)))._tag, "Refusal")
    })
  )

  it.live.each([
    ["before its samples", shortVideo, "cut before", true],
    ["among its samples", shortVideo, "cut within", true],
    ["before the samples of a fragment", fragmentedVideo, "cut before", true],
    ["with its samples", shortVideo, "whole", false],
    ["with the samples of its last fragment", fragmentedVideo, "whole", false]
  ] as const)("A video that ends %s is taken only where it is whole", ([, make, cut, isRefused]) =>
    Effect.gen(function* () {
      const video = yield* Effect.promise(make)
      const samples = video.lastIndexOf("mdat") - 4
      // A length of 0: up to the end of the file.
      if (cut === "cut within") video.writeUInt32BE(0, samples)
      const end = cut === "whole" ? video.length : cut === "cut before" ? samples : video.length - 500
      const result = yield* Effect.result(readFacts(video.subarray(0, end)))
      assert.strictEqual(Result.isFailure(result), isRefused)
    })
  )
})

describe("processVideo", () => {
  it.live.each([
    ["plain", { chroma: "4:2:0", interlaced: false }],
    ["chroma444", { chroma: "4:4:4", interlaced: false }],
    ["interlaced", { chroma: "4:2:0", interlaced: true }]
  ] as const)("The encoding of a video is read from its decoder's configuration: %s", ([configuration, expected]) =>
    Effect.gen(function* () {
      const { encoding } = yield* readFacts(yield* Effect.promise(() => videoWith(configuration)))
      assert.deepStrictEqual(encoding, { ...expected, squarePixels: true, audioProfile: null, audioChannels: null })
    })
  )

  it.live("A video lasts until the end of its last fragment, where its first samples are in the index", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* readFacts(yield* Effect.promise(extendedVideo))).durationMs, 6_000)
      assert.strictEqual((yield* readFacts(yield* Effect.promise(fragmentedVideo))).durationMs, 2_000)
    })
  )
})
