import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { processVideo } from "../../../../src/media/process/child/video.ts"
import { eraseBytes } from "../../../../src/media/process/eraseBytes.ts"
import { block, element, frame, number, soundTrack, text, vorbisPrivate, webm } from "../../webmFiles.ts"
import { inChunks, store } from "../storedVideos.ts"

const place = "+51.5074-000.1278/"
const placed = Buffer.from(place)

const read = Effect.fnUntraced(function* (bytes: Buffer) {
  const stored = yield* store(bytes)
  return yield* processVideo({ contentType: "video/webm", path: stored, outputDirectory: "/", outputs: {} })
}, Effect.scoped)

const readFacts = (bytes: Buffer) => Effect.map(read(bytes), ({ facts }) => facts)

const sent = Effect.fnUntraced(function* (bytes: Buffer) {
  const { erasure } = yield* read(bytes)
  return Buffer.concat(yield* Stream.runCollect(eraseBytes(erasure)(inChunks(bytes, 7))))
})

const framesIn = (video: Buffer) => Array.from({ length: 25 }, (_, index) => video.indexOf(frame(index)))

const subtitles = element(0xae, number(0xd7, 3), number(0x73c5, 3), number(0x83, 17), text(0x86, "D_WEBVTT/SUBTITLES"))
const hiddenGroup = (...more: ReadonlyArray<Buffer>) =>
  element(0xa0, element(0xa1, block(1, 190, false, frame(30))), ...more)
const addition = (id: number) => element(0x75a1, element(0xa6, number(0xee, id), element(0xa5, placed)))
const opusHead = Buffer.concat([Buffer.from("OpusHead\u{1}\u{2}", "latin1"), Buffer.alloc(9)])

/** The parts of a file in which a place may stand, and which no player needs. */
const hidden: ReadonlyArray<readonly [string, Parameters<typeof webm>[0]]> = [
  ["in the title", { info: [text(0x7ba9, place)] }],
  ["in the names of programs", { info: [text(0x4d80, place), text(0x5741, place)] }],
  ["in the name of a file", { info: [text(0x7384, place)] }],
  ["in a second description", { segment: [element(0x1549a966)], info: [text(0x4d80, place)] }],
  ["in tags", { end: [element(0x1254c367, element(0x7373, element(0x67c8, text(0x45a3, "LOCATION"), text(0x4487, place))))] }], // prettier-ignore
  ["in tags before the frames", { segment: [element(0x1254c367, placed)] }],
  ["in an attachment", { segment: [element(0x1941a469, placed)] }],
  ["in chapters", { segment: [element(0x1043a770, placed)] }],
  ["in a checksum", { info: [element(0xbf, placed)] }],
  ["in unused space", { segment: [element(0xec, placed)] }],
  ["after the kind of file", { header: [element(0x4281, placed)] }],
  ["behind the kind of file", { header: [text(0x4287, "\0\0\0\u{4}"), text(0x4283, place)] }],
  ["in the name of a track", { track: [text(0x536e, place)] }],
  ["in the language of a track", { track: [text(0x22b59c, place)] }],
  ["in a codec's configuration", { track: [element(0x63a2, placed)] }],
  ["in a part that nobody knows", { segment: [element(0x1fe6b675, placed)], end: [element(0x1fe6b675, placed)] }],
  ["in an element that nobody knows", { video: [element(0x7fa1, placed)] }],
  ["in a long description of a sphere", { video: [element(0x7670, element(0x7672, placed, placed))] }],
  ["in subtitles", { tracks: [subtitles], cluster: [element(0xa3, block(3, 0, true, placed))] }],
  ["in a subtitle with a duration", { tracks: [subtitles], cluster: [element(0xa0, element(0xa1, block(3, 0, true, placed)), number(0x9b, 9))] }], // prettier-ignore
  ["in a block of no track", { cluster: [element(0xa3, block(9, 0, true, placed))] }],
  ["beside a frame", { cluster: [hiddenGroup(addition(4))] }],
  ["beside a frame of a video without transparency", { cluster: [hiddenGroup(addition(1))] }],
  ["in the index of parts", { segment: [element(0x114d9b74, element(0x4dbb, element(0x53ab, Buffer.from("1254c367", "hex")), text(0x53ac, "1234567"), text(0x5000, place)))] }], // prettier-ignore
  ["in Vorbis comments", { tracks: [soundTrack("A_VORBIS", element(0x63a2, vorbisPrivate(place, `LOCATION=${place}`, "ARTIST=Jane")))] }], // prettier-ignore
  ["after Opus's header", { tracks: [soundTrack("A_OPUS", element(0x63a2, opusHead, placed))] }],
  ["after the name of a codec", { tracks: [soundTrack(`A_OPUS\0${place}`)] }]
]

