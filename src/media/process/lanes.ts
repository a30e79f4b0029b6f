import type { MediaId, WorkspaceId } from "../../domain/ids.ts"
import type { AcceptedType } from "../limits.ts"

/** Larger files are not small, whatever their pixels. */
export const maxSmallBytes = 8_000_000

/**
 * Few enough for some seconds, by proportion: a PNG of 64 megapixels of noise takes 50 s. JPEG has no transparency,
 * whose pixels take longest.
 */
const smallPixels: Readonly<Partial<Record<AcceptedType, number>>> = {
  "image/jpeg": 16_000_000,
  "image/png": 4_000_000,
  "image/webp": 4_000_000
}

/**
 * Enough for the metadata that usually precedes a JPEG's size. Sizes are read here by hand, because the only library
 * that knows them, sharp, gets strangers' files only in a child process, and the lane is chosen before a child starts.
 */
export const headerBytes = 256 * 1024

const pngPixels = (bytes: Buffer): number | undefined => {
  // An animation's control chunk precedes the pixels.
  const isAnimated = bytes.subarray(0, Math.max(33, bytes.indexOf("IDAT", 33, "latin1"))).includes("acTL", 33, "latin1")
  return bytes.length < 33 || isAnimated ? undefined : bytes.readUInt32BE(16) * bytes.readUInt32BE(20)
}

const hasSize = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

const progressiveMarkers: ReadonlySet<number> = new Set([0xc2, 0xc6, 0xca, 0xce])

/**
 * A progressive JPEG decodes all its pixels in each of its scans. Most have about ten, and one of 16 megapixels with 99
 * scans takes 23 s, but only the whole file tells how many there are.
 */
const progressiveWeight = 4

const jpegPixels = (bytes: Buffer): number | undefined => {
  let at = 2
  while (at + 9 <= bytes.length && bytes.readUInt8(at) === 0xff) {
    const marker = bytes.readUInt8(at + 1)
    if (hasSize(marker)) {
      const pixels = bytes.readUInt16BE(at + 5) * bytes.readUInt16BE(at + 7)
      return progressiveMarkers.has(marker) ? pixels * progressiveWeight : pixels
    }
    at += 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}

const webpPixels = (bytes: Buffer): number | undefined => {
  if (bytes.length < 30) return undefined
  const type = bytes.toString("latin1", 12, 16)
  if (type === "VP8 ") return (bytes.readUInt16LE(26) & 0x3fff) * (bytes.readUInt16LE(28) & 0x3fff)
  if (type === "VP8L") {
    const bits = bytes.readUInt32LE(21)
    return ((bits & 0x3fff) + 1) * (((bits >> 14) & 0x3fff) + 1)
  }
  const isAnimated = (bytes.readUInt8(20) & 0x02) !== 0
  return type !== "VP8X" || isAnimated ? undefined : (bytes.readUIntLE(24, 3) + 1) * (bytes.readUIntLE(27, 3) + 1)
}

const pixelsOf: Readonly<Partial<Record<AcceptedType, (bytes: Buffer) => number | undefined>>> = {
  "image/jpeg": jpegPixels,
  "image/png": pngPixels,
  "image/webp": webpPixels
}

/** By the size in the header; nothing is decoded. A lie there fails the picture's decoding. */
export const isSmallPicture = (contentType: AcceptedType, size: number, header: Uint8Array): boolean => {
  const bytes = Buffer.from(header.buffer, header.byteOffset, header.byteLength)
  const pixels = pixelsOf[contentType]?.(bytes)
  return size <= maxSmallBytes && pixels !== undefined && pixels <= (smallPixels[contentType] ?? 0)
}

/** Pictures and workspaces that a process remembers. One that is forgotten is looked at again. */
const maxRemembered = 1_000

/** The latest values, in the order in which they were last added. */
export const makeLatest = <Value>() => {
  const values = new Set<Value>()
  return {
    add: (value: Value): void => {
      values.delete(value)
      values.add(value)
      for (const oldest of values) {
        if (values.size <= maxRemembered) break
        values.delete(oldest)
      }
    },
    isFull: (): boolean => values.size >= maxRemembered,
    list: (): ReadonlyArray<Value> => [...values]
  }
}

export type LatestWorkspaces = ReturnType<typeof makeLatest<WorkspaceId>>
export type LargePictures = ReturnType<typeof makeLatest<MediaId>>
