import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import sharp, { type Metadata } from "sharp"
import { maxFrames, maxPixels } from "../../limits.ts"
import { endsWithPicture } from "./endsWithPicture.ts"
import { makeOutputs } from "./encode.ts"
import { attemptOr, type Order, type ReadFacts, Refusal } from "./protocol.ts"

sharp.cache(false)
sharp.concurrency(1)
// No other decoder is reachable, whatever the bytes are.
sharp.block({ operation: ["VipsForeignLoad"] })
sharp.unblock({
  operation: [
    "VipsForeignLoadJpegBuffer",
    "VipsForeignLoadPngBuffer",
    "VipsForeignLoadWebpBuffer",
    "VipsForeignLoadNsgifBuffer"
  ]
})

const decoderNames: Readonly<Record<string, string>> = {
  jpeg: "image/jpeg",
  png: "image/png",
  webp: "image/webp",
  gif: "image/gif"
}

const damaged = new Refusal({ message: "The image is damaged or cut off" })

const attempt = attemptOr(damaged)

const readFacts = (metadata: Metadata): ReadFacts => {
  const { delay = [], height, orientation = 1, pages = 1, width } = metadata
  const isTurned = orientation >= 5
  const isAnimated = pages > 1
  const durationMs = isAnimated ? delay.reduce((sum, each) => sum + each, 0) : null
  return {
    type: isAnimated && metadata.format === "gif" ? "gif" : "image",
    width: isTurned ? height : width,
    height: isTurned ? width : height,
    durationMs,
    frames: pages,
    frameRate: durationMs === null || durationMs === 0 ? null : Math.round((pages * 100_000) / durationMs) / 100,
    videoCodec: null,
    audioCodec: null,
    animated: isAnimated
  }
}

/** Whether the file has nothing but the picture: no place, camera or author, no second file behind it, and nothing to turn. */
const isPictureAlone = (metadata: Metadata, bytes: Uint8Array): boolean =>
  metadata.exif === undefined &&
  metadata.xmp === undefined &&
  metadata.iptc === undefined &&
  (metadata.comments ?? []).length === 0 &&
  (metadata.orientation ?? 1) === 1 &&
  metadata.space !== "cmyk" &&
  (metadata.pages ?? 1) === 1 &&
  metadata.format !== "gif" &&
  endsWithPicture(bytes)

/** Reads an image and makes the outputs of it. An animated one is only shown by its first frame. */
export const processImage = Effect.fnUntraced(function* ({ contentType, outputDirectory, outputs, path }: Order) {
  const bytes = yield* Effect.promise(() => readFile(path))
  const metadata = yield* attempt(() => sharp(bytes, { limitInputPixels: false }).metadata())
  const { format, height, pages = 1, width } = metadata
  if (decoderNames[format] !== contentType) {
    return yield* new Refusal({ message: `The file begins like ${contentType}, but is none` })
  }
  if (width * height > maxPixels) {
    return yield* new Refusal({
      message: `The image has ${width}x${height} pixels; up to ${maxPixels / 1e6} megapixels are taken`
    })
  }
  if (pages > maxFrames) {
    return yield* new Refusal({ message: `The image has ${pages} frames; up to ${maxFrames} are taken` })
  }
  const facts = readFacts(metadata)
  const made = yield* attempt(() =>
    makeOutputs({
      bytes,
      contentType,
      width: facts.width,
      height: facts.height,
      isPictureAlone: isPictureAlone(metadata, bytes),
      outputDirectory,
      outputs
    })
  )
  return { facts, made, erasure: null }
})
