import type { Box, BoxReader } from "./boxes.ts"
import type { ByteSpan } from "./protocol.ts"
import { soundLengths } from "./soundLengths.ts"

const tables = ["mdia", "minf", "stbl"]

const readOffsets = (content: Buffer, bytesEach: 4 | 8): ReadonlyArray<number> =>
  Array.from({ length: content.readUInt32BE(4) }, (_, index) =>
    bytesEach === 4 ? content.readUInt32BE(8 + index * 4) : Number(content.readBigUInt64BE(8 + index * 8))
  )

interface Sizes {
  readonly count: number
  readonly sum: (from: number, to: number) => number
}

const none: Sizes = { count: 0, sum: () => 0 }

const sumOf =
  (at: (index: number) => number): Sizes["sum"] =>
  (from, to) => {
    let sum = 0
    for (let index = from; index < to; index++) sum += at(index)
    return sum
  }

/** `lengthOf` returns the length of samples that have a common size. */
const readSizes = (content: Buffer, lengthOf: (commonSize: number, count: number) => number): Sizes => {
  const commonSize = content.readUInt32BE(4)
  return {
    count: content.readUInt32BE(8),
    sum:
      commonSize === 0
        ? sumOf((index) => content.readUInt32BE(12 + index * 4))
        : (from, to) => lengthOf(commonSize, to - from)
  }
}

/** Reads sizes of 4, 8 or 16 bits each. */
const readCompactSizes = (content: Buffer): Sizes => {
  const bits = content.readUInt8(7)
  const half = (index: number) => (content.readUInt8(12 + (index >> 1)) >> (index % 2 === 0 ? 4 : 0)) & 0xf
  const at = (index: number) =>
    bits === 16 ? content.readUInt16BE(12 + index * 2) : bits === 8 ? content.readUInt8(12 + index) : half(index)
  return { count: content.readUInt32BE(8), sum: sumOf(at) }
}

/** The samples of a chunk are contiguous. Each entry of `runs` has the samples per chunk, from its first chunk on. */
const rangesOf = function* (offsets: ReadonlyArray<number>, runs: Buffer, sizes: Sizes): Generator<ByteSpan> {
  const runCount = runs.readUInt32BE(4)
  const firstChunkOf = (run: number) => (run < runCount ? runs.readUInt32BE(8 + run * 12) : Infinity)
  let sample = 0
  let run = 0
  for (const [index, offset] of offsets.entries()) {
    while (firstChunkOf(run + 1) <= index + 1) run++
    if (run >= runCount) break
    const end = Math.min(sample + runs.readUInt32BE(12 + run * 12), sizes.count)
    yield [offset, sizes.sum(sample, end)]
    sample = end
  }
}

/** The ranges of a track's samples, from the tables in the index. */
export const readSampleRanges = async (
  { find, readContent }: BoxReader,
  track: Box,
  kind: string
): Promise<{ readonly count: number; readonly ranges: Iterable<ByteSpan> }> => {
  const table = async (type: string) => {
    const box = await find(track, [...tables, type])
    return box && readContent(box)
  }
  const readTrackSizes = async (): Promise<Sizes | undefined> => {
    const sizes = await table("stsz")
    if (sizes !== undefined) {
      const descriptions = kind === "soun" ? await table("stsd") : undefined
      const ofSound = descriptions && soundLengths(descriptions)
      return readSizes(sizes, (size, count) => Math.max(size * count, ofSound?.(count) ?? 0))
    }
    const compactSizes = await table("stz2")
    return compactSizes && readCompactSizes(compactSizes)
  }
  const short = await table("stco")
  const long = await table("co64")
  const offsets = [...(short ? readOffsets(short, 4) : []), ...(long ? readOffsets(long, 8) : [])]
  const runs = await table("stsc")
  const sizes = await readTrackSizes()
  if (runs === undefined || offsets.length === 0) return { count: (sizes ?? none).count, ranges: [] }
  if (sizes === undefined) throw new Error("The sizes of samples are unknown")
  return { count: sizes.count, ranges: rangesOf(offsets, runs, sizes) }
}
