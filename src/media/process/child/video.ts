import { Effect, Predicate } from "effect"
import { FilePathSource, Input, type InputAudioTrack, type InputVideoTrack, MP4, QTFF } from "mediabunny"
import { type FileHandle, open } from "node:fs/promises"
import { readAvcSequence } from "./avcSequence.ts"
import { fragmentsEnd } from "./fragmentTimes.ts"
import { attemptOr, type Order, type ReadFacts, Refusal } from "./protocol.ts"
import { findMetadata } from "./videoMetadata.ts"

/** The frame rate is the average over this many packets. */
const countedPackets = 200

const damaged = (detail: string) => new Refusal({ message: `The video can't be read: ${detail}` })

const codecNames: Readonly<Record<string, string>> = { avc: "h264" }

const withFile = async <A>(path: string, use: (file: FileHandle) => Promise<A>): Promise<A> => {
  await using file = await open(path)
  return await use(file)
}

/** The ratio is computed from a rounded width in pixels. */
const isSquare = (ratio: number): boolean => Math.abs(ratio - 1) < 0.02

/** mediabunny's type is a browser's, so its members are checked here. */
const configurationOf = (decoder: unknown): Uint8Array | undefined => {
  const source = Predicate.hasProperty(decoder, "description") ? decoder.description : undefined
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
  return source instanceof ArrayBuffer ? new Uint8Array(source) : undefined
}

const readEncoding = async (
  track: InputVideoTrack,
  audio: InputAudioTrack | null
): Promise<NonNullable<ReadFacts["encoding"]>> => {
  const configuration = (await track.getCodec()) === "avc" ? configurationOf(await track.getDecoderConfig()) : undefined
  const sequence = configuration && readAvcSequence(configuration)
  const pixel = await track.getPixelAspectRatio()
  return {
    chroma: sequence?.chroma ?? null,
    interlaced: sequence?.interlaced ?? null,
    squarePixels: isSquare(pixel.num / pixel.den),
    audioProfile: audio === null ? null : await audio.getCodecParameterString(),
    audioChannels: audio === null ? null : await audio.getNumberOfChannels()
  }
}

/** Returns a string if the video can't be shown: the reason. */
const readFacts = async (path: string): Promise<ReadFacts | string> => {
  const input = new Input({ formats: [MP4, QTFF], source: new FilePathSource(path) })
  const track = await input.getPrimaryVideoTrack()
  if (track === null) return "it has no picture"
  const audio = await input.getPrimaryAudioTrack()
  const seconds = Math.max(await input.computeDuration(), await withFile(path, fragmentsEnd))
  const { averagePacketRate } = await track.computePacketStats(countedPackets)
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
    frameRate: Number.isFinite(averagePacketRate) ? Math.round(averagePacketRate * 100) / 100 : null,
    videoCodec: codec === null ? null : (codecNames[codec] ?? codec),
    audioCodec: audio === null ? null : ((await audio.getCodec()) ?? "unknown"),
    animated: false,
    encoding: await readEncoding(track, audio)
  }
}

/** Reads the index, without frames, and finds the parts to erase before others get the video. */
export const processVideo = Effect.fnUntraced(function* ({ path }: Order) {
  const erasure = yield* attemptOr(damaged("it is cut off, or the lengths of its boxes are wrong"))(() =>
    withFile(path, findMetadata)
  )
  const facts = yield* attemptOr(damaged("its index is damaged"))(() => readFacts(path))
  if (typeof facts === "string") return yield* damaged(facts)
  return { facts, made: {}, animation: null, erasure }
})
