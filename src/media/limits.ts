import { Schema } from "effect"
import { maxImageBytes, maxVideoBytes, mediaTypes } from "../domain/plain/limits.ts"

export const AcceptedType = Schema.Literals(mediaTypes)
export type AcceptedType = typeof AcceptedType.Type

export const isVideo = (type: AcceptedType): boolean => type.startsWith("video/")

export const maxBytesOf = (type: AcceptedType): number => (isVideo(type) ? maxVideoBytes : maxImageBytes)

/** Per frame, which takes four bytes per pixel when decoded. */
export const maxPixels = 64_000_000

export const maxFrames = 1_000
