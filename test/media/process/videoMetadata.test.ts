import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Stream } from "effect"
import { open } from "node:fs/promises"
import { processVideo } from "../../../src/media/process/child/video.ts"
import { findMetadata } from "../../../src/media/process/child/videoMetadata.ts"
import { eraseBytes } from "../../../src/media/process/eraseBytes.ts"
import { box, extendedVideo, fragmentedVideo, locatedVideo, numbers, shortVideo, videoWith } from "../sampleFiles.ts"
import { addTo, changeBoxes, moveSamples, samplesPath } from "./boxEdits.ts"
import { inChunks, store } from "./storedVideos.ts"

const place = "+51.5074-000.1278/"

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

const placed = Buffer.from(place)

/** As dashcams write it among the frames, where no track refers to it. */
const gps = box("free", Buffer.from("GPS "), placed)

const added =
  (...path: ReadonlyArray<string>) =>
  (video: Buffer) =>
    addTo(video, path, placed)
const table = (type: string) => added(...samplesPath, type)
const newTable =
  (type: string, ...content: ReadonlyArray<Buffer>) =>
  (video: Buffer) =>
    addTo(video, samplesPath, box(type, ...content, placed))
const behind = (type: string) => (video: Buffer) => Buffer.concat([video, box(type, placed)])

/** The parts of a file in which a place may stand, and to which nothing played refers. */
const hidden: ReadonlyArray<readonly [string, () => Promise<Buffer>, (video: Buffer) => Buffer]> = [
  [
    "before and after the frames",
    shortVideo,
    (video) => changeBoxes(moveSamples(video, gps.length), ["mdat"], (frames) => Buffer.concat([gps, frames, gps]))
  ],
  [
    "after a fragment's frames",
    fragmentedVideo,
    (video) => changeBoxes(video, ["mdat"], (frames) => Buffer.concat([frames, gps]))
  ],
  ["in a second mdat", shortVideo, behind("mdat")],
  ...["sidx", "ssix", "pdin", "mfra", "ftyp"].map((type) => [`in ${type}`, shortVideo, behind(type)] as const),
  ["among the brands", shortVideo, added("ftyp")],
  ["after the header of the file", shortVideo, added("moov", "mvhd")],
  ["after the header of a track", shortVideo, added("moov", "trak", "tkhd")],
  ["after the header of its samples", shortVideo, added("moov", "trak", "mdia", "mdhd")],
  ["after the kind of a picture", shortVideo, added("moov", "trak", "mdia", "minf", "vmhd")],
  ...["stsd", "stts", "stsc", "stsz", "stco", "stss"].map(
    (type) => [`after ${type}`, shortVideo, table(type)] as const
  ),
  ["in a second stts", shortVideo, newTable("stts", numbers(0, 0))],
  ["after sdtp", shortVideo, newTable("sdtp", Buffer.alloc(54))],
  [
    "in a group that nobody knows",
    shortVideo,
    newTable("sgpd", numbers(0x1000000), Buffer.from("GPSM"), numbers(0, 1))
  ],
  [
    "after a group",
    shortVideo,
    newTable("sgpd", numbers(0x1000000), Buffer.from("roll"), numbers(2, 1), Buffer.alloc(2))
  ],
  [
    "after the edits",
    shortVideo,
    (video) => addTo(video, ["moov", "trak"], box("edts", box("elst", numbers(0, 0), placed)))
  ],
  ["after the header of a fragment", fragmentedVideo, (video) => growFragment(video, ["traf", "tfhd"])],
  ["after the list of a fragment's samples", fragmentedVideo, (video) => growFragment(video, ["traf", "trun"])]
]

/** A fragment's samples follow its index, so that they move with its length. */
const growFragment = (video: Buffer, path: ReadonlyArray<string>) =>
  changeBoxes(
    changeBoxes(video, ["moof", ...path], (content) => Buffer.concat([content, placed])),
    ["moof", "traf", "trun"],
    (run) => {
      const moved = Buffer.from(run)
      moved.writeInt32BE(moved.readInt32BE(8) + placed.length, 8)
      return moved
    }
  )

/** The contents of all frames of `shortVideo`. */
const framesIn = (video: Buffer) => Array.from({ length: 50 }, (_, frame) => video.includes(Buffer.alloc(2_000, frame)))

/** A QuickTime file with a second of stereo sound in numbers of 16 bits, each instant of which counts as one byte. */
const uncompressedSound = (sound: Buffer) => {
  const description = Buffer.alloc(28)
  description.writeUInt16BE(1, 6)
  description.writeUInt16BE(2, 16)
  description.writeUInt16BE(16, 18)
  const count = sound.length / 4
  const index = (offset: number) => {
    const tables = box(
      "stbl",
      box("stsd", numbers(0, 1), box("sowt", description)),
      box("stts", numbers(0, 1, count, 1)),
      box("stsc", numbers(0, 1, 1, count, 1)),
      box("stsz", numbers(0, 1, count)),
      box("stco", numbers(0, 1, offset))
    )
    const handler = box("hdlr", numbers(0, 0), Buffer.from("soun"), Buffer.alloc(13))
    const media = box("mdia", box("mdhd", Buffer.alloc(24)), handler, box("minf", box("smhd", Buffer.alloc(8)), tables))
    return box("moov", box("mvhd", Buffer.alloc(100)), box("trak", box("tkhd", Buffer.alloc(84)), media))
  }
  const start = box("ftyp", Buffer.from("qt  "), numbers(0), Buffer.from("qt  "))
  return Buffer.concat([start, index(start.length + index(0).length + 8), box("mdat", sound, placed)])
}

