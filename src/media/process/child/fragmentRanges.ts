import type { Box, BoxReader } from "./boxes.ts"
import type { ByteSpan } from "./protocol.ts"
import { fieldsLength, sumOfSamples } from "./trackRun.ts"

/** A fragment's samples start at `base`. Each run follows the previous run, unless it has its own offset. */
const runRange = (run: Buffer, base: number, following: number, commonSize: number): ByteSpan => {
  const start = (run.readUInt32BE(0) & 0x1) === 0 ? following : base + run.readInt32BE(8)
  return [start, sumOfSamples(run, 0x200, commonSize)]
}

/**
 * The ranges of a fragment's samples in the file (ISO/IEC 14496-12, 8.8.7 and 8.8.8). `defaultSizes` has the index's
 * sample size of each track. Fails for other tracks.
 */
export const readFragmentRanges = async (
  reader: BoxReader,
  fragment: Box,
  defaultSizes: ReadonlyMap<number, number>
): Promise<ReadonlyArray<ByteSpan>> => {
  const ranges: Array<ByteSpan> = []
  let following = fragment.offset
  for (const track of await reader.findAll(fragment, "traf")) {
    const box = await reader.find(track, ["tfhd"])
    const header = box && (await reader.readContent(box))
    const indexSize = header && defaultSizes.get(header.readUInt32BE(4))
    if (header === undefined || indexSize === undefined) throw new Error("A fragment is of an unknown track")
    const flags = header.readUInt32BE(0)
    const base =
      (flags & 0x1) !== 0 ? Number(header.readBigUInt64BE(8)) : (flags & 0x20000) !== 0 ? fragment.offset : following
    const sizeOffset = 8 + fieldsLength(flags, [0x1, 0x1, 0x2, 0x8])
    const commonSize = (flags & 0x10) === 0 ? indexSize : header.readUInt32BE(sizeOffset)
    following = base
    for (const run of await reader.findAll(track, "trun")) {
      const [start, length] = runRange(await reader.readContent(run), base, following, commonSize)
      ranges.push([start, length])
      following = start + length
    }
  }
  return ranges
}
