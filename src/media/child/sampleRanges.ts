import type { Box, BoxReader } from "./boxes.ts"
import type { ByteSpan } from "./protocol.ts"

const tables = ["mdia", "minf", "stbl"]

const readOffsets = (content: Buffer, bytesEach: 4 | 8): ReadonlyArray<number> =>
  Array.from({ length: content.readUInt32BE(4) }, (_, index) =>
    bytesEach === 4 ? content.readUInt32BE(8 + index * 4) : Number(content.readBigUInt64BE(8 + index * 8))
  )

/** Where the samples of a track are in the file, by its tables. */
export const readSampleRanges = async (
  { find, readContent }: BoxReader,
  track: Box
): Promise<ReadonlyArray<ByteSpan>> => {
  const table = async (type: string) => {
    const box = await find(track, [...tables, type])
    return box && readContent(box)
  }
  const short = await table("stco")
  const long = await table("co64")
  const runs = await table("stsc")
  const sizes = await table("stsz")
  if (runs === undefined || (short === undefined && long === undefined)) return []
  if (sizes === undefined) throw new Error("The sizes of samples are unknown")
  const offsets = [...(short ? readOffsets(short, 4) : []), ...(long ? readOffsets(long, 8) : [])]
  const commonSize = sizes.readUInt32BE(4)
  const sampleCount = sizes.readUInt32BE(8)
  const runCount = runs.readUInt32BE(4)
  const firstChunkOf = (run: number) => (run < runCount ? runs.readUInt32BE(8 + run * 12) : Infinity)

  const ranges: Array<ByteSpan> = []
  let sample = 0
  let run = 0
  for (const [index, offset] of offsets.entries()) {
    while (firstChunkOf(run + 1) <= index + 1) run++
    if (run >= runCount) break
    const end = Math.min(sample + runs.readUInt32BE(12 + run * 12), sampleCount)
    let length = commonSize * (end - sample)
    if (commonSize === 0) for (let at = sample; at < end; at++) length += sizes.readUInt32BE(12 + at * 4)
    sample = end
    ranges.push([offset, length])
  }
  return ranges
}
