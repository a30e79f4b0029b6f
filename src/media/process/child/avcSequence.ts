export interface AvcSequence {
  readonly chroma: string
  /** Bits per sample of brightness or color, whichever has more. */
  readonly bitDepth: number
  /** Pictures may be coded as two fields. */
  readonly interlaced: boolean
}

const chromas = ["4:0:0", "4:2:0", "4:2:2", "4:4:4"]
/** Profiles whose parameters name the chroma. All others are 4:2:0. */
const chromaProfiles = new Set([44, 83, 86, 100, 110, 118, 122, 128, 134, 135, 138, 139, 144, 244])

/** Fails beyond the end. */
const bitReader = (bytes: Uint8Array) => {
  let position = 0
  const bit = (): number => {
    const byte = bytes[position >> 3]
    if (byte === undefined) throw new Error("The parameters end early")
    return (byte >> (7 - (position++ & 7))) & 1
  }
  const bits = (count: number): number => {
    let value = 0
    for (let index = 0; index < count; index++) value = value * 2 + bit()
    return value
  }
  const unsigned = (): number => {
    let zeros = 0
    while (bit() === 0) if (++zeros > 31) throw new Error("A number is too long")
    return 2 ** zeros - 1 + bits(zeros)
  }
  const signed = (): number => {
    const value = unsigned()
    return value % 2 === 0 ? -value / 2 : (value + 1) / 2
  }
  return { bit, bits, unsigned, signed }
}
type BitReader = ReturnType<typeof bitReader>

const skipScalingList = ({ signed }: BitReader, size: number) => {
  let last = 8
  let next = 8
  for (let index = 0; index < size; index++) {
    if (next !== 0) next = (last + signed() + 256) % 256
    last = next === 0 ? last : next
  }
}

/** After two zeros, a byte 3 is not part of the parameters. */
const withoutEmulation = (bytes: Uint8Array): Uint8Array =>
  bytes.filter((byte, index) => !(byte === 3 && index > 1 && bytes[index - 1] === 0 && bytes[index - 2] === 0))

const readSequence = (unit: Uint8Array): AvcSequence => {
  const reader = bitReader(withoutEmulation(unit).subarray(1))
  const { bit, bits, signed, unsigned } = reader
  const profile = bits(8)
  bits(16)
  unsigned()
  let chroma = 1
  let deepened = 0
  if (chromaProfiles.has(profile)) {
    chroma = unsigned()
    if (chroma === 3) bit()
    deepened = Math.max(unsigned(), unsigned())
    bit()
    if (bit() === 1) {
      for (let list = 0; list < (chroma === 3 ? 12 : 8); list++)
        if (bit() === 1) skipScalingList(reader, list < 6 ? 16 : 64)
    }
  }
  unsigned()
  const orderType = unsigned()
  if (orderType === 0) unsigned()
  if (orderType === 1) {
    bit()
    signed()
    signed()
    const count = unsigned()
    for (let index = 0; index < count; index++) signed()
  }
  unsigned()
  bit()
  unsigned()
  unsigned()
  return { chroma: chromas[chroma] ?? "unknown", bitDepth: 8 + deepened, interlaced: bit() === 0 }
}

/** The first sequence parameters of an MP4's decoder configuration (ISO/IEC 14496-15), if any. */
export const readAvcSequence = (configuration: Uint8Array): AvcSequence | undefined => {
  const count = (configuration[5] ?? 0) & 31
  const length = ((configuration[6] ?? 0) << 8) | (configuration[7] ?? 0)
  if (count === 0 || length === 0) return undefined
  try {
    return readSequence(configuration.subarray(8, 8 + length))
  } catch {
    return undefined
  }
}
