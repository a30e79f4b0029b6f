import { Effect, Predicate, Schema } from "effect"
import {
  type CustomSource,
  FilePathSource,
  Input,
  type InputAudioTrack,
  type InputVideoTrack,
  MP4,
  QTFF,
  WEBM
} from "mediabunny"
import { type FileHandle, open } from "node:fs/promises"
import { readAvcSequence } from "./avcSequence.ts"
import { erasedSource } from "./erasedSource.ts"
import { attemptOr, type Erasure, type Order, ReadFacts } from "./protocol.ts"
import { damaged, damagedIndex } from "./refusals.ts"
import { readShownVideo, type ShownVideo } from "./shownVideo.ts"
import { findMetadata } from "./videoMetadata.ts"
import { readWebm } from "./webm/readWebm.ts"

const codecNames: Readonly<Record<string, string>> = { avc: "h264" }

/** By VP9's and AV1's names of codecs, such as vp09.02.10.10 and av01.0.05M.10. */
const depthInName = (name: string | null): number | null => {
  const [codec, , , depth] = (name ?? "").split(".")
  return codec === "vp09" || codec === "av01" ? Number(depth) || null : null
}

/** A decoder configuration of HEVC (ISO/IEC 14496-15, 8.3.3.1). */
const readHevc = (configuration: Uint8Array) => ({
  chroma: ["4:0:0", "4:2:0", "4:2:2", "4:4:4"][(configuration[16] ?? 0) & 3] ?? null,
  bitDepth: 8 + Math.max((configuration[17] ?? 0) & 7, (configuration[18] ?? 0) & 7),
  interlaced: null
})

/** The ratio is computed from a rounded width in pixels. */
const isSquare = (ratio: number): boolean => Math.abs(ratio - 1) < 0.02

/** mediabunny's type is a browser's, so its members are checked here. */
const configurationOf = (decoder: unknown): Uint8Array | undefined => {
  const source = Predicate.hasProperty(decoder, "description") ? decoder.description : undefined
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
  return source instanceof ArrayBuffer ? new Uint8Array(source) : undefined
}

const readCoding = async (track: InputVideoTrack) => {
  const codec = await track.getCodec()
  const unknown = { chroma: null, interlaced: null, bitDepth: depthInName(await track.getCodecParameterString()) }
  if (codec !== "avc" && codec !== "hevc") return unknown
  const configuration = configurationOf(await track.getDecoderConfig())
  if (configuration === undefined) return unknown
  return codec === "hevc" ? readHevc(configuration) : (readAvcSequence(configuration) ?? unknown)
}

const readEncoding = async (
  track: InputVideoTrack,
  audio: InputAudioTrack | null,
  { closedGop, keyframeDistance }: Pick<ShownVideo, "closedGop" | "keyframeDistance">
): Promise<NonNullable<ReadFacts["encoding"]>> => {
  const { bitDepth, chroma, interlaced } = await readCoding(track)
  const pixel = await track.getPixelAspectRatio()
  return {
    chroma,
    interlaced,
    bitDepth,
    highDynamicRange: await track.hasHighDynamicRange(),
    closedGop,
    keyframeDistance,
    squarePixels: isSquare(pixel.num / pixel.den),
    audioProfile: audio === null ? null : await audio.getCodecParameterString(),
    audioChannels: audio === null ? null : await audio.getNumberOfChannels()
  }
}

interface Found {
  readonly erasure: Erasure
  readonly source: CustomSource | FilePathSource
  readonly shown: (trackId: number) => Promise<ShownVideo | undefined> | ShownVideo | undefined
}

/** Finds the parts to erase. Fails if the parts of the file do not fill it. */
const find = async (file: FileHandle, { contentType, path }: Order): Promise<Found> => {
  if (contentType === "video/webm") {
    const { erasure, shown } = await readWebm(file)
    return { erasure, shown, source: await erasedSource(file, erasure) }
  }
  const shown = (trackId: number) => readShownVideo(file, trackId)
  return { erasure: await findMetadata(file), shown, source: new FilePathSource(path) }
}

/** Returns a string if the video can't be shown: the reason. */
const readFacts = async ({ shown: readShown, source }: Found): Promise<ReadFacts | string> => {
  const input = new Input({ formats: [MP4, QTFF, WEBM], source })
  const track = await input.getPrimaryVideoTrack()
  if (track === null) return "it has no picture"
  const audio = await input.getPrimaryAudioTrack()
  const shown = await readShown(track.id)
  if (shown === undefined) return "its index is damaged"
  const { frameRate, seconds } = shown
  const codec = await track.getCodec()
  const width = await track.getDisplayWidth()
  const height = await track.getDisplayHeight()
  if (!(seconds > 0) || !(width > 0) || !(height > 0)) return "it has no length or no size"
  return {
    type: "video",
    width: Math.round(width),
    height: Math.round(height),
    durationMs: Math.round(seconds * 1000),
    frames: null,
    frameRate: frameRate === null ? null : Math.round(frameRate * 100) / 100,
    videoCodec: codec === null ? null : (codecNames[codec] ?? codec),
    audioCodec: audio === null ? null : ((await audio.getCodec()) ?? "unknown"),
    animated: false,
    encoding: await readEncoding(track, audio, shown)
  }
}

/** In pixels, and more than any codec has. */
const maxSide = 65_535

/** A week. */
const maxMs = 7 * 24 * 3600 * 1000

const isFacts = Schema.is(ReadFacts)

/** False if a number of the file is too large for an answer, or for any video. */
const isPlausible = (facts: ReadFacts): boolean =>
  isFacts(facts) && Math.max(facts.width, facts.height) <= maxSide && (facts.durationMs ?? 0) <= maxMs

/** Reads the index, without frames, and finds the parts to erase before others get the video. */
export const processVideo = Effect.fnUntraced(function* (order: Order) {
  const file = yield* Effect.acquireRelease(
    Effect.promise(() => open(order.path)),
    (opened) => Effect.promise(() => opened.close())
  )
  const found = yield* attemptOr(damaged("it is cut off, or the lengths of its parts are wrong"))(() =>
    find(file, order)
  )
  const facts = yield* attemptOr(damagedIndex)(() => readFacts(found))
  if (typeof facts === "string") return yield* damaged(facts)
  if (!isPlausible(facts)) return yield* damagedIndex
  return { facts, made: {}, animation: null, erasure: found.erasure }
}, Effect.scoped)
