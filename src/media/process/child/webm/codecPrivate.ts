import { type ByteSpan, Refusal } from "../protocol.ts"

const vorbisComment = Buffer.from("\u{3}vorbis", "latin1")

/** Xiph's lengths: bytes of 255 add up, and a smaller one ends a length. */
const readXiphLength = (bytes: Buffer, at: number): readonly [length: number, next: number] => {
  let length = 0
  let next = at
  while (bytes.readUInt8(next) === 255) {
    length += 255
    next++
  }
  return [length + bytes.readUInt8(next), next + 1]
}

/**
 * Vorbis has three headers; the second holds the encoder's name and comments, such as a title or a place. Their texts
 * are zeroed, so that all lengths stay. Fails if the headers do not fill the content.
 */
const vorbisTexts = (content: Buffer): ReadonlyArray<ByteSpan> => {
  if (content.readUInt8(0) !== 2) throw new Error("Vorbis has other headers")
  const [firstLength, afterFirst] = readXiphLength(content, 1)
  const [secondLength, start] = readXiphLength(content, afterFirst)
  const comments = content.subarray(start + firstLength, start + firstLength + secondLength)
  if (!comments.subarray(0, vorbisComment.length).equals(vorbisComment)) throw new Error("Vorbis has other headers")
  const spans: Array<ByteSpan> = []
  let at = vorbisComment.length
  const skipText = () => {
    const length = comments.readUInt32LE(at)
    at += 4
    if (at + length > comments.length) throw new Error("The comments are cut off")
    spans.push([start + firstLength + at, length])
    at += length
  }
  skipText()
  const count = comments.readUInt32LE(at)
  at += 4
  for (let index = 0; index < count; index++) skipText()
  // A bit of framing ends the comments.
  return [...spans, [start + firstLength + at + 1, Math.max(0, comments.length - at - 1)]]
}

/** Surround sound has a table of channels. */
const opusLength = (content: Buffer): number => (content.readUInt8(18) === 0 ? 19 : 21 + content.readUInt8(9))

/** Four features of three bytes each: profile, level, depth and chroma. */
const vp9Length = 12

const afterLength = (content: Buffer, length: number): ReadonlyArray<ByteSpan> => [
  [length, Math.max(0, content.length - length)]
]

const nothing = (): ReadonlyArray<ByteSpan> => []
const everything = (content: Buffer) => afterLength(content, 0)

/** By codec: the parts of its configuration that decoders don't need. WebM has no other codecs. */
const unused: ReadonlyMap<string, (content: Buffer) => ReadonlyArray<ByteSpan>> = new Map([
  ["V_VP8", everything],
  ["V_VP9", (content) => afterLength(content, vp9Length)],
  ["V_AV1", nothing],
  ["A_OPUS", (content) => afterLength(content, opusLength(content))],
  ["A_VORBIS", vorbisTexts]
])

/** Other codecs keep titles and names in their configuration, where nothing here finds them. */
export const requireKnownCodec = (codec: string): void => {
  if (!unused.has(codec)) {
    const name = /^[\w/]{1,40}$/.test(codec) ? codec : "an unknown codec"
    throw new Refusal({
      message: `The video is coded in ${name}, which a WebM file does not have; export it as WebM with VP9 and Opus, or as MP4`
    })
  }
}

export const unusedSpans = (codec: string, content: Buffer): ReadonlyArray<ByteSpan> =>
  unused.get(codec)?.(content) ?? []
