import { profileAlone } from "./colorProfile.ts"

const headerLength = 12

/** VP8X's flags of a color profile, transparency and animation. The others announce EXIF and XMP. */
const shownFlags = 0x32

/** The visible chunks of a file and of an animation's frame. */
const fileChunks: ReadonlySet<string> = new Set(["VP8X", "ICCP", "ANIM", "ANMF", "ALPH", "VP8 ", "VP8L"])
const frameChunks: ReadonlySet<string> = new Set(["ALPH", "VP8 ", "VP8L"])

/** Place, size and duration. */
const frameHeaderLength = 16

const makeChunk = (type: string, content: Buffer): Buffer => {
  const header = Buffer.alloc(8)
  header.write(type, "latin1")
  header.writeUInt32LE(content.length, 4)
  return Buffer.concat([header, content, Buffer.alloc(content.length % 2)])
}

/** The chunks as `keep` returns them; undefined if the chunks don't fill the bytes. */
const keepChunks = (
  bytes: Buffer,
  types: ReadonlySet<string>,
  keep: (type: string, content: Buffer) => Buffer | undefined
): Buffer | undefined => {
  const kept: Array<Buffer> = []
  const seen = new Set<string>()
  let at = 0
  while (at < bytes.length) {
    if (at + 8 > bytes.length) return undefined
    const type = bytes.toString("latin1", at, at + 4)
    const end = at + 8 + bytes.readUInt32LE(at + 4)
    if (end > bytes.length) return undefined
    if (types.has(type) && (type === "ANMF" || !seen.has(type))) {
      const content = keep(type, bytes.subarray(at + 8, end))
      if (content === undefined) return undefined
      kept.push(makeChunk(type, content))
    }
    seen.add(type)
    at = end + (end % 2)
  }
  return Buffer.concat(kept)
}

const keepContent = (type: string, content: Buffer): Buffer | undefined => {
  if (type === "VP8X") {
    if (content.length !== 10) return undefined
    return Buffer.concat([Buffer.from([content.readUInt8(0) & shownFlags, 0, 0, 0]), content.subarray(4)])
  }
  if (type === "ICCP") return profileAlone(content)
  if (type === "ANIM") return content.length === 6 ? content : undefined
  if (type !== "ANMF") return content
  if (content.length < frameHeaderLength) return undefined
  const frame = keepChunks(content.subarray(frameHeaderLength), frameChunks, (_, shown) => shown)
  return frame && Buffer.concat([content.subarray(0, frameHeaderLength), frame])
}

/** Keeps pixels, color profile and animation; undefined if the chunks can't be parsed to the end. */
export const webpAlone = (bytes: Buffer): Buffer | undefined => {
  if (bytes.length < headerLength || bytes.toString("latin1", 0, 4) !== "RIFF") return undefined
  const end = 8 + bytes.readUInt32LE(4)
  if (end < headerLength || end > bytes.length || bytes.toString("latin1", 8, 12) !== "WEBP") return undefined
  const kept = keepChunks(bytes.subarray(headerLength, end), fileChunks, keepContent)
  if (kept === undefined || kept.length === 0) return undefined
  return makeChunk("RIFF", Buffer.concat([Buffer.from("WEBP"), kept]))
}
