import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createInflate } from "node:zlib"

/** By color type: gray, RGB, palette, gray and RGB with transparency. */
const channels: Readonly<Record<number, number | undefined>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

/** The first pixel of each pass of an interlaced picture, and the distances between its pixels. */
const passes = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2]
] as const

/** The pixels' length in bytes, with an extra byte per row; undefined if the header is invalid. */
export const pixelsLength = (header: Buffer): number | undefined => {
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  const numbers = channels[header.readUInt8(9)]
  if (numbers === undefined) return undefined
  const bits = numbers * header.readUInt8(8)
  const lengthOf = (columns: number, rows: number) => (columns > 0 ? rows * (1 + Math.ceil((columns * bits) / 8)) : 0)
  if (header.readUInt8(12) === 0) return lengthOf(width, height)
  return passes.reduce(
    (sum, [left, top, right, down]) =>
      sum + lengthOf(Math.ceil((width - left) / right), Math.ceil((height - top) / down)),
    0
  )
}

/** True only if the bytes inflate to `length` and nothing follows. Discards the result. */
export const inflatesTo = async (compressed: ReadonlyArray<Buffer>, length: number): Promise<boolean> => {
  const inflate = createInflate({ chunkSize: 256 * 1024 })
  let left = length
  try {
    await pipeline(Readable.from(compressed), inflate, async (inflated: AsyncIterable<Buffer>) => {
      for await (const part of inflated) {
        left -= part.length
        if (left < 0) return
      }
    })
  } catch {
    return false
  }
  return left === 0 && inflate.bytesWritten === compressed.reduce((sum, part) => sum + part.length, 0)
}
