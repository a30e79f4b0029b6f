import { crc32, deflateSync, inflateSync } from "node:zlib"
import { maxProfileLength, profileAlone } from "./colorProfile.ts"
import { inflatesTo, pixelsLength } from "./pngPixels.ts"

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** Names of chunks that a reader may not skip begin with a capital letter. */
const critical: ReadonlySet<string> = new Set(["IHDR", "PLTE", "IDAT", "IEND"])

/** Chunks for colors and proportions, each with its only valid length. They precede the pixels. */
const lengths: Readonly<Record<string, number | undefined>> = {
  gAMA: 4,
  cHRM: 32,
  sRGB: 1,
  cICP: 4,
  mDCV: 24,
  cLLI: 4,
  pHYs: 9
}
const shown: ReadonlySet<string> = new Set(["tRNS", "iCCP", ...Object.keys(lengths)])

/** Replaces the profile's name, which the file's maker chose. */
const profileName = Buffer.from("color\0\0", "latin1")
const maxNameLength = 80

const makeChunk = (type: string, content: Buffer): Buffer => {
  const chunk = Buffer.alloc(12 + content.length)
  chunk.writeUInt32BE(content.length)
  chunk.write(type, 4, "latin1")
  content.copy(chunk, 8)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), 8 + content.length)
  return chunk
}

const inflateProfile = (compressed: Buffer): Buffer | undefined => {
  try {
    return inflateSync(compressed, { maxOutputLength: maxProfileLength })
  } catch {
    return undefined
  }
}

/** A name, a zero byte and the compression method, which is zero, precede the profile. */
const keepProfile = (content: Buffer): Buffer | undefined => {
  const nameEnd = content.subarray(0, maxNameLength).indexOf(0)
  if (nameEnd === -1 || content[nameEnd + 1] !== 0) return undefined
  const profile = inflateProfile(content.subarray(nameEnd + 2))
  const kept = profile && profileAlone(profile)
  return kept && makeChunk("iCCP", Buffer.concat([profileName, deflateSync(kept)]))
}

const isCritical = (type: string) => /^[A-Z]/.test(type)

/**
 * Keeps header, colors and pixels; undefined if the chunks can't be parsed to the end, or have more than the pixels.
 */
export const pngAlone = async (bytes: Buffer): Promise<Buffer | undefined> => {
  if (!bytes.subarray(0, 8).equals(signature)) return undefined
  const kept: Array<Buffer> = [signature]
  const seen = new Set<string>()
  const pixels: Array<Buffer> = []
  let length: number | undefined
  let at = 8
  while (at + 12 <= bytes.length) {
    const contentLength = bytes.readUInt32BE(at)
    const type = bytes.toString("latin1", at + 4, at + 8)
    const end = at + 12 + contentLength
    if (end > bytes.length || (isCritical(type) && !critical.has(type))) return undefined
    if (seen.size === 0 && (type !== "IHDR" || contentLength !== 13)) return undefined
    const chunk = bytes.subarray(at, end)
    const content = chunk.subarray(8, -4)
    if (type === "IEND") {
      const isWhole = contentLength === 0 && length !== undefined && (await inflatesTo(pixels, length))
      return isWhole ? Buffer.concat([...kept, chunk]) : undefined
    }
    if (type === "IHDR") length = pixelsLength(content)
    if (type === "IDAT") pixels.push(content)
    const isShown =
      shown.has(type) &&
      !seen.has("IDAT") &&
      !seen.has(type) &&
      (lengths[type] === undefined || lengths[type] === contentLength)
    if (critical.has(type) || isShown) {
      const keptChunk = type === "iCCP" ? keepProfile(content) : chunk
      if (keptChunk === undefined) return undefined
      kept.push(keptChunk)
    }
    seen.add(type)
    at = end
  }
  return undefined
}
