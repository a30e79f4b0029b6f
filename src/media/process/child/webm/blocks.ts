import { damagedIndex, makeTrackCount } from "../refusals.ts"
import { type Element, type ElementReader, readVariable } from "./elements.ts"
import { ids } from "./keptElements.ts"
import { readNumber, readWebmTrack, type WebmTrack } from "./webmTrack.ts"

/** A number of a track, a time of two bytes, flags, and the number of further packets. */
const longestHeader = 12
const keyFlag = 0x80
const lacingFlags = 0x06

/** In nanoseconds, if a file does not tell it. */
const usualScale = 1_000_000

/** Reads the tracks and the times of their blocks. Readers return the block's track; undefined if it is not played. */
export const makeBlocks = (reader: ElementReader) => {
  const tracks = new Map<number, WebmTrack>()
  const countTrack = makeTrackCount()
  let unitSeconds = usualScale / 1e9
  let clusterTime = 0

  const readBlock = async (block: Element) => {
    const start = await reader.readStart(block, longestHeader)
    const { value, width } = readVariable(start)
    const flags = start.readUInt8(width + 2)
    return {
      track: tracks.get(value),
      time: clusterTime + start.readInt16BE(width),
      isKey: (flags & keyFlag) !== 0,
      packets: (flags & lacingFlags) === 0 ? 1 : start.readUInt8(width + 3) + 1
    }
  }

  return {
    /** Notes the numbers that times depend on. */
    noteNumber: (id: number, value: number): void => {
      if (id !== ids.timestamp && id !== ids.timestampScale) return
      if (!Number.isSafeInteger(value)) throw damagedIndex
      if (id === ids.timestamp) clusterTime = value
      else unitSeconds = value / 1e9
    },
    addTrack: async (entry: Element): Promise<WebmTrack | undefined> => {
      countTrack()
      const track = await readWebmTrack(reader, entry)
      if (track !== undefined) tracks.set(track.number, track)
      return track
    },
    addBlock: async (block: Element): Promise<WebmTrack | undefined> => {
      const { track, ...timed } = await readBlock(block)
      track?.times.add({ ...timed, duration: 0 })
      return track
    },
    /** A block with members of its own. */
    addGroup: async (group: Element): Promise<WebmTrack | undefined> => {
      let block: Element | undefined
      let duration = 0
      let isKey = true
      for await (const child of reader.childrenOf(group)) {
        if (child.id === ids.block) block ??= child
        if (child.id === ids.blockDuration) duration = await readNumber(reader, child)
        if (child.id === ids.referenceBlock) isKey = false
      }
      if (block === undefined) return undefined
      const { track, ...timed } = await readBlock(block)
      track?.times.add({ ...timed, duration, isKey })
      return track
    },
    read: () => ({ tracks, unitSeconds })
  }
}
export type Blocks = ReturnType<typeof makeBlocks>
