import type { AcceptedType } from "../../limits.ts"
import { gifAlone } from "./gif.ts"
import { jpegAlone } from "./jpeg.ts"
import { pngAlone } from "./png.ts"
import { webpAlone } from "./webp.ts"

const formats: Readonly<
  Partial<Record<AcceptedType, (bytes: Buffer) => Buffer | undefined | Promise<Buffer | undefined>>>
> = {
  "image/jpeg": jpegAlone,
  "image/png": pngAlone,
  "image/webp": webpAlone,
  "image/gif": gifAlone
}

/**
 * Keeps pixels, colors and animation. Anything else may reveal a place, a device or a person, or be another file behind
 * the picture, so only known parts are kept. Undefined if the file can't be parsed to its end: its pixels must then be
 * re-encoded. Decodes nothing.
 */
export const pictureAlone = async (contentType: AcceptedType, bytes: Uint8Array): Promise<Buffer | undefined> =>
  formats[contentType]?.(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
