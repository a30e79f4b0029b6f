import { profileAlone } from "./colorProfile.ts"

const start = 0xd8
const end = 0xd9
const scan = 0xda
const profileName = "ICC_PROFILE\0"

/** Baseline, extended and progressive, which browsers and platforms show. */
const frames: ReadonlySet<number> = new Set([0xc0, 0xc1, 0xc2])

/** DHT, DQT and DRI. */
const tables: ReadonlySet<number> = new Set([0xc4, 0xdb, 0xdd])

const isRestart = (marker: number | undefined) => marker !== undefined && marker >= 0xd0 && marker <= 0xd7

/** APP0 to APP15, and COM. */
const isOptional = (marker: number) => (marker >= 0xe0 && marker <= 0xef) || marker === 0xfe

type Use = "needed" | "profile" | "dropped" | "unknown"

/** With an "unknown" segment, it is uncertain how the picture is shown. */
const useOf = (marker: number, content: Buffer): Use => {
  if (frames.has(marker) || tables.has(marker) || marker === scan) return "needed"
  if (!isOptional(marker)) return "unknown"
  const text = content.toString("latin1", 0, profileName.length)
  if (marker === 0xe0 && text.startsWith("JFIF\0")) {
    // The segment ends with the size of a thumbnail, which would follow.
    return content.length === 14 && content.readUInt16BE(12) === 0 ? "needed" : "unknown"
  }
  if (marker === 0xe2 && text === profileName) return "profile"
  if (marker === 0xee && text.startsWith("Adobe")) return content.length === 12 ? "needed" : "unknown"
  return "dropped"
}

/** In coded bytes, FF is followed by zero or by a restart marker. */
const endOfScan = (bytes: Buffer, from: number): number => {
  let at = bytes.indexOf(0xff, from)
  while (at !== -1 && (bytes[at + 1] === 0 || isRestart(bytes[at + 1]))) at = bytes.indexOf(0xff, at + 2)
  return at === -1 ? bytes.length : at
}

/**
 * Joins the segments of a color profile, which name their number, from 1, and their total. The reduced profile fits one
 * segment.
 */
const keepProfile = (segments: ReadonlyArray<Buffer>): Buffer | undefined => {
  const isWhole = segments.every((segment, index) => segment[12] === index + 1 && segment[13] === segments.length)
  const profile = isWhole ? profileAlone(Buffer.concat(segments.map((segment) => segment.subarray(14)))) : undefined
  if (profile === undefined) return undefined
  const content = Buffer.concat([Buffer.from(profileName, "latin1"), Buffer.of(1, 1), profile])
  const header = Buffer.from([0xff, 0xe2, 0, 0])
  header.writeUInt16BE(content.length + 2, 2)
  return Buffer.concat([header, content])
}

/** Keeps frame, tables, scans and color profile; undefined if the segments can't be parsed to the end. */
export const jpegAlone = (bytes: Buffer): Buffer | undefined => {
  if (bytes.length < 4 || bytes[0] !== 0xff || bytes[1] !== start) return undefined
  const kept = [bytes.subarray(0, 2)]
  const profile: Array<Buffer> = []
  let profilePlace = 0
  let at = 2
  let hasScan = false
  while (at + 2 <= bytes.length) {
    if (bytes[at] !== 0xff) return undefined
    const marker = bytes.readUInt8(at + 1)
    if (marker === 0xff) {
      // Any number of FF bytes may precede a marker.
      at++
      continue
    }
    if (marker === end) {
      const keptProfile = profile.length === 0 ? Buffer.alloc(0) : keepProfile(profile)
      if (!hasScan || keptProfile === undefined) return undefined
      return Buffer.concat([...kept.toSpliced(profilePlace, 0, keptProfile), bytes.subarray(at, at + 2)])
    }
    if (at + 4 > bytes.length) return undefined
    const segmentEnd = at + 2 + bytes.readUInt16BE(at + 2)
    if (segmentEnd < at + 4 || segmentEnd > bytes.length) return undefined
    const content = bytes.subarray(at + 4, segmentEnd)
    const use = useOf(marker, content)
    if (use === "unknown") return undefined
    const next = marker === scan ? endOfScan(bytes, segmentEnd) : segmentEnd
    hasScan ||= marker === scan
    if (use === "profile") {
      if (profile.length === 0) profilePlace = kept.length
      profile.push(content)
    }
    if (use === "needed") kept.push(bytes.subarray(at, next))
    at = next
  }
  return undefined
}
