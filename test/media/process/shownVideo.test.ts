import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { open } from "node:fs/promises"
import { readShownVideo } from "../../../src/media/process/child/shownVideo.ts"
import { box, numbers } from "../sampleFiles.ts"
import { store } from "./storedVideos.ts"

type Pairs = ReadonlyArray<readonly [number, number]>

interface Index {
  readonly timescale: number
  /** Counts and durations. */
  readonly times: Pairs
  /** Counts and offsets. */
  readonly delays?: Pairs
  readonly keys?: ReadonlyArray<number>
  /** Lengths in thousandths of a second, starts in the timescale, and rates. */
  readonly edits?: ReadonlyArray<readonly [length: number, from: number, rate?: number]>
  readonly more?: ReadonlyArray<Buffer>
}

const runs = (pairs: Pairs) => numbers(0, pairs.length, ...pairs.flat())
const signed = (value: number) => (value < 0 ? value + 2 ** 32 : value)

const track = (kind: string, id: number, { delays, edits, keys, more = [], times, timescale }: Index) => {
  const count = times.reduce((sum, [each]) => sum + each, 0)
  const list = edits?.flatMap(([length, from, rate = 1]) => [length, signed(from), rate * 65_536]) ?? []
  const tables = box(
    "stbl",
    box("stts", runs(times)),
    ...(delays === undefined ? [] : [box("ctts", runs(delays.map(([many, by]) => [many, signed(by)])))]),
    ...(keys === undefined ? [] : [box("stss", numbers(0, keys.length, ...keys))]),
    box("stsz", numbers(0, 1, count)),
    ...more
  )
  const handler = box("hdlr", numbers(0, 0), Buffer.from(kind), Buffer.alloc(13))
  return box(
    "trak",
    box("tkhd", numbers(0, 0, 0, id), Buffer.alloc(68)),
    ...(edits === undefined ? [] : [box("edts", box("elst", numbers(0, edits.length, ...list)))]),
    box("mdia", box("mdhd", numbers(0, 0, 0, timescale, 0, 0)), handler, box("minf", tables))
  )
}

const movie = (...boxes: ReadonlyArray<Buffer>) =>
  box("moov", box("mvhd", numbers(0, 0, 0, 1000), Buffer.alloc(84)), ...boxes)

const read = Effect.fnUntraced(function* (boxes: ReadonlyArray<Buffer>) {
  const stored = yield* store(Buffer.concat(boxes))
  return yield* Effect.promise(async () => {
    await using file = await open(stored)
    return await readShownVideo(file, 1)
  })
}, Effect.scoped)

const readIndex = (index: Index) => read([movie(track("vide", 1, index))])

/** 25 frames a second for 200 seconds. */
const long: Index = { timescale: 1000, times: [[5000, 40]] }

