import type { FileHandle } from "node:fs/promises"
import { makeBoxReader } from "./boxes.ts"
import { addFragment, readDefaults } from "./fragmentIndex.ts"
import { shownSeconds } from "./timeline.ts"
import { type IndexedTrack, readTracks } from "./trackIndex.ts"

export interface ShownVideo {
  /** Picture and sound together, by their edits. */
  readonly seconds: number
  /** Frames per second over the whole index; null if the frames have no durations. */
  readonly frameRate: number | null
  readonly closedGop: boolean
  /** The most frames from a keyframe up to the next. */
  readonly keyframeDistance: number
}

const secondsOf = (tracks: ReadonlyArray<IndexedTrack>, isFragmented: boolean): number => {
  const read = tracks.flatMap(({ edits, timeline, timescale }) => {
    const times = timeline.read()
    // A track without samples begins nowhere.
    return times.end === times.start
      ? []
      : [{ start: times.start / timescale, seconds: shownSeconds(times, timescale, edits, isFragmented) }]
  })
  // A part of a broadcast does not start at zero.
  const start = Math.min(...read.map((one) => one.start))
  return Math.max(0, ...read.map((one) => one.start - start + one.seconds))
}

/**
 * Reads the times of all samples of an MP4 or QuickTime file. A library's duration ignores all edits but the start of
 * the first, and fragments whose index has samples too. Undefined without the track.
 */
export const readShownVideo = async (file: FileHandle, trackId: number): Promise<ShownVideo | undefined> => {
  const { size } = await file.stat()
  const reader = makeBoxReader(file)
  let tracks: ReadonlyArray<IndexedTrack> = []
  let defaults: Awaited<ReturnType<typeof readDefaults>> = new Map()
  let isFragmented = false
  for await (const box of reader.boxesWithin(0, size)) {
    if (box.type === "moov") {
      tracks = await readTracks(reader, box)
      defaults = await readDefaults(reader, box)
    }
    if (box.type !== "moof") continue
    isFragmented = true
    await addFragment(reader, box, tracks, defaults)
  }
  const picture = tracks.find(({ id }) => id === trackId)
  if (picture === undefined) return undefined
  const { frames, isOpen, longestDistance, spent } = picture.timeline.read()
  return {
    seconds: secondsOf(tracks, isFragmented),
    frameRate: spent > 0 ? (frames * picture.timescale) / spent : null,
    closedGop: !isOpen,
    keyframeDistance: longestDistance
  }
}
