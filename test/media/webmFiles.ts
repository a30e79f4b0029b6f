// WebM files of a second, whose frames no decoder would take: nothing here decodes them.

const idBytes = (id: number) => {
  const hex = id.toString(16)
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex")
}

/** With a length of two bytes, as far as it fits. */
export const element = (id: number, ...contents: ReadonlyArray<Uint8Array>) => {
  const content = Buffer.concat(contents)
  const length = Buffer.alloc(content.length < 0x3fff ? 2 : 5)
  length.writeUIntBE(content.length, length.length === 2 ? 0 : 1, length.length === 2 ? 2 : 4)
  length.writeUInt8(length.readUInt8(0) | (length.length === 2 ? 0x40 : 0x08), 0)
  return Buffer.concat([idBytes(id), length, content])
}

/** As a recorder writes it that can't go back. */
const openElement = (id: number, ...contents: ReadonlyArray<Uint8Array>) =>
  Buffer.concat([idBytes(id), Buffer.from("01ffffffffffffff", "hex"), ...contents])

export const number = (id: number, value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return element(id, bytes)
}

export const text = (id: number, value: string) => element(id, Buffer.from(value, "latin1"))

export const block = (track: number, time: number, isKey: boolean, content: Uint8Array, lacing = Buffer.alloc(0)) => {
  const head = Buffer.from([0x80 | track, 0, 0, (isKey ? 0x80 : 0) | (lacing.length > 0 ? 0x04 : 0)])
  head.writeInt16BE(time, 1)
  return Buffer.concat([head, lacing, content])
}

const framesPerCluster = 5
/** In milliseconds. */
const frameTime = 40

export const frame = (index: number) => Buffer.alloc(500, index + 1)

interface Parts {
  readonly isLive?: boolean
  readonly frames?: number
  readonly header?: ReadonlyArray<Uint8Array>
  readonly segment?: ReadonlyArray<Uint8Array>
  readonly info?: ReadonlyArray<Uint8Array>
  readonly tracks?: ReadonlyArray<Uint8Array>
  readonly track?: ReadonlyArray<Uint8Array>
  readonly video?: ReadonlyArray<Uint8Array>
  readonly cluster?: ReadonlyArray<Uint8Array>
  readonly end?: ReadonlyArray<Uint8Array>
}

export const soundTrack = (codec: string, ...more: ReadonlyArray<Uint8Array>) =>
  element(
    0xae,
    number(0xd7, 2),
    number(0x73c5, 2),
    number(0x83, 2),
    text(0x86, codec),
    ...more,
    element(0xe1, number(0x9f, 2))
  )

/** Numbers of a file in other bytes than usual. */
interface Raw {
  readonly unit?: Uint8Array
  readonly width?: Uint8Array
  /** The time of each cluster. */
  readonly time?: Uint8Array
}

/** VP8 in 64x48, with a frame every 40 ms, and further elements in each of its parts. */
export const webm = (parts: Parts = {}, raw: Raw = {}) => {
  const { cluster = [], end = [], frames = 25, header = [], info = [], isLive = false } = parts
  const { segment = [], track = [], tracks = [], video = [] } = parts
  const open = isLive ? openElement : element
  const clusters = Array.from({ length: Math.ceil(frames / framesPerCluster) }, (_, index) => {
    const first = index * framesPerCluster
    const blocks = Array.from({ length: Math.min(framesPerCluster, frames - first) }, (_own, at) =>
      element(0xa3, block(1, at * frameTime, at === 0, frame(first + at)))
    )
    return open(
      0x1f43b675,
      raw.time === undefined ? number(0xe7, first * frameTime) : element(0xe7, raw.time),
      ...blocks,
      ...(index === 0 ? cluster : [])
    )
  })
  const picture = element(
    0xae,
    number(0xd7, 1),
    number(0x73c5, 1),
    number(0x83, 1),
    text(0x86, "V_VP8"),
    ...track,
    element(0xe0, raw.width === undefined ? number(0xb0, 64) : element(0xb0, raw.width), number(0xba, 48), ...video)
  )
  return Buffer.concat([
    element(0x1a45dfa3, text(0x4282, "webm"), ...header),
    open(
      0x18538067,
      ...segment,
      element(0x1549a966, raw.unit === undefined ? number(0x2ad7b1, 1_000_000) : element(0x2ad7b1, raw.unit), ...info),
      element(0x1654ae6b, picture, ...tracks),
      ...clusters,
      ...end
    )
  ])
}

const xiph = (value: string) => {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(value.length)
  return Buffer.concat([length, Buffer.from(value, "latin1")])
}

/** The three headers of Vorbis, with an encoder's name and comments. */
export const vorbisPrivate = (vendor: string, ...comments: ReadonlyArray<string>) => {
  const first = Buffer.concat([Buffer.from("\u{1}vorbis", "latin1"), Buffer.alloc(23, 3)])
  const count = Buffer.alloc(4)
  count.writeUInt32LE(comments.length)
  const texts = [xiph(vendor), count, ...comments.map(xiph), Buffer.of(1)]
  const second = Buffer.concat([Buffer.from("\u{3}vorbis", "latin1"), ...texts])
  const laces = Buffer.concat([
    Buffer.of(2, first.length),
    Buffer.alloc(Math.floor(second.length / 255), 255),
    Buffer.of(second.length % 255)
  ])
  return Buffer.concat([laces, first, second, Buffer.from("\u{5}vorbis", "latin1"), Buffer.alloc(40, 5)])
}
