import type { FileHandle } from "node:fs/promises"
import { type Box, type BoxReader, makeBoxReader } from "./boxes.ts"
import { fieldsLength, sumOfSamples } from "./trackRun.ts"

interface TrackTimes {
  readonly timescale: number
  /** In units of the timescale, for samples whose fragment has no duration. */
  defaultDuration: number
  end: number
}

const longNumber = (content: Buffer, offset: number): number => Number(content.readBigUInt64BE(offset))

const readTracks = async (reader: BoxReader, movie: Box): Promise<Map<number, TrackTimes>> => {
  const tracks = new Map<number, TrackTimes>()
  for (const track of await reader.findAll(movie, "trak")) {
    const header = await reader.find(track, ["tkhd"])
    const media = await reader.find(track, ["mdia", "mdhd"])
    if (header === undefined || media === undefined) continue
    const named = await reader.readContent(header)
    const times = await reader.readContent(media)
    const isLong = times[0] === 1
    tracks.set(named.readUInt32BE(named[0] === 1 ? 20 : 12), {
      timescale: times.readUInt32BE(isLong ? 20 : 12),
      defaultDuration: 0,
      end: isLong ? longNumber(times, 24) : times.readUInt32BE(16)
    })
  }
  const extension = await reader.find(movie, ["mvex"])
  for (const defaults of extension === undefined ? [] : await reader.findAll(extension, "trex")) {
    const content = await reader.readContent(defaults)
    const track = tracks.get(content.readUInt32BE(4))
    if (track !== undefined) track.defaultDuration = content.readUInt32BE(12)
  }
  return tracks
}

const readFragment = async (reader: BoxReader, fragment: Box, tracks: ReadonlyMap<number, TrackTimes>) => {
  const header = await reader.find(fragment, ["tfhd"])
  if (header === undefined) return
  const content = await reader.readContent(header)
  const flags = content.readUInt32BE(0)
  const track = tracks.get(content.readUInt32BE(4))
  if (track === undefined) return
  const offset = 8 + fieldsLength(flags, [0x1, 0x1, 0x2])
  const defaultDuration = (flags & 0x8) === 0 ? track.defaultDuration : content.readUInt32BE(offset)
  const timed = await reader.find(fragment, ["tfdt"])
  const time = timed && (await reader.readContent(timed))
  let end = time === undefined ? track.end : time[0] === 1 ? longNumber(time, 4) : time.readUInt32BE(4)
  for (const run of await reader.findAll(fragment, "trun")) {
    end += sumOfSamples(await reader.readContent(run), 0x100, defaultDuration)
  }
  track.end = Math.max(track.end, end)
}

/**
 * The fragments' end in seconds; 0 without fragments. mediabunny stops at the index's end if the index contains the
 * first samples, or if each track has its own fragments.
 */
export const fragmentsEnd = async (file: FileHandle): Promise<number> => {
  const { size } = await file.stat()
  const reader = makeBoxReader(file)
  let tracks = new Map<number, TrackTimes>()
  let isFragmented = false
  for await (const box of reader.boxesWithin(0, size)) {
    if (box.type === "moov") tracks = await readTracks(reader, box)
    if (box.type !== "moof") continue
    isFragmented = true
    for (const fragment of await reader.findAll(box, "traf")) await readFragment(reader, fragment, tracks)
  }
  const ends = [...tracks.values()].map(({ end, timescale }) => (timescale > 0 ? end / timescale : 0))
  return isFragmented ? Math.max(0, ...ends) : 0
}
