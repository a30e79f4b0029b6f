import type { Box, BoxReader } from "./boxes.ts"
import { descriptions, pictureFields } from "./names.ts"
import { Refusal } from "./protocol.ts"
import { encryptedVideo } from "./refusals.ts"

/**
 * The types of descriptions whose frames are nothing but a picture's coded parts: H.264, H.265, H.266, Dolby Vision,
 * AV1, VP8, VP9, H.263 and ProRes. Frames of Motion JPEG, PNG and others are whole picture files, which may hold a
 * place or a person.
 */
const knownTypes: ReadonlySet<string> = new Set(
  (
    "avc1 avc2 avc3 avc4 hvc1 hev1 vvc1 vvi1 dva1 dvav dvh1 dvhe av01 dav1 vp08 vp09 s263 h263 H263 " +
    "apco apcs apcn apch ap4h ap4x"
  ).split(" ")
)

/** The codecs of MPEG's own descriptions (`mp4v`): MPEG-4 Part 2, MPEG-2 and MPEG-1. JPEG and PNG have others. */
const knownObjects: ReadonlySet<number> = new Set([0x20, 0x60, 0x61, 0x62, 0x63, 0x64, 0x65, 0x6a])

const namesOfTypes: Readonly<Record<string, string>> = { jpeg: "Motion JPEG", mjpa: "Motion JPEG", mjpb: "Motion JPEG" }

const unknownCodec = (type: string): Refusal => {
  const name = namesOfTypes[type] ?? (/^[\w .-]{4}$/.test(type) ? type.trim() : "an unknown codec")
  return new Refusal({
    message: `The video is coded in ${name}, whose frames may hold a place or other metadata; export it as MP4 with H.264`
  })
}

/** A descriptor of MPEG-4 (ISO/IEC 14496-1): a tag, and a length of up to four bytes with seven bits each. */
const skipHeader = (content: Buffer, at: number): number => {
  let next = at + 1
  while (next < at + 4 && (content.readUInt8(next) & 0x80) !== 0) next++
  return next + 1
}

const streamDescription = 3
const decoderDescription = 4

/** The codec's number in an `esds`. Undefined if it has optional fields, which MP4 files leave out. */
const objectIn = (content: Buffer): number | undefined => {
  if (content[4] !== streamDescription) return undefined
  const stream = skipHeader(content, 4)
  const decoder = stream + 3
  if (content.readUInt8(stream + 2) >= 0x20 || content[decoder] !== decoderDescription) return undefined
  return content.readUInt8(skipHeader(content, decoder))
}

/** Refuses a picture whose frames may hold more than the picture, and whatever is encrypted. */
export const requireKnownPicture = async (reader: BoxReader, list: Box, kind: string): Promise<void> => {
  for await (const { end, start, type } of descriptions(reader, list, kind)) {
    if (type === "encv" || type === "enca") throw encryptedVideo
    if (kind !== "vide" || knownTypes.has(type)) continue
    if (type !== "mp4v") throw unknownCodec(type)
    const fields = { type, offset: start, contentOffset: start + pictureFields, end }
    const configuration = await reader.find(fields, ["esds"])
    const object = configuration && objectIn(await reader.readContent(configuration))
    if (object === undefined || !knownObjects.has(object)) throw unknownCodec(type)
  }
}
