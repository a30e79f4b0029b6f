/** Lengths in QuickTime's version 0 and 1, including the box's header. */
const describedLength = 36
const packedLength = 52

/** The entries follow a version and their count. Each begins with its length. */
const entriesOffset = 8

const roundedUp = (count: number, perPacket: number): number => (perPacket > 0 ? Math.ceil(count / perPacket) : 0)

const lengthBy = (entry: Buffer, count: number): number => {
  const version = entry.readUInt16BE(16)
  if (version === 1 && entry.length >= packedLength) {
    return roundedUp(count, entry.readUInt32BE(36)) * entry.readUInt32BE(44)
  }
  if (version === 2 && entry.length >= 72) return roundedUp(count, entry.readUInt32BE(68)) * entry.readUInt32BE(64)
  return Math.ceil((count * entry.readUInt16BE(24) * entry.readUInt16BE(26)) / 8)
}

/**
 * Returns the bytes of a number of samples: the largest result of an `stsd`'s sound descriptions. In QuickTime, a
 * sample of uncompressed sound is one instant with a size of 1, and packets are counted by their instants.
 */
export const soundLengths = (descriptions: Buffer) => {
  const entries: Array<Buffer> = []
  let at = entriesOffset
  while (at + describedLength <= descriptions.length) {
    const end = at + descriptions.readUInt32BE(at)
    if (end < at + describedLength || end > descriptions.length) break
    entries.push(descriptions.subarray(at, end))
    at = end
  }
  return (count: number): number => Math.max(0, ...entries.map((entry) => lengthBy(entry, count)))
}
