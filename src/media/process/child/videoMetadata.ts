import type { FileHandle } from "node:fs/promises"
import { type Box, makeBoxReader } from "./boxes.ts"
import type { ByteSpan, Erasure } from "./protocol.ts"
import { namesIn, sampleBoxes } from "./names.ts"
import { playedBoxes } from "./playedBoxes.ts"
import { readSampleRanges } from "./sampleRanges.ts"

/** Spans of bytes that are erased, at most. */
const maxSpans = 10_000

const paddingTypes: ReadonlySet<string> = new Set(["free", "skip", "wide"])

/** Tracks of other kinds hold places of the camera by the second, time codes, chapters or subtitles. */
const playedTracks: ReadonlySet<string> = new Set(["vide", "soun"])

/** Sorted, without those that are empty, touch or are outside of the file. */
const mergeSpans = (spans: ReadonlyArray<ByteSpan>, fileSize: number): ReadonlyArray<ByteSpan> => {
  const merged: Array<ByteSpan> = []
  for (const [offset, length] of spans.toSorted(([a], [b]) => a - b)) {
    const end = Math.min(offset + length, fileSize)
    const last = merged.at(-1)
    if (last !== undefined && offset <= last[0] + last[1]) {
      merged[merged.length - 1] = [last[0], Math.max(last[1], end - last[0])]
    } else if (end > offset) merged.push([offset, end - offset])
  }
  return merged
}

/**
 * What has to be erased in a video so that only what is played is left. Fails where the boxes do not fill the file, each with the
 * length that it claims, and where the file ends before the samples that its index names.
 *
 * The tracks are not copied to another file, as mediabunny could do: it drops what it does not know of them, such as HDR, edits and
 * codecs, takes a file that is cut off, and writes the time of the copy, so that the same file has another hash each time.
 */
export const findMetadata = async (file: FileHandle): Promise<Erasure> => {
  const { size } = await file.stat()
  const reader = makeBoxReader(file)
  const spans: Array<ByteSpan> = []
  const freed: Array<number> = []
  let isFragmented = false
  let dropsTracks = false
  /** A fragment's index, or samples. */
  let lastPart: string | undefined

  const erase = ({ contentOffset, end, offset, type }: Box) => {
    if (!paddingTypes.has(type)) freed.push(offset + 4)
    spans.push([contentOffset, end - contentOffset])
  }

  /** What is zero already stays, so that a video without names is sent as it is. */
  const eraseUnlessZero = async ([offset, length]: ByteSpan) => {
    const content = Buffer.alloc(length)
    await file.read(content, 0, length, offset)
    if (content.some((byte) => byte !== 0)) spans.push([offset, length])
  }

  const readKind = async (track: Box) => {
    const handler = await reader.find(track, ["mdia", "hdlr"])
    return handler === undefined ? "" : (await reader.readContent(handler)).toString("latin1", 8, 12)
  }

  /** The lengths in a track of sound are no bytes in some QuickTime files, so that only the offsets count there. */
  const requireSamples = async (track: Box, kind: string) => {
    for (const [offset, length] of await readSampleRanges(reader, track)) {
      if (length > 0 && offset + (kind === "vide" ? length : 1) > size)
        throw new Error("The file ends before its samples")
    }
  }

  /** `kind` is that of the track. */
  const walk = async (holder: string, [start, end]: readonly [number, number], kind = ""): Promise<void> => {
    for await (const box of reader.boxesWithin(start, end)) {
      const { contentOffset, end: boxEnd, type } = box
      isFragmented ||= type === "moof"
      if (holder === "file" && (type === "moof" || type === "mdat")) lastPart = type
      if (playedBoxes[holder]?.has(type) !== true) {
        erase(box)
        continue
      }
      let inner = kind
      if (type === "trak") {
        inner = await readKind(box)
        if (!playedTracks.has(inner)) {
          dropsTracks = true
          spans.push(...(await readSampleRanges(reader, box)))
          erase(box)
          continue
        }
        await requireSamples(box, inner)
      }
      for await (const span of namesIn(reader, box, inner)) await eraseUnlessZero(span)
      if (type === "stsd") {
        for await (const boxes of sampleBoxes(reader, box, inner)) await walk("samples", boxes)
      } else if (type in playedBoxes) await walk(type, [contentOffset, boxEnd], inner)
    }
  }

  await walk("file", [0, size])
  if (lastPart === "moof") throw new Error("The file ends before the samples of a fragment")
  const merged = mergeSpans(spans, size)
  if (merged.length > maxSpans) throw new Error("Too many parts tell something else than the picture and the sound")
  if (isFragmented && dropsTracks) throw new Error("It has fragments of tracks that are neither picture nor sound")
  return { freed, spans: merged }
}
