/** The fields of QuickTime's first and second version of a description of sound, with the header of its box. */
const describedLength = 36
const packedLength = 52

/** A field that says how long the entry is begins each one; before the first are a version and how many there are. */
const entriesOffset = 8

const roundedUp = (count: number, perPacket: number): number => (perPacket > 0 ? Math.ceil(count / perPacket) : 0)

/** How many bytes a number of samples takes by one description. */
const lengthBy = (entry: Buffer, count: number): number => {
  const version = entry.readUInt16BE(16)
  if (version === 1 && entry.length >= packedLength) {
    return roundedUp(count, entry.readUInt32BE(36)) * entry.readUInt32BE(44)
  }
  if (version === 2 && entry.length >= 72) return roundedUp(count, entry.readUInt32BE(68)) * entry.readUInt32BE(64)
  return Math.ceil((count * entry.readUInt16BE(24) * entry.readUInt16BE(26)) / 8)
}

/**
 * How many bytes a number of samples takes by the descriptions of sound in an `stsd`, whichever takes most. QuickTime counts each
 * instant of uncompressed sound as a sample of one byte, and packets by how many instants they have.
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
