import { Schema } from "effect"

/** The types of bytes that are taken. Both platforms, or one of them, take each. */
export const AcceptedType = Schema.Literals([
  "image/jpeg",
  "image/png",
  "image/webp",
  "image/gif",
  "video/mp4",
  "video/quicktime"
])
export type AcceptedType = typeof AcceptedType.Type

export const isVideo = (type: AcceptedType): boolean => type.startsWith("video/")

/** In bytes. */
const maxImageBytes = 30_000_000
export const maxVideoBytes = 1_000_000_000

export const maxBytesOf = (type: AcceptedType): number => (isVideo(type) ? maxVideoBytes : maxImageBytes)

/** Of one frame. A frame that is decoded takes four bytes a pixel. */
export const maxPixels = 64_000_000

/** Of an animated image. */
export const maxFrames = 1_000
