import type { Box, BoxReader } from "./boxes.ts"
import { fieldsLength, sumOfSamples } from "./trackRun.ts"
import { declareGroups, type IndexedTrack } from "./trackIndex.ts"

/** Values of samples whose fragment does not state them. */
interface Defaults {
  readonly duration: number
  readonly flags: number
}

/** Set for a sample that is no keyframe (ISO/IEC 14496-12, 8.8.3). */
const notKey = 0x10000

/** The defaults of each track in the index, by its number. */
export const readDefaults = async (reader: BoxReader, movie: Box): Promise<ReadonlyMap<number, Defaults>> => {
  const defaults = new Map<number, Defaults>()
  const extension = await reader.find(movie, ["mvex"])
  for (const box of extension === undefined ? [] : await reader.findAll(extension, "trex")) {
    const content = await reader.readContent(box)
    defaults.set(content.readUInt32BE(4), { duration: content.readUInt32BE(12), flags: content.readUInt32BE(20) })
  }
  return defaults
}

const addRun = (run: Buffer, { duration, flags }: Defaults, { kind, timeline }: IndexedTrack) => {
  const present = run.readUInt32BE(0)
  const count = run.readUInt32BE(4)
  const has = (flag: number) => (present & flag) !== 0
  if (kind !== "vide") {
    timeline.addSound(sumOfSamples(run, 0x100, duration))
    return
  }
  let at = 8 + (has(0x1) ? 4 : 0)
  const read = (flag: number, orElse: number): number => {
    if (!has(flag)) return orElse
    at += 4
    return run.readUInt32BE(at - 4)
  }
  const firstFlags = has(0x4) ? read(0x4, flags) : undefined
  for (let index = 0; index < count; index++) {
    const own = read(0x100, duration)
    read(0x200, 0)
    const sampleFlags = read(0x400, index === 0 ? (firstFlags ?? flags) : flags)
    // Signed in version 1. Others have no such long offsets.
    const delay = read(0x800, 0) | 0
    timeline.addFrame(own, delay, (sampleFlags & notKey) === 0)
  }
}

const addTrackFragment = async (
  reader: BoxReader,
  fragment: Box,
  tracks: ReadonlyArray<IndexedTrack>,
  defaults: ReadonlyMap<number, Defaults>
) => {
  const box = await reader.find(fragment, ["tfhd"])
  const header = box && (await reader.readContent(box))
  const id = header?.readUInt32BE(4)
  const track = tracks.find((one) => one.id === id)
  if (header === undefined || track === undefined) return
  const present = header.readUInt32BE(0)
  let at = 8 + fieldsLength(present, [0x1, 0x1, 0x2])
  const read = (flag: number, orElse: number): number => {
    if ((present & flag) === 0) return orElse
    at += 4
    return header.readUInt32BE(at - 4)
  }
  const ofTrack = defaults.get(track.id) ?? { duration: 0, flags: 0 }
  const duration = read(0x8, ofTrack.duration)
  read(0x10, 0)
  const own: Defaults = { duration, flags: read(0x20, ofTrack.flags) }
  const timed = await reader.find(fragment, ["tfdt"])
  const time = timed && (await reader.readContent(timed))
  if (time !== undefined) {
    track.timeline.continueAt(time[0] === 1 ? Number(time.readBigUInt64BE(4)) : time.readUInt32BE(4))
  }
  for (const run of await reader.findAll(fragment, "trun")) addRun(await reader.readContent(run), own, track)
  await declareGroups(reader, fragment, track.timeline)
}

/** Adds the samples of a `moof` to the timelines of their tracks. */
export const addFragment = async (
  reader: BoxReader,
  fragment: Box,
  tracks: ReadonlyArray<IndexedTrack>,
  defaults: ReadonlyMap<number, Defaults>
) => {
  for (const each of await reader.findAll(fragment, "traf")) await addTrackFragment(reader, each, tracks, defaults)
}
