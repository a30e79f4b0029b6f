import { Effect } from "effect"
import { FilePathSource, Input, MP4, QTFF } from "mediabunny"
import { open } from "node:fs/promises"
import { attemptOr, type Order, type ReadFacts, Refusal } from "./protocol.ts"
import { findMetadata } from "./videoMetadata.ts"

/** Packets from whose times the frame rate is taken. */
const countedPackets = 200

const damaged = (detail: string) => new Refusal({ message: `The video can't be read: ${detail}` })

/** The names by which people know the codecs. */
const codecNames: Readonly<Record<string, string>> = { avc: "h264" }

const read = async (path: string): Promise<ReadFacts | string> => {
  const input = new Input({ formats: [MP4, QTFF], source: new FilePathSource(path) })
  const track = await input.getPrimaryVideoTrack()
  if (track === null) return "it has no picture"
  const audio = await input.getPrimaryAudioTrack()
  const seconds = await input.computeDuration()
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
    animated: false
  }
}

const readMetadata = async (path: string) => {
  await using file = await open(path)
  return await findMetadata(file)
}

/** Reads what a video's index says, without its frames, and finds what has to be erased before others get it. */
export const processVideo = Effect.fnUntraced(function* ({ path }: Order) {
  const erasure = yield* attemptOr(damaged("it is cut off, or the lengths of its boxes are wrong"))(() =>
    readMetadata(path)
  )
  const facts = yield* attemptOr(damaged("its index is damaged"))(() => read(path))
  if (typeof facts === "string") return yield* damaged(facts)
  return { facts, made: {}, animation: null, erasure }
})
