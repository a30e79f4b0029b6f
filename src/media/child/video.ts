import { Effect } from "effect"
import { FilePathSource, Input, MP4, QTFF } from "mediabunny"
import { open } from "node:fs/promises"
import { type Order, type ReadFacts, Refusal } from "./protocol.ts"

/** Packets from whose times the frame rate is taken. */
const countedPackets = 200

/** Boxes at the top of a file that is taken. */
const maxBoxes = 100_000

const damaged = (detail: string) => new Refusal({ message: `The video can't be read: ${detail}` })

/** Whether the boxes at the top fill the file to its end, each with the length that it claims. */
const boxesFillFile = async (path: string): Promise<boolean> => {
  await using file = await open(path)
  const { size } = await file.stat()
  const header = Buffer.alloc(16)
  let offset = 0
  for (let box = 0; box < maxBoxes && offset < size; box++) {
    const { bytesRead } = await file.read(header, 0, 16, offset)
    if (bytesRead < 8) return false
    const short = header.readUInt32BE(0)
    // 1: a longer number follows. 0: up to the end of the file.
    if (short === 1 && bytesRead < 16) return false
    const length = short === 0 ? size - offset : short === 1 ? Number(header.readBigUInt64BE(8)) : short
    if (length < (short === 1 ? 16 : 8)) return false
    offset += length
  }
  return offset === size
}

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

/** Reads what a video's index says, without its frames. */
export const processVideo = Effect.fnUntraced(function* ({ path }: Order) {
  const fills = yield* Effect.tryPromise({ try: () => boxesFillFile(path), catch: () => damaged("it is cut off") })
  if (!fills) return yield* damaged("it is cut off, or the lengths of its boxes are wrong")
  const facts = yield* Effect.tryPromise({ try: () => read(path), catch: () => damaged("its index is damaged") })
  if (typeof facts === "string") return yield* damaged(facts)
  return { facts, made: {} }
})
