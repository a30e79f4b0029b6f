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
 * An image with only what shows its picture: pixels, colors and animation. Everything else may tell a place, a device or a person,
 * or is another file behind the picture, so what is kept is listed and not what is dropped. Undefined where the file can't be
 * followed to its end, so that its pixels have to be encoded anew. Its bytes are followed and not decoded.
 */
export const pictureAlone = async (contentType: AcceptedType, bytes: Uint8Array): Promise<Buffer | undefined> =>
  formats[contentType]?.(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
