import type { Box, BoxReader } from "./boxes.ts"
import type { ByteSpan } from "./protocol.ts"

/** Boxes that tell when a file, a track and its samples were made and changed. */
const datedBoxes: ReadonlySet<string> = new Set(["mvhd", "tkhd", "mdhd"])

/** What a list of boxes has before the first one: its version, and how many they are. */
const listHeader = 8

/** The fields of a description of samples, before its boxes. */
const pictureFields = 78
const soundFields = 28

interface Description {
  readonly start: number
  readonly end: number
  readonly fields: Buffer
}

const descriptions = async function* (
  { boxesWithin, readContent }: BoxReader,
  { contentOffset, end }: Box,
  kind: string
): AsyncGenerator<Description> {
  for await (const entry of boxesWithin(contentOffset + listHeader, end)) {
    const fields = await readContent(entry)
    if (fields.length < (kind === "vide" ? pictureFields : soundFields)) throw new Error("A description is cut off")
    yield { start: entry.contentOffset, end: entry.end, fields }
  }
}

/** QuickTime has two later versions of a sound's fields, the second of which says how long they are, with the box's own header. */
const lengthOfSound = (fields: Buffer): number => {
  const version = fields.readUInt16BE(8)
  if (version === 1) return soundFields + 16
  return version === 2 && fields.length >= 32 ? fields.readUInt32BE(28) - 8 : soundFields
}

/** Where the boxes are that stand in the descriptions of a track's samples, in an `stsd`. */
export const sampleBoxes = async function* (
  reader: BoxReader,
  list: Box,
  kind: string
): AsyncGenerator<readonly [start: number, end: number]> {
  for await (const { end, fields, start } of descriptions(reader, list, kind)) {
    yield [start + (kind === "vide" ? pictureFields : lengthOfSound(fields)), end]
  }
}

/** What names programs, makers and paths in a box that is played, and tells when it was made. No player needs it. */
export const namesIn = async function* (reader: BoxReader, box: Box, kind: string): AsyncGenerator<ByteSpan> {
  const { contentOffset, end, type } = box
  if (datedBoxes.has(type)) {
    const version = await reader.readByte(contentOffset)
    yield [contentOffset + 4, version === 1 ? 16 : 8]
  }
  // After the kind: who made the handler, and what it is called.
  if (type === "hdlr") yield [contentOffset + 12, Math.max(0, end - contentOffset - 12)]
  if (type === "dref") {
    // An entry says in its flags that the samples are in this file; others have a path.
    for await (const entry of reader.boxesWithin(contentOffset + listHeader, end)) {
      yield [entry.contentOffset + 4, Math.max(0, entry.end - entry.contentOffset - 4)]
    }
  }
  if (type === "stsd") {
    for await (const { start } of descriptions(reader, box, kind)) {
      yield [start + 12, 4]
      if (kind === "vide") yield [start + 42, 32]
    }
  }
}
