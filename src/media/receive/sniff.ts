import { Data, Effect, Schema } from "effect"
import { MediaUnsupported } from "../../domain/errors.ts"
import { exportHints } from "../../domain/media/exportHints.ts"
import { nameFileKind } from "../../domain/plain/fileKinds.ts"
import { AcceptedType } from "../limits.ts"

export const sniffedBytes = 4_100

const isAccepted = Schema.is(AcceptedType)

const accepted = "JPEG, PNG, WebP and GIF images, and MP4, QuickTime and WebM videos"

/**
 * Formats that a browser or a document reader could detect in an image that has no declared type. Images don't begin
 * with these patterns.
 */
const otherFormats: ReadonlyArray<readonly [name: string, pattern: RegExp]> = [
  ["HTML", /<(?:!doctype|html|head|body|script|iframe|svg|img|style|meta)[\s>/]/i],
  ["PDF", /%PDF-/],
  ["PHP", /<\?php/i]
]

const latin1 = new TextDecoder("latin1")

/** Browsers search as many bytes. */
const searchedBytes = 1_024

/** `found` is a sentence about the file without a period, such as "The file is SVG". */
export class OtherType extends Data.TaggedError("OtherType")<{ readonly found: string; readonly isVideo?: boolean }> {}

const refuse = (found: string, isVideo = false) => new OtherType({ found, isVideo })

const describeUnknown = (start: Uint8Array): string => {
  const text = latin1.decode(start.subarray(0, searchedBytes))
  const other = /<svg[\s>]/i.test(text) ? "SVG" : otherFormats.find(([, pattern]) => pattern.test(text))?.[0]
  return other === undefined ? "The file is not a supported picture or video" : `The file is ${other}`
}

/**
 * The type by the first bytes, regardless of the file's name and sender. Refuses files that also have another type
 * (polyglots).
 */
export const findType = Effect.fnUntraced(function* (start: Uint8Array) {
  if (start.length === 0) return yield* refuse("The file is empty")
  // Loaded with the first file: it brings a logger that opens standard input.
  const { fileTypeFromBuffer } = yield* Effect.promise(() => import("file-type"))
  const found = yield* Effect.orElseSucceed(
    Effect.tryPromise(() => fileTypeFromBuffer(start.subarray(0, sniffedBytes))),
    () => undefined
  )
  if (found === undefined) return yield* refuse(describeUnknown(start))
  // MP4 files of the brand M4V have a type of their own.
  const type = found.mime === "video/x-m4v" ? "video/mp4" : found.mime
  if (!isAccepted(type)) {
    return yield* refuse(`The file is ${nameFileKind(type) ?? type}`, type.startsWith("video/"))
  }
  const text = latin1.decode(start.subarray(0, searchedBytes))
  const other = otherFormats.find(([, pattern]) => pattern.test(text))?.[0]
  if (other !== undefined) return yield* refuse(`The file is both ${type} and ${other}`)
  return type
})

/** `findType` for uploads, with everything that is accepted. */
export const sniff = (start: Uint8Array) =>
  Effect.mapError(
    findType(start),
    ({ found, isVideo = false }) =>
      new MediaUnsupported({ message: `${found}${isVideo ? `; ${exportHints.type}` : ""}; ${accepted} are accepted` })
  )