describe("readWebm", () => {
  it.live.each(hidden)("A place %s is not sent, and the video plays as before", ([, parts]) =>
    Effect.gen(function* () {
      const original = webm(parts)
      assert.include(original.toString("latin1"), place)
      const erased = yield* sent(original)
      assert.strictEqual(erased.length, original.length)
      for (const word of [place, "Jane", "LOCATION"]) assert.notInclude(erased.toString("latin1"), word)
      assert.deepStrictEqual(framesIn(erased), framesIn(original))
      assert.notInclude(framesIn(erased), -1)
      assert.deepStrictEqual(yield* readFacts(erased), yield* readFacts(original))
      assert.deepStrictEqual((yield* read(erased)).erasure.spans, [])
    })
  )

  it.live("The facts of a live recording, without lengths, are those of the same file with them", () =>
    Effect.gen(function* () {
      const facts = yield* readFacts(webm())
      assert.deepInclude(facts, {
        type: "video",
        width: 64,
        height: 48,
        durationMs: 1_000,
        frameRate: 25,
        videoCodec: "vp8",
        audioCodec: null
      })
      assert.deepInclude(facts.encoding, { closedGop: true, keyframeDistance: 5 })
      assert.deepStrictEqual(yield* readFacts(webm({ isLive: true })), facts)
      const live = webm({ isLive: true, info: [text(0x4d80, place)], end: [element(0x1254c367, placed)] })
      const erased = yield* sent(live)
      assert.notInclude(erased.toString("latin1"), place)
      assert.deepStrictEqual(yield* readFacts(erased), facts)
    })
  )

  it.live.each([
    ["picture alone", {}, 1_000],
    ["sound that goes on", { tracks: [soundTrack("A_OPUS")], cluster: [0, 500, 1_000].map((at) => element(0xa3, block(2, at, true, frame(40)))) }, 1_500], // prettier-ignore
    ["packets that share a block", { tracks: [soundTrack("A_OPUS")], cluster: [element(0xa3, block(2, 0, true, Buffer.alloc(8), Buffer.of(3))), element(0xa3, block(2, 1_200, true, Buffer.alloc(8), Buffer.of(1)))] }, 1_800], // prettier-ignore
    ["a last frame with a duration", { cluster: [element(0xa0, element(0xa1, block(1, 2_000, true, frame(40))), number(0x9b, 900))] }, 2_900] // prettier-ignore
  ] as const)("A video lasts until the end of its last block: %s", ([, parts, durationMs]) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* readFacts(webm(parts))).durationMs, durationMs)
    })
  )

  it.live("A video that does not begin at zero, as a part of a broadcast, counts from its first frame", () =>
    Effect.gen(function* () {
      const late = webm({ track: [number(0x23e383, 40_000_000)] })
      for (let at = late.indexOf("1f43b675", 0, "hex"); at !== -1; at = late.indexOf("1f43b675", at + 1, "hex")) {
        const time = late.indexOf(Buffer.of(0xe7, 0x40, 4), at) + 3
        late.writeUInt32BE(late.readUInt32BE(time) + 3_600_000, time)
      }
      assert.strictEqual((yield* readFacts(late)).durationMs, 1_000)
    })
  )

  it.live("Transparency stays with a video that declares it", () =>
    Effect.gen(function* () {
      const video = webm({ video: [number(0x53c0, 1)], cluster: [hiddenGroup(addition(1))] })
      assert.include((yield* sent(video)).toString("latin1"), place)
    })
  )

  it.live.each([
    ["ends within a frame", webm().subarray(0, -100), "cut off"],
    ["is live and ends within a frame", webm({ isLive: true }).subarray(0, -100), "cut off"],
    [
      "has tags of unknown length",
      Buffer.concat([webm({ isLive: true }), Buffer.from("1254c367ff", "hex")]),
      "cut off"
    ],
    ["is followed by another", Buffer.concat([webm(), webm()]), "The file has more than one video"],
    ["has a codec whose names are not found", webm({ tracks: [soundTrack("A_FLAC")] }), "The video is coded in A_FLAC"],
    [
      "has frames before its tracks",
      webm({ segment: [element(0x1f43b675)] }),
      "no track of picture or sound is described before"
    ],
    ["has thousands of tracks", webm({ tracks: Array.from({ length: 5_000 }, () => soundTrack("A_OPUS")) }), "more than 32 tracks"], // prettier-ignore
    ["has an encrypted picture", webm({ track: [element(0x6d80, element(0x6240, number(0x5033, 1)))] }), "is encrypted"], // prettier-ignore
    ["has an encrypted sound", webm({ tracks: [soundTrack("A_OPUS", element(0x6d80, element(0x6240, number(0x5031, 0)), element(0x6240, element(0x5035))))] }), "is encrypted"], // prettier-ignore
    ["has a huge unit of times", webm({}, { unit: Buffer.alloc(8, 255) }), "its index is damaged"],
    ["has a huge width", webm({}, { width: Buffer.alloc(7, 255) }), "its index is damaged"],
    ["has a width beyond any picture", webm({}, { width: Buffer.alloc(4, 255) }), "its index is damaged"],
    ["has a huge time", webm({}, { time: Buffer.from("4000000000000000", "hex") }), "its index is damaged"],
    ["has a number of nine bytes", webm({ video: [element(0x54b2, Buffer.alloc(9))] }), "cut off"],
    ["has Vorbis headers that are no such headers", webm({ tracks: [soundTrack("A_VORBIS", element(0x63a2, placed))] }), "cut off"], // prettier-ignore
    ["has no frames", webm({ frames: 0 }), "it has no picture"],
    ["has thousands of unused parts", webm({ end: Array.from({ length: 40_001 }, () => element(0x7fa1, Buffer.of(1))) }), "more than 40000 places"], // prettier-ignore
    ["has unused space in thousands of places", webm({ end: Array.from({ length: 40_001 }, () => element(0xec, Buffer.of(1))) }), "more than 40000 places"] // prettier-ignore
  ] as const)("A video that %s is refused with a reason", ([, video, reason]) =>
    Effect.gen(function* () {
      const { _tag, message } = yield* Effect.flip(read(video))
      assert.strictEqual(_tag, "Refusal")
      assert.include(message, reason)
    })
  )

  it.live("A damaged file is refused or read, and never crashes the reading", () =>
    Effect.gen(function* () {
      const whole = webm({ segment: [element(0xec, Buffer.alloc(4))], track: [text(0x536e, place)], frames: 2 })
      for (let at = 0; at < 300; at += 5) {
        const damaged = Buffer.from(whole)
        damaged.writeUInt8(whole.readUInt8(at) ^ 0xa5, at)
        const result = yield* Effect.result(read(damaged))
        assert.isTrue(result._tag === "Success" || result.failure._tag === "Refusal")
      }
    })
  )
})
