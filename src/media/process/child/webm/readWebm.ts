import type { FileHandle } from "node:fs/promises"
import type { Erasure } from "../protocol.ts"
import { damaged } from "../refusals.ts"
import type { ShownVideo } from "../shownVideo.ts"
import { makeZeroCheck, mergeSpans, onlyOthers } from "../spans.ts"
import { makeBlocks } from "./blocks.ts"
import { makeElementReader } from "./elements.ts"
import { makeErasing } from "./erasing.ts"
import { makeWalk } from "./walk.ts"

export interface WebmVideo {
  readonly erasure: Erasure
  /** Undefined without the track. */
  readonly shown: (trackNumber: number) => ShownVideo | undefined
}

/**
 * Finds the parts of a WebM file to erase, so that only the played parts remain, and reads the times of all blocks. A
 * live recording has neither lengths of its clusters nor its own, so nothing is taken from an index. Fails if the
 * elements do not fill the file.
 */
export const readWebm = async (file: FileHandle): Promise<WebmVideo> => {
  const { size } = await file.stat()
  const reader = makeElementReader(file)
  const erasing = makeErasing(reader)
  const blocks = makeBlocks(reader)
  await makeWalk({ reader, erasing, blocks })("file", {
    id: 0,
    offset: 0,
    contentOffset: 0,
    end: size,
    hasLength: true
  })
  const { headers, spans } = erasing.read()
  const { tracks, unitSeconds } = blocks.read()
  const played = Array.from(tracks.values(), ({ isPicture, times }) => ({
    isPicture,
    ...times.read(unitSeconds)
  })).filter(({ frames }) => frames > 0)
  if (!played.some(({ isPicture }) => isPicture)) {
    throw damaged("it has no picture")
  }
  const seconds = Math.max(...played.map(({ end }) => end)) - Math.min(...played.map(({ start }) => start))
  return {
    erasure: { headers, spans: await onlyOthers(makeZeroCheck(file), mergeSpans(spans)) },
    shown: (trackNumber) => {
      const picture = tracks.get(trackNumber)
      if (picture === undefined) return undefined
      const { end, frames, isOpen, longestDistance, start } = picture.times.read(unitSeconds)
      return {
        seconds,
        frameRate: end > start ? frames / (end - start) : null,
        closedGop: !isOpen,
        keyframeDistance: longestDistance
      }
    }
  }
}