describe("how long a video is shown", () => {
  it.live.each([
    ["without edits", {}, 200],
    ["one edit that shows half", { edits: [[100_000, 0]] }, 100],
    ["two edits", { edits: [[10_000, 0], [20_000, 60_000]] }, 30], // prettier-ignore
    ["an edit of the rest", { edits: [[0, 50_000]] }, 150],
    ["an edit that is longer than what is left", { edits: [[100_000, 150_000]] }, 50],
    ["a delay before the picture", { edits: [[700, -1], [200_000, 0]] }, 200.7], // prettier-ignore
    ["an edit in slow motion, which players don't agree on", { edits: [[100_000, 0, 0.5]] }, 200]
  ] as const)("%s", ([, edits, seconds]) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* readIndex({ ...long, ...edits }))?.seconds, seconds)
    })
  )

  it.live("Sound that goes on after the picture counts, and other tracks don't", () =>
    Effect.gen(function* () {
      const sound = track("soun", 2, { timescale: 48_000, times: [[12_000, 1024]] })
      const text = track("text", 3, { timescale: 1, times: [[1, 9_999]] })
      const shown = yield* read([movie(track("vide", 1, long), sound, text)])
      assert.strictEqual(shown?.seconds, 256)
    })
  )

  /** Two seconds of a track, from a time in its timescale. */
  const fragment = (id: number, start: number) =>
    box(
      "moof",
      box("traf", box("tfhd", numbers(0x20000, id)), box("tfdt", numbers(0, start)), box("trun", numbers(0x4, 50, 0)))
    )
  const defaults = (id: number) => box("trex", numbers(0, id, 1, 40, 0, 0x10000))

  it.live("Fragments that begin late, as of a broadcast, count from their first frame, and open the last edit", () =>
    Effect.gen(function* () {
      const index = movie(track("vide", 1, { timescale: 1000, times: [], edits: [[1, 0]] }), box("mvex", defaults(1)))
      const shown = yield* read([index, fragment(1, 1_000_000), fragment(1, 1_002_000)])
      assert.deepStrictEqual(shown, { seconds: 4, frameRate: 25, closedGop: true, keyframeDistance: 50 })
    })
  )

  it.live("Fragments may state offsets, their own durations, and times of 64 bits", () =>
    Effect.gen(function* () {
      const index = movie(track("vide", 1, { timescale: 1000, times: [] }), box("mvex", defaults(1)))
      const own = (time: number, ...run: ReadonlyArray<number>) =>
        box(
          "moof",
          box(
            "traf",
            box("tfhd", numbers(0x9, 1, 0, 77, 500)),
            box("tfdt", numbers(0x1000000, 1, time)),
            box("trun", numbers(...run))
          )
        )
      const shown = yield* read([index, own(0, 0x5, 2, 99, 0), own(1_000, 0x105, 2, 99, 0, 1_000, 2_000)])
      assert.deepInclude(shown, { seconds: 4, frameRate: 1 })
    })
  )

  it.live.each([
    ["begins later counts from the picture's beginning", [fragment(2, 1_005_000)], 7],
    ["has no samples does not count", [], 2]
  ] as const)("Sound of a broadcast that %s", ([, sound, seconds]) =>
    Effect.gen(function* () {
      const empty = { timescale: 1000, times: [] }
      const index = movie(track("vide", 1, empty), track("soun", 2, empty), box("mvex", defaults(1), defaults(2)))
      const shown = yield* read([index, fragment(1, 1_000_000), ...sound])
      assert.strictEqual(shown?.seconds, seconds)
    })
  )
})

describe("the frame rate", () => {
  it.live.each([
    ["60 frames in thousandths of a second", { timescale: 1000, times: [[200, 16], [400, 17]] }, 60], // prettier-ignore
    [
      "a phone's 600th",
      {
        timescale: 600,
        times: [
          [590, 10],
          [10, 9]
        ]
      },
      60
    ],
    ["a fast beginning", { timescale: 600, times: [[200, 9], [4000, 10], [20, 12]] }, 60] // prettier-ignore
  ] as const)("%s are judged over all frames", ([, index, rate]) =>
    Effect.gen(function* () {
      assert.strictEqual(Math.round((yield* readIndex(index))?.frameRate ?? 0), rate)
    })
  )
})

/** The tables that x264 and ffmpeg write with `open-gop=1:keyint=10`: two frames follow the second keyframe and are shown before it. */
const open20: Index = {
  timescale: 12_800,
  times: [[20, 512]],
  keys: [1, 10],
  delays: [
    [1, 1024],
    [1, 2560],
    [1, 1024],
    [1, 0],
    [1, 512],
    [1, 2560],
    [1, 1024],
    [1, 0],
    [1, 512],
    [1, 1536],
    [1, 512],
    [9, 1024]
  ]
}

describe("groups of pictures", () => {
  it.live("Frames that are shown before the keyframe that they follow make a group open", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* readIndex(open20), { closedGop: false, keyframeDistance: 11 })
    })
  )

  it.live("B-frames alone don't", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* readIndex({ ...open20, keys: [1] }), { closedGop: true, keyframeDistance: 20 })
    })
  )

  it.live.each([
    ["QuickTime's list of partial keyframes", box("stps", numbers(0, 1, 10))],
    ["a group of random access points", box("sbgp", numbers(0), Buffer.from("rap "), numbers(1, 1, 1))],
    ["such a group with a parameter", box("sbgp", numbers(0x1000000), Buffer.from("rap "), numbers(0, 1, 1, 1))]
  ] as const)("%s makes a group open", ([, table]) =>
    Effect.gen(function* () {
      assert.deepInclude(yield* readIndex({ ...open20, keys: [1], more: [table] }), { closedGop: false })
    })
  )

  it.live("Without a table of keyframes each frame is one", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* readIndex(long), { closedGop: true, keyframeDistance: 1 })
    })
  )

  it.live("An index that claims millions of frames is refused", () =>
    Effect.gen(function* () {
      const claimed = Effect.runPromiseExit(readIndex({ timescale: 1, times: [[2_000_001, 1]] }))
      assert.include(String(yield* Effect.promise(() => claimed)), "more than 2000000 frames")
    })
  )
})
