/** A sample's optional fields in a `trun` (ISO/IEC 14496-12, 8.8.8): duration, size, flags and time offset. */
const sampleFields = [0x100, 0x200, 0x400, 0x800]

/** The length of the fields that `flags` announce. A field of eight bytes is listed twice. */
export const fieldsLength = (flags: number, fields: ReadonlyArray<number>): number =>
  fields.filter((field) => (flags & field) !== 0).length * 4

export const samplesLength = (flags: number, count: number): number => count * fieldsLength(flags, sampleFields)

export const samplesOffset = (flags: number): number => 8 + fieldsLength(flags, [0x1, 0x4])

/** Adds up durations (0x100) or sizes (0x200). Without the field, each sample has the `common` value. */
export const sumOfSamples = (run: Buffer, field: 0x100 | 0x200, common: number): number => {
  const flags = run.readUInt32BE(0)
  const count = run.readUInt32BE(4)
  if ((flags & field) === 0) return count * common
  const first = samplesOffset(flags) + fieldsLength(flags, field === 0x200 ? [0x100] : [])
  const each = samplesLength(flags, 1)
  let sum = 0
  for (let index = 0; index < count; index++) sum += run.readUInt32BE(first + index * each)
  return sum
}