/** As `shortVideo`, with a list of places of its samples that has more than are taken. */
const scattered = (video: Buffer) => {
  const count = 500_001
  const first = video.lastIndexOf("mdat") + 4
  const places = Buffer.concat([numbers(0, count), Buffer.alloc(count * 4, numbers(first, first + 5))])
  const tables = { stco: places, stsc: numbers(0, 1, 1, 1, 1), stsz: numbers(0, 1, count) }
  return Object.entries(tables).reduce(
    (changed, [type, content]) => changeBoxes(changed, [...samplesPath, type], () => content),
    video
  )
}

const subtitles = box("trak", box("mdia", box("hdlr", numbers(0, 0), Buffer.from("text"), Buffer.alloc(13))))

/** As `shortVideo`, whose description names another codec of its frames, with further boxes. */
const coded =
  (type: string, ...more: ReadonlyArray<Buffer>) =>
  (video: Buffer) => {
    const change = (content: Buffer) => {
      const fields = content.subarray(16, 16 + 78)
      return Buffer.concat([content.subarray(0, 8), box(type, fields, ...more)])
    }
    const changed = changeBoxes(video, [...samplesPath, "stsd"], change)
    return moveSamples(changed, changed.length - video.length)
  }

/** MPEG's description of a codec by its number. */
const described = (object: number) =>
  coded(
    "mp4v",
    box("esds", numbers(0), Buffer.from([3, 0x80, 0x80, 0x80, 20, 0, 1, 0, 4, 13, object]), Buffer.alloc(12))
  )

/** Videos that are whole, but have more than is taken. */
const excessive: ReadonlyArray<readonly [string, () => Promise<Buffer>, (video: Buffer) => Buffer]> = [
  ["The picture and the sound of the video are in more than 500000 places", shortVideo, scattered],
  [
    "The video has something other than its picture and its sound in more than 40000 places",
    shortVideo,
    (video) => Buffer.concat([video, ...Array.from({ length: 40_001 }, () => box("free", Buffer.of(1)))])
  ],
  [
    "The video has more than 32 tracks; export it with one picture and one sound",
    shortVideo,
    (video) => Buffer.concat([video, box("moov", ...Array.from({ length: 33 }, () => subtitles))])
  ],
  [
    "The video has a table of more than 8 MB",
    shortVideo,
    (video) => addTo(video, [...samplesPath, "stsz"], Buffer.alloc(8_000_000))
  ],
  [
    "The video has fragments, and tracks that are neither picture nor sound",
    fragmentedVideo,
    (video) => changeBoxes(video, ["moov"], (movie) => Buffer.concat([movie, subtitles]))
  ]
]

