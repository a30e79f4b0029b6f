import type { Box, BoxReader } from "./boxes.ts"
import { type Edit, makeTimeline, type Timeline } from "./timeline.ts"

export interface IndexedTrack {
  readonly id: number
  /** `vide` or `soun`. */
  readonly kind: string
  readonly timescale: number
  readonly edits: ReadonlyArray<Edit>
  readonly timeline: Timeline
}

const longNumber = (content: Buffer, offset: number): number => Number(content.readBigUInt64BE(offset))

const readEdits = (list: Buffer, movieTimescale: number): ReadonlyArray<Edit> => {
  const isLong = list[0] === 1
  const each = isLong ? 20 : 12
  return Array.from({ length: list.readUInt32BE(4) }, (_, index) => {
    const at = 8 + index * each
    const length = isLong ? longNumber(list, at) : list.readUInt32BE(at)
    const from = isLong ? Number(list.readBigInt64BE(at + 8)) : list.readInt32BE(at + 4)
    const rate = list.readInt32BE(at + each - 4) / 65_536
    return { seconds: length / movieTimescale, from: from < 0 ? undefined : from, rate }
  })
}

/** Runs of equal values, such as in `stts` and `ctts`. 0 beyond the last run. */
const runReader = (table: Buffer | undefined) => {
  if (table === undefined) return () => 0
  const count = table.readUInt32BE(4)
  let run = -1
  let left = 0
  let value = 0
  return (): number => {
    while (left === 0 && run + 1 < count) {
      run++
      left = table.readUInt32BE(8 + run * 8)
      // QuickTime has negative offsets without a version of their own.
      value = table.readInt32BE(12 + run * 8)
    }
    if (left === 0) return 0
    left--
    return value
  }
}

/** The numbers of keyframes, from 1 and ascending. Without a table, each frame is one. */
const keyReader = (table: Buffer | undefined): ((number: number) => boolean) => {
  if (table === undefined) return () => true
  const count = table.readUInt32BE(4)
  let next = 0
  return (number) => {
    while (next < count && table.readUInt32BE(8 + next * 4) < number) next++
    return next < count && table.readUInt32BE(8 + next * 4) === number
  }
}

const soundDuration = (times: Buffer): number => {
  let duration = 0
  const count = times.readUInt32BE(4)
  for (let run = 0; run < count; run++) duration += times.readUInt32BE(8 + run * 8) * times.readUInt32BE(12 + run * 8)
  return duration
}

/** True if a group names random access points, which are not closed (ISO/IEC 14496-12, 10.4). */
const namesOpen = (group: Buffer): boolean =>
  group.toString("latin1", 4, 8) === "rap " && group.readUInt32BE(group[0] === 1 ? 12 : 8) > 0

export const declareGroups = async ({ findAll, readContent }: BoxReader, parent: Box, timeline: Timeline) => {
  for (const group of await findAll(parent, "sbgp")) if (namesOpen(await readContent(group))) timeline.declareOpen()
}

const readSamples = async (reader: BoxReader, tables: Box, kind: string): Promise<Timeline> => {
  const { find, readContent } = reader
  const timeline = makeTimeline()
  const table = async (type: string) => {
    const box = await find(tables, [type])
    return box && readContent(box)
  }
  const times = await table("stts")
  if (times === undefined) return timeline
  if (kind !== "vide") {
    timeline.addSound(soundDuration(times))
    return timeline
  }
  const sizes = (await table("stsz")) ?? (await table("stz2"))
  const duration = runReader(times)
  const delay = runReader(await table("ctts"))
  const isKey = keyReader(await table("stss"))
  const count = sizes?.readUInt32BE(8) ?? 0
  for (let number = 1; number <= count; number++) timeline.addFrame(duration(), delay(), isKey(number))
  // QuickTime's list of keyframes that are not closed.
  if (((await table("stps"))?.readUInt32BE(4) ?? 0) > 0) timeline.declareOpen()
  await declareGroups(reader, tables, timeline)
  return timeline
}

const readTrack = async (reader: BoxReader, track: Box, movieTimescale: number): Promise<IndexedTrack | undefined> => {
  const content = async (path: ReadonlyArray<string>) => {
    const box = await reader.find(track, path)
    return box && reader.readContent(box)
  }
  const header = await content(["tkhd"])
  const media = await content(["mdia", "mdhd"])
  const kind = (await content(["mdia", "hdlr"]))?.toString("latin1", 8, 12) ?? ""
  const tables = await reader.find(track, ["mdia", "minf", "stbl"])
  if (header === undefined || media === undefined || tables === undefined) return undefined
  const timescale = media.readUInt32BE(media[0] === 1 ? 20 : 12)
  if ((kind !== "vide" && kind !== "soun") || timescale === 0) return undefined
  const edits = await content(["edts", "elst"])
  return {
    id: header.readUInt32BE(header[0] === 1 ? 20 : 12),
    kind,
    timescale,
    edits: edits === undefined ? [] : readEdits(edits, movieTimescale),
    timeline: await readSamples(reader, tables, kind)
  }
}

/** The tracks of picture and sound, with the samples of the index. Fragments are added to them. */
export const readTracks = async (reader: BoxReader, movie: Box): Promise<ReadonlyArray<IndexedTrack>> => {
  const header = await reader.find(movie, ["mvhd"])
  const times = header && (await reader.readContent(header))
  const movieTimescale = times?.readUInt32BE(times[0] === 1 ? 20 : 12) ?? 0
  const tracks: Array<IndexedTrack> = []
  for (const track of await reader.findAll(movie, "trak")) {
    const read = await readTrack(reader, track, movieTimescale)
    if (read !== undefined) tracks.push(read)
  }
  return tracks
}
