const extension = 0x21
const image = 0x2c
const trailer = 0x3b
const graphicControl = 0xf9
const application = 0xff

/** Extensions for repetitions. Other applications' extensions may have any content. */
const loops: ReadonlySet<string> = new Set(["NETSCAPE2.0", "ANIMEXTS1.0"])

const tableLength = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)

/** A length of up to 255 precedes each block; a length of 0 ends the list. Undefined if the file ends earlier. */
const endOfBlocks = (bytes: Buffer, from: number): number | undefined => {
  let at = from
  for (let length = bytes[at]; length !== undefined; length = bytes[at]) {
    at += length + 1
    if (length === 0) return at
  }
  return undefined
}

/** Keeps the extension up to the number of repetitions. */
const loopOf = (bytes: Buffer, at: number): Buffer | undefined => {
  const isLoop = bytes[at + 2] === 11 && loops.has(bytes.toString("latin1", at + 3, at + 14))
  return isLoop && bytes[at + 14] === 3 && bytes[at + 15] === 1
    ? Buffer.concat([bytes.subarray(at, at + 18), Buffer.of(0)])
    : undefined
}

/** Keeps images, times and repetitions; undefined if the blocks can't be parsed to the end. */
export const gifAlone = (bytes: Buffer): Buffer | undefined => {
  if (bytes.length < 13 || !/^GIF8[79]a$/.test(bytes.toString("latin1", 0, 6))) return undefined
  let at = 13 + tableLength(bytes.readUInt8(10))
  const kept = [bytes.subarray(0, at)]
  let control: Buffer | undefined
  let hasImage = false
  while (at < bytes.length) {
    const kind = bytes[at]
    if (kind === trailer) return hasImage ? Buffer.concat([...kept, bytes.subarray(at, at + 1)]) : undefined
    const isImage = kind === image && at + 10 < bytes.length
    const start = isImage ? at + 10 + tableLength(bytes.readUInt8(at + 9)) + 1 : at + 2
    const end = isImage || kind === extension ? endOfBlocks(bytes, start) : undefined
    if (end === undefined) return undefined
    if (isImage) {
      if (control !== undefined) kept.push(control)
      control = undefined
      kept.push(bytes.subarray(at, end))
      hasImage = true
    } else if (bytes[at + 1] === graphicControl) {
      if (end !== at + 8) return undefined
      control = bytes.subarray(at, end)
    } else if (bytes[at + 1] === application) {
      const loop = loopOf(bytes, at)
      if (loop !== undefined) kept.push(loop)
    }
    at = end
  }
  return undefined
}
