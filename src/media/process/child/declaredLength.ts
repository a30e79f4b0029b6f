import type { Box, BoxReader } from "./boxes.ts"
import { brandsLength } from "./brands.ts"
import { fieldsLength, samplesLength, samplesOffset } from "./trackRun.ts"

/** Every box declares its length within these bytes. */
const headLength = 32

const fixedLengths: Readonly<Record<string, number>> = {
  "\0\0\0\0": 0,
  CoLL: 8,
  SmDm: 28,
  amve: 8,
  btrt: 12,
  clap: 32,
  clef: 12,
  clli: 4,
  damr: 9,
  enda: 2,
  enof: 12,
  fiel: 2,
  frma: 4,
  gama: 4,
  hfov: 4,
  mdcv: 24,
  mfhd: 8,
  mp4a: 4,
  nmhd: 4,
  pasp: 8,
  prof: 12,
  smhd: 8,
  st3d: 5,
  trex: 24,
  vmhd: 12
}

/** Lengths in versions 0 and 1; version 1 has longer times. */
const versionedLengths: Readonly<Record<string, readonly [number, number]>> = {
  cslg: [24, 44],
  mdhd: [24, 36],
  mehd: [8, 12],
  mvhd: [100, 112],
  tfdt: [8, 12],
  tkhd: [84, 96]
}

/** Bytes per entry in versions 0 and 1. The version and the number of entries precede the entries. */
const entryLengths: Readonly<Record<string, readonly [number, number]>> = {
  co64: [8, 8],
  ctts: [8, 8],
  elst: [12, 20],
  stco: [4, 4],
  stps: [4, 4],
  stsc: [12, 12],
  stss: [4, 4],
  stts: [8, 8]
}

/** Groups for the start of decoding: a distance before a sample, or samples at which a decoder can start. */
const groupLengths: Readonly<Record<string, number>> = { prol: 2, "rap ": 1, roll: 2, sync: 1, tele: 1 }

/** Other color codings contain a whole profile. */
const colorLengths: Readonly<Record<string, number>> = { nclc: 10, nclx: 11 }

const groupsLength = (head: Buffer, isDescription: boolean): number | undefined => {
  const each = groupLengths[head.toString("latin1", 4, 8)]
  const version = head.readUInt8(0)
  if (each === undefined || version > 1) return undefined
  const at = version === 1 ? 12 : 8
  if (!isDescription) return at + 4 + head.readUInt32BE(at) * 8
  return version === 0 || head.readUInt32BE(8) === each ? at + 4 + head.readUInt32BE(at) * each : undefined
}

export interface KnownTrack {
  /** Such as `vide`, for a picture. */
  readonly kind: string
  readonly sampleCount: number
}

export const unknownTrack: KnownTrack = { kind: "", sampleCount: 0 }

const lengthOf = (type: string, length: number, head: Buffer, { sampleCount }: KnownTrack): number | undefined => {
  const fixed = fixedLengths[type]
  if (fixed !== undefined) return fixed
  const later = head[0] === 1 ? 1 : 0
  const versioned = versionedLengths[type]
  if (versioned !== undefined) return versioned[later]
  const entry = entryLengths[type]
  if (entry !== undefined) return 8 + head.readUInt32BE(4) * entry[later]
  switch (type) {
    case "ftyp":
    case "styp":
      return brandsLength(length)
    case "stsz":
      return 12 + (head.readUInt32BE(4) === 0 ? head.readUInt32BE(8) * 4 : 0)
    case "stz2":
      return 12 + Math.ceil((head.readUInt8(7) * head.readUInt32BE(8)) / 8)
    case "sdtp":
      return 4 + sampleCount
    case "sbgp":
    case "sgpd":
      return groupsLength(head, type === "sgpd")
    case "colr":
      return colorLengths[head.toString("latin1", 0, 4)]
    case "tfhd":
      return 8 + fieldsLength(head.readUInt32BE(0), [0x1, 0x1, 0x2, 0x8, 0x10, 0x20])
    case "trun": {
      const flags = head.readUInt32BE(0)
      return samplesOffset(flags) + samplesLength(flags, head.readUInt32BE(4))
    }
    default:
      return length
  }
}

/**
 * The length that a box declares for its content. Undefined if no player needs such a box. Fails if the content is too
 * short to declare a length.
 */
export const declaredLength = async (reader: BoxReader, box: Box, track: KnownTrack): Promise<number | undefined> => {
  const length = box.end - box.contentOffset
  const declared = lengthOf(box.type, length, await reader.readStart(box, headLength), track)
  return declared && Math.min(declared, length)
}
