import type { Box, BoxReader } from "./boxes.ts"
import { brandsLength, foreignBrands } from "./brands.ts"
import type { ByteSpan } from "./protocol.ts"

/**
 * Fields that are not played, as offsets and lengths in version 0: times, reserved fields, and fields for QuickTime's
 * previews and posters. In version 1, three numbers before them are longer.
 */
const headers: Readonly<Record<string, ReadonlyArray<ByteSpan>>> = {
  mvhd: [
    [26, 10],
    [72, 24]
  ],
  tkhd: [
    [24, 8],
    [38, 2]
  ],
  mdhd: [[22, 2]]
}
const datesOffset = 4

/** The version and the number of boxes. */
const listHeader = 8

/** The fields of a sample description, before its boxes. */
export const pictureFields = 78
const soundFields = 28

interface Description {
  /** The codec, such as `avc1`. */
  readonly type: string
  readonly start: number
  readonly end: number
  readonly fields: Buffer
}

export const descriptions = async function* (
  { boxesWithin, readContent, readStart }: BoxReader,
  list: Box,
  kind: string
): AsyncGenerator<Description> {
  let left = (await readStart(list, listHeader)).readUInt32BE(4)
  if (left === 0) return
  for await (const entry of boxesWithin(list.contentOffset + listHeader, list.end)) {
    const fields = await readContent(entry)
    if (fields.length < (kind === "vide" ? pictureFields : soundFields)) throw new Error("A description is cut off")
    yield { type: entry.type, start: entry.contentOffset, end: entry.end, fields }
    if (--left === 0) return
  }
}

/** QuickTime has two later versions of these fields. Version 2 declares their length, including the box's header. */
const lengthOfSound = (fields: Buffer): number => {
  const version = fields.readUInt16BE(8)
  if (version === 1) return soundFields + 16
  return version === 2 && fields.length >= 32 ? fields.readUInt32BE(28) - 8 : soundFields
}

export const sampleBoxes = async function* (
  reader: BoxReader,
  list: Box,
  kind: string
): AsyncGenerator<readonly [start: number, end: number]> {
  for await (const { end, fields, start } of descriptions(reader, list, kind)) {
    yield [start + (kind === "vide" ? pictureFields : lengthOfSound(fields)), end]
  }
}

/** Names of programs, makers and paths, and times. No player needs them. */
export const namesIn = async function* (reader: BoxReader, box: Box, kind: string): AsyncGenerator<ByteSpan> {
  const { contentOffset, end, type } = box
  const unused = headers[type]
  if (unused !== undefined) {
    const [version] = await reader.readStart(box, 1)
    yield [contentOffset + datesOffset, version === 1 ? 16 : 8]
    for (const [offset, length] of unused) yield [contentOffset + offset + (version === 1 ? 12 : 0), length]
  }
  if (type === "ftyp" || type === "styp") {
    for (const offset of foreignBrands(await reader.readStart(box, brandsLength(end - contentOffset))))
      yield [contentOffset + offset, 4]
  }
  // The handler's maker and name follow its kind.
  if (type === "hdlr") yield [contentOffset + 12, Math.max(0, end - contentOffset - 12)]
  if (type === "dref") {
    // An entry's flags say that the samples are in this file; other entries have a path.
    for await (const entry of reader.boxesWithin(contentOffset + listHeader, end)) {
      yield [entry.contentOffset + 4, Math.max(0, entry.end - entry.contentOffset - 4)]
    }
  }
  if (type === "stsd") {
    let last = contentOffset + listHeader
    for await (const { end: entryEnd, start } of descriptions(reader, box, kind)) {
      last = entryEnd
      yield [start + 12, kind === "vide" ? 12 : 4]
      if (kind === "vide") yield [start + 42, 32]
    }
    yield [last, end - last]
  }
}
