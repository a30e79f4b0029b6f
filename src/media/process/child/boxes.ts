import type { FileHandle } from "node:fs/promises"
import { Refusal } from "./protocol.ts"
import { readBytes } from "./readBytes.ts"

/** A box, with offsets in the MP4 or QuickTime file. */
export interface Box {
  readonly type: string
  readonly offset: number
  readonly contentOffset: number
  readonly end: number
}

/** Nested boxes count, each time they are read: some 27 for a fragment with picture and sound. */
const maxBoxes = 200_000

const maxContentBytes = 8_000_000

const tooManyBoxes = `The video has more than ${maxBoxes} boxes, as with more than about 7000 fragments; export it without fragments (in ffmpeg: -c copy -movflags +faststart)`
const tooLongTable = `The video has a table of more than ${maxContentBytes / 1e6} MB`

/** Reads fail if boxes do not fill their parent. */
export const makeBoxReader = (file: FileHandle) => {
  const header = Buffer.alloc(16)
  let boxCount = 0

  const boxesWithin = async function* (start: number, end: number): AsyncGenerator<Box> {
    let offset = start
    while (offset < end) {
      boxCount++
      const { bytesRead } = await file.read(header, 0, 16, offset)
      // QuickTime ends some lists with a zero.
      if (end - offset < 8 && header.subarray(0, end - offset).every((byte) => byte === 0)) return
      if (boxCount > maxBoxes) throw new Refusal({ message: tooManyBoxes })
      if (bytesRead < 8) throw new Error("The boxes don't fill what holds them")
      const short = header.readUInt32BE(0)
      // A length of 1 means that a longer length follows; 0 means that the box extends to its parent's end.
      const headerLength = short === 1 ? 16 : 8
      const length = short === 0 ? end - offset : short === 1 ? Number(header.readBigUInt64BE(8)) : short
      if (bytesRead < headerLength || length < headerLength || offset + length > end) {
        throw new Error("The boxes don't fill what holds them")
      }
      yield {
        type: header.toString("latin1", 4, 8),
        offset,
        contentOffset: offset + headerLength,
        end: offset + length
      }
      offset += length
    }
  }

  const find = async (
    { contentOffset, end }: Box,
    [type, ...rest]: ReadonlyArray<string>
  ): Promise<Box | undefined> => {
    for await (const box of boxesWithin(contentOffset, end)) {
      if (box.type === type) return rest.length === 0 ? box : find(box, rest)
    }
    return undefined
  }

  const findAll = async ({ contentOffset, end }: Box, type: string): Promise<ReadonlyArray<Box>> => {
    const found: Array<Box> = []
    for await (const box of boxesWithin(contentOffset, end)) if (box.type === type) found.push(box)
    return found
  }

  const readContent = async ({ contentOffset, end }: Box): Promise<Buffer> => {
    if (end - contentOffset > maxContentBytes) throw new Refusal({ message: tooLongTable })
    return readBytes(file, contentOffset, end)
  }

  const readStart = async ({ contentOffset, end }: Box, length: number): Promise<Buffer> => {
    const start = Buffer.alloc(Math.min(end - contentOffset, length))
    const { bytesRead } = await file.read(start, 0, start.length, contentOffset)
    return start.subarray(0, bytesRead)
  }

  return { boxesWithin, find, findAll, readContent, readStart }
}
export type BoxReader = ReturnType<typeof makeBoxReader>
