import type { FileHandle } from "node:fs/promises"
import { type Box, makeBoxReader } from "./boxes.ts"
import { declaredLength, type KnownTrack, unknownTrack } from "./declaredLength.ts"
import { readFragmentRanges } from "./fragmentRanges.ts"
import { namesIn, sampleBoxes } from "./names.ts"
import { makeChoice, playedBoxes } from "./playedBoxes.ts"
import { requireKnownPicture } from "./pictureCodecs.ts"
import { type ByteSpan, type Erasure, Refusal } from "./protocol.ts"
import { makeTrackCount } from "./refusals.ts"
import { readSampleRanges } from "./sampleRanges.ts"
import { makeZeroCheck, mergeSpans, onlyOthers, uncovered } from "./spans.ts"

/** Players skip boxes of this type. */
const freeType = Buffer.from("free")

const paddingTypes: ReadonlySet<string> = new Set(["free", "skip", "wide"])

/** Tracks of other kinds hold camera locations by the second, time codes, chapters or subtitles. */
const playedTracks: ReadonlySet<string> = new Set(["vide", "soun"])

/** An hour of video has a hundred thousand ranges if each sample has its own. */
const maxRanges = 500_000

const tooManyRanges = `The picture and the sound of the video are in more than ${maxRanges} places`
const foreignFragments = "The video has fragments, and tracks that are neither picture nor sound"

/**
 * Finds the parts to erase, so that only the played parts remain. Fails if the boxes do not fill the file, or if the
 * file ends before its samples.
 *
 * A copy by mediabunny would drop unknown parts, such as HDR, edits and codecs, and accept a truncated file. It would
 * also contain the time of copying, so that each copy gets another hash.
 */
export const findMetadata = async (file: FileHandle): Promise<Erasure> => {
  const { size } = await file.stat()
  const reader = makeBoxReader(file)
  // A second reader with its own count of boxes, because it reads boxes that the first reader has counted.
  const indexReader = makeBoxReader(file)
  const spans: Array<ByteSpan> = []
  const headers: Array<Erasure["headers"][number]> = []
  /** `media` has the file's parts with samples, `samples` the samples of played tracks. */
  const media: Array<ByteSpan> = []
  const samples: Array<ByteSpan> = []
  /** The numbers of the tracks that are played. */
  const played = new Set<number>()
  const defaultSizes = new Map<number, number>()
  const fragments: Array<Box> = []
  const countTrack = makeTrackCount()
  let dropsTracks = false
  /** A fragment's index (`moof`) or samples (`mdat`), whichever came last. */
  let lastPart: string | undefined

  const erase = ({ contentOffset, end, offset, type }: Box) => {
    if (!paddingTypes.has(type)) headers.push([offset + 4, freeType])
    spans.push([contentOffset, end - contentOffset])
  }

  const addSamples = ([offset, length]: ByteSpan) => {
    const last = samples.at(-1)
    if (last !== undefined && offset === last[0] + last[1]) samples[samples.length - 1] = [last[0], last[1] + length]
    else samples.push([offset, length])
    if (samples.length > maxRanges) throw new Refusal({ message: tooManyRanges })
  }

  const readKind = async (track: Box) => {
    const handler = await reader.find(track, ["mdia", "hdlr"])
    return handler === undefined ? "" : (await reader.readContent(handler)).toString("latin1", 8, 12)
  }

  /** Some QuickTime files have estimated lengths of sound, so only the offsets of sound are checked. */
  const readTrack = async (box: Box, kind: string): Promise<KnownTrack> => {
    const { count, ranges } = await readSampleRanges(reader, box, kind)
    for (const [offset, length] of ranges) {
      if (length > 0 && offset + (kind === "vide" ? length : 1) > size)
        throw new Error("The file ends before its samples")
      addSamples([offset, length])
    }
    const header = await reader.find(box, ["tkhd"])
    const content = header && (await reader.readContent(header))
    if (content !== undefined) played.add(content.readUInt32BE(content[0] === 1 ? 20 : 12))
    return { kind, sampleCount: count }
  }

  const readDefaults = async (box: Box) => {
    const content = await reader.readContent(box)
    defaultSizes.set(content.readUInt32BE(4), content.readUInt32BE(16))
  }

  const walk = async (holder: string, [start, end]: readonly [number, number], track = unknownTrack): Promise<void> => {
    const isChosen = makeChoice(holder)
    for await (const box of reader.boxesWithin(start, end)) {
      const { contentOffset, end: boxEnd, type } = box
      const declared = isChosen(type) ? await declaredLength(reader, box, track) : undefined
      if (declared === undefined) {
        erase(box)
        continue
      }
      if (holder === "file" && (type === "moof" || type === "mdat")) lastPart = type
      if (type === "mdat") media.push([contentOffset, boxEnd - contentOffset])
      if (type === "moof") fragments.push(box)
      if (type === "trex") await readDefaults(box)
      let inner = track
      if (type === "trak") {
        countTrack()
        const kind = await readKind(box)
        if (!playedTracks.has(kind)) {
          dropsTracks = true
          erase(box)
          continue
        }
        inner = await readTrack(box, kind)
      }
      spans.push([contentOffset + declared, boxEnd - contentOffset - declared])
      for await (const span of namesIn(reader, box, inner.kind)) spans.push(span)
      if (type === "stsd") {
        await requireKnownPicture(reader, box, inner.kind)
        for await (const boxes of sampleBoxes(reader, box, inner.kind)) await walk("samples", boxes, inner)
      } else if (type in playedBoxes) await walk(type, [contentOffset, boxEnd], inner)
    }
  }

  await walk("file", [0, size])
  if (lastPart === "moof") throw new Error("The file ends before the samples of a fragment")
  if (fragments.length > 0 && dropsTracks) throw new Refusal({ message: foreignFragments })
  const sizes = new Map(Array.from(played, (id) => [id, defaultSizes.get(id) ?? 0]))
  for (const fragment of fragments) {
    for (const range of await readFragmentRanges(indexReader, fragment, sizes)) addSamples(range)
  }
  const isZero = makeZeroCheck(file)
  const unused = await onlyOthers(isZero, uncovered(media, mergeSpans(samples)))
  return { headers, spans: await onlyOthers(isZero, mergeSpans([...spans, ...unused])) }
}
