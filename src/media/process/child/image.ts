import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import sharp, { type Metadata } from "sharp"
import { maxFrames, maxPixels } from "../../limits.ts"
import { closedJpeg } from "../picture/closedJpeg.ts"
import { pictureAlone } from "../picture/pictureAlone.ts"
import { makeAnimation, makeOutputs } from "./encode.ts"
import { attemptOr, type Order, type ReadFacts, Refusal } from "./protocol.ts"

sharp.cache(false)
sharp.concurrency(1)
// Blocks all other decoders.
sharp.block({ operation: ["VipsForeignLoad"] })
sharp.unblock({
  operation: [
    "VipsForeignLoadJpegBuffer",
    "VipsForeignLoadPngBuffer",
    "VipsForeignLoadWebpBuffer",
    "VipsForeignLoadNsgifBuffer"
  ]
})

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

/** True for a still image that needs no rotation and no color conversion. */
const isShownAsCoded = ({ format, orientation = 1, pages = 1, space }: Metadata): boolean =>
  orientation === 1 && space !== "cmyk" && pages === 1 && format !== "gif"

/** The outputs show the first frame of an animation. A moving GIF is also sent as an animation. */
export const processImage = Effect.fnUntraced(function* ({ contentType, outputDirectory, outputs, path }: Order) {
  const bytes = yield* Effect.promise(() => readFile(path))
  const metadata = yield* attempt(() => sharp(bytes, { limitInputPixels: false }).metadata())
  const { format, height, pages = 1, width } = metadata
  if (`image/${format}` !== contentType) {
    return yield* new Refusal({ message: `The file begins like ${contentType}, but is something else` })
  }
  if (width * height > maxPixels) {
    return yield* new Refusal({
      message: `The image has ${width}x${height} pixels; up to ${maxPixels / 1e6} megapixels are accepted`
    })
  }
  if (pages > maxFrames) {
    return yield* new Refusal({ message: `The image has ${pages} frames; up to ${maxFrames} are accepted` })
  }
  const facts = readFacts(metadata)
  const { height: shownHeight, width: shownWidth } = facts
  const alone = yield* Effect.promise(() => pictureAlone(contentType, bytes))
  const shown = { contentType, width: shownWidth, height: shownHeight, outputDirectory, outputs }
  const source = { ...shown, bytes, isRepaired: false }
  const keptOf = (picture: Buffer | undefined) => (isShownAsCoded(metadata) ? picture : undefined)
  const made = yield* attempt(() => makeOutputs({ ...source, kept: keptOf(alone) })).pipe(
    Effect.catchTag("Refusal", (refusal) => {
      if (format !== "jpeg") return refusal
      const closed = closedJpeg(bytes)
      return attempt(async () => {
        const kept = keptOf(await pictureAlone(contentType, closed))
        return makeOutputs({ ...shown, bytes: closed, isRepaired: true, kept })
      })
    })
  )
  const animation = facts.type === "gif" ? yield* attempt(() => makeAnimation({ ...source, kept: alone })) : null
  return { facts, made, animation, erasure: null }
})