describe("videoMetadata", () => {
  it.live.each(excessive)(
    "A video that has more than is taken is refused in words of its own: %s",
    ([words, make, add]) =>
      Effect.gen(function* () {
        const video = add(yield* Effect.promise(make))
        assert.deepInclude(yield* Effect.flip(readFacts(video)), { _tag: "Refusal", message: words })
      })
  )

  it.live.each(hidden)("A place %s is not sent, and the video plays as before", ([, make, hide]) =>
    Effect.gen(function* () {
      const plain = yield* Effect.promise(make)
      const original = hide(plain)
      assert.include(original.toString("latin1"), place)
      const erased = Buffer.concat(yield* Stream.runCollect(eraseBytes(yield* find(original))(inChunks(original, 999))))
      assert.strictEqual(erased.length, original.length)
      assert.notInclude(erased.toString("latin1"), place)
      assert.deepStrictEqual(yield* readFacts(erased), yield* readFacts(plain))
      assert.deepStrictEqual(framesIn(erased), framesIn(plain))
      assert.deepStrictEqual(yield* find(erased), { headers: [], spans: [] })
    })
  )

  it.live("Sound whose samples are counted and not measured is kept to its end", () =>
    Effect.gen(function* () {
      const sound = Buffer.from(Array.from({ length: 4_000 }, (_, index) => (index % 255) + 1))
      const video = uncompressedSound(sound)
      assert.deepStrictEqual((yield* find(video)).spans, [[video.length - placed.length, placed.length]])
    })
  )

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
        assert.deepStrictEqual((yield* find(erased)).headers, [])
      })
  )

  it.live("When a video was made, and by which programs, is not sent either", () =>
    Effect.gen(function* () {
      const original = yield* Effect.promise(shortVideo)
      // The name of the codec is also among the brands at the start.
      const after = (type: string) => original.indexOf(type, original.indexOf("moov")) + 4
      for (const type of ["mvhd", "tkhd", "mdhd"]) original.writeUInt32BE(0xd1ce_d1ce, after(type) + 4)
      original.write("QCam", after("avc1") + 12, "latin1")
      original.write("\u0010Camera of Jane  ", after("avc1") + 42, "latin1")
      const [handler, handlerEnd] = [after("hdlr"), original.indexOf("minf") - 4]
      original.fill("J", handler + 12, handlerEnd)
      const erased = Buffer.concat(yield* Stream.runCollect(eraseBytes(yield* find(original))(inChunks(original, 999))))
      const text = erased.toString("latin1")
      for (const name of ["\u00d1\u00ce\u00d1\u00ce", "QCam", "Jane", "JJJJ"]) assert.notInclude(text, name)
      assert.strictEqual(text.slice(handler + 8, handler + 12), "vide")
      assert.deepStrictEqual(yield* readFacts(erased), yield* readFacts(original))
    })
  )

  it.live("Boxes beside those that decode samples are erased, and a list of boxes may end with a zero", () =>
    Effect.gen(function* () {
      const video = yield* Effect.promise(() => locatedVideo(place))
      const start = video.lastIndexOf("avc1") - 4
      const end = start + video.readUInt32BE(start)
      const added = Buffer.concat([Buffer.from("\0\0\0\u001cjane"), Buffer.alloc(20, "j"), Buffer.alloc(4)])
      const longer = Buffer.concat([video.subarray(0, end), added, video.subarray(end)])
      for (const type of ["moov", "trak", "mdia", "minf", "stbl", "stsd", "avc1"]) {
        const at = longer.indexOf(type, video.indexOf("moov")) - 4
        longer.writeUInt32BE(longer.readUInt32BE(at) + added.length, at)
      }
      const erased = Buffer.concat(yield* Stream.runCollect(eraseBytes(yield* find(longer))(inChunks(longer, 999))))
      assert.notInclude(erased.toString("latin1"), "jj")
      assert.deepStrictEqual(yield* readFacts(erased), yield* readFacts(video))
    })
  )

  it.live.each([
    ["Motion JPEG", coded("jpeg"), "coded in Motion JPEG"],
    ["Motion JPEG, first format", coded("mjpa"), "coded in Motion JPEG"],
    ["Motion JPEG, second format", coded("mjpb"), "coded in Motion JPEG"],
    ["PNG", coded("png "), "coded in png"],
    ["TIFF", coded("tiff"), "coded in tiff"],
    ["JPEG 2000", coded("mjp2"), "coded in mjp2"],
    ["JPEG in MPEG's description", described(0x6c), "coded in mp4v"],
    ["PNG in MPEG's description", described(0x6d), "coded in mp4v"],
    ["MPEG's description without a codec", coded("mp4v"), "coded in mp4v"],
    ["an unreadable name", coded("\u0001\u0002\u0003\u0004"), "coded in an unknown codec"],
    ["an encrypted picture", coded("encv"), "is encrypted"]
  ] as const)("A video of a codec whose frames may hold metadata of their own is refused: %s", ([, change, words]) =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(readFacts(change(yield* Effect.promise(shortVideo))))
      assert.strictEqual(refused._tag, "Refusal")
      assert.include(refused.message, words)
      assert.include(refused.message, "export it")
    })
  )

  it.live.each([
    ["ProRes", coded("apch")],
    ["H.263", coded("s263")],
    ["MPEG-4", described(0x20)]
  ] as const)("A video of a codec whose frames are only a picture is taken: %s", ([, change]) =>
    Effect.gen(function* () {
      const facts = yield* readFacts(change(yield* Effect.promise(shortVideo)))
      assert.strictEqual(facts.type, "video")
    })
  )

  it.live("A video without metadata is sent as it is", () =>
    Effect.gen(function* () {
      const video = yield* Effect.promise(shortVideo)
      const erased = Buffer.concat(yield* Stream.runCollect(eraseBytes(yield* find(video))(inChunks(video, 999))))
      assert.deepStrictEqual(yield* find(erased), { headers: [], spans: [] })
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
    ["interlaced", { chroma: "4:2:0", interlaced: true }],
    ["high10", { chroma: "4:2:0", interlaced: false, bitDepth: 10 }]
  ] as const)("The encoding of a video is read from its decoder's configuration: %s", ([configuration, expected]) =>
    Effect.gen(function* () {
      const { encoding } = yield* readFacts(yield* Effect.promise(() => videoWith(configuration)))
      const shown = { highDynamicRange: false, closedGop: true, keyframeDistance: 50 }
      assert.deepStrictEqual(encoding, {
        bitDepth: 8,
        ...expected,
        ...shown,
        squarePixels: true,
        audioProfile: null,
        audioChannels: null
      })
    })
  )

  it.live("A video lasts until the end of its last fragment, where its first samples are in the index", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* readFacts(yield* Effect.promise(extendedVideo))).durationMs, 6_000)
      assert.strictEqual((yield* readFacts(yield* Effect.promise(fragmentedVideo))).durationMs, 2_000)
    })
  )
})
