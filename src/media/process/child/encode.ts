import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import sharp, { type OutputInfo, type Sharp } from "sharp"
import type { Bounds, Made, Order } from "./protocol.ts"

interface Source {
  readonly bytes: Uint8Array
  /** True if the bytes differ from the upload's. Decoding them then fails if any are missing. */
  readonly isRepaired: boolean
  readonly contentType: string
  /** As the image is shown. */
  readonly width: number
  readonly height: number
  /** The original without invisible parts; undefined if its pixels can't be sent unchanged. */
  readonly kept: Buffer | undefined
  readonly outputDirectory: string
  readonly outputs: Order["outputs"]
}

/** Decoded, oriented and scaled to a longest side. */
interface Picture {
  readonly data: Buffer
  readonly info: OutputInfo
  readonly isOpaque: boolean
}

/** X's limit for all frames of a re-encoded animation together. */
const maxAnimatedPixels = 300_000_000

/**
 * Up to this size, PNG is tried first, which keeps drawings and screenshots sharp. Larger PNGs take long and don't fit.
 */
const maxPngPixels = 6_000_000

const qualities = { best: 90, between: [82, 74], worst: 66 }

const shrinkFactor = 0.75

const decode = async (
  { bytes, isRepaired }: Pick<Source, "bytes" | "isRepaired">,
  longestSide: number
): Promise<Picture> => {
  const failOn = isRepaired ? "warning" : "error"
  const { data, info } = await sharp(bytes, { failOn, limitInputPixels: 64_000_000 })
    .autoOrient()
    .resize({ width: longestSide, height: longestSide, fit: "inside", withoutEnlargement: true })
    .toColourspace("srgb")
    .raw({ depth: "uchar" })
    .toBuffer({ resolveWithObject: true })
  const isOpaque = info.channels === 3 || info.channels === 1 || (await fromPixels({ data, info }).stats()).isOpaque
  return { data, info, isOpaque }
}

const madeOnce = <Key, Value>(known: Map<Key, Value>, key: Key, make: () => Value): Value => {
  const value = known.get(key) ?? make()
  known.set(key, value)
  return value
}

const fromPixels = ({ data, info: { channels, height, width } }: Pick<Picture, "data" | "info">): Sharp =>
  sharp(data, { raw: { channels, height, width } })

interface Encoded {
  readonly bytes: Buffer
  readonly contentType: string
  readonly width: number
  readonly height: number
}

type Encoding = { readonly type: "png" } | { readonly type: "jpeg" | "webp"; readonly quality: number }

const encode = async (image: Sharp, encoding: Encoding): Promise<Encoded> => {
  const encoder =
    encoding.type === "png"
      ? image.png({ compressionLevel: 9 })
      : encoding.type === "jpeg"
        ? image.flatten({ background: "#fff" }).jpeg({ quality: encoding.quality, progressive: true })
        : image.webp({ quality: encoding.quality, effort: 3 })
  const { data, info } = await encoder.toBuffer({ resolveWithObject: true })
  return { bytes: data, contentType: `image/${encoding.type}`, width: info.width, height: info.height }
}

/** Makes each size and each encoding of a picture once, because several outputs try the same ones. */
const makeEncoder = (picture: Picture) => {
  const longest = Math.max(picture.info.width, picture.info.height)
  const scaled = new Map<number, Promise<Picture>>([[longest, Promise.resolve(picture)]])
  const encoded = new Map<string, Promise<Encoded>>()

  const scale = async (side: number): Promise<Picture> => {
    const resized = fromPixels(picture).resize({ width: side, height: side, fit: "inside", withoutEnlargement: true })
    const { data, info } = await resized.raw().toBuffer({ resolveWithObject: true })
    return { ...picture, data, info }
  }
  const encodeAt = async (side: number, encoding: Encoding) =>
    encode(fromPixels(await madeOnce(scaled, side, () => scale(side))), encoding)

  return {
    longest,
    encode: (side: number, encoding: Encoding) =>
      madeOnce(encoded, `${side} ${JSON.stringify(encoding)}`, () => encodeAt(side, encoding))
  }
}

/** Tries lossless, then the best quality that fits, then smaller images. A lower quality takes fewer bytes. */
const fit = async (
  encoder: ReturnType<typeof makeEncoder>,
  { longestSide, maxBytes }: Bounds,
  lossless: boolean,
  lossy: "jpeg" | "webp"
): Promise<Encoded> => {
  const side = Math.min(longestSide, encoder.longest)
  const fits = ({ bytes }: Encoded) => bytes.length <= maxBytes
  const encodeAs = (quality: number) => encoder.encode(side, { type: lossy, quality })
  if (lossless) {
    const exact = await encoder.encode(side, { type: "png" })
    if (fits(exact)) return exact
  }
  const best = await encodeAs(qualities.best)
  if (fits(best) || side <= 16) return best
  const worst = await encodeAs(qualities.worst)
  if (!fits(worst)) {
    return fit(encoder, { longestSide: Math.floor(side * shrinkFactor), maxBytes, keepsOriginal: false }, false, lossy)
  }
  for (const quality of qualities.between) {
    const between = await encodeAs(quality)
    if (fits(between)) return between
  }
  return worst
}

const writeOutput = async ({ outputDirectory }: Source, name: string, encoded: Encoded): Promise<Made> => {
  const { bytes, contentType, height, width } = encoded
  const path = join(outputDirectory, name)
  await writeFile(path, bytes)
  return { path, contentType, width, height }
}

const makeKept = async (source: Source, name: string, kept: Buffer): Promise<Made> => {
  const { bytes, contentType, height, width } = source
  return kept.equals(bytes) && !source.isRepaired
    ? { path: null, contentType, width, height }
    : writeOutput(source, name, { bytes: kept, contentType, width, height })
}

/** Encoded outputs are oriented, in sRGB, and have only pixels. */
export const makeOutputs = async (source: Source): Promise<Record<string, Made>> => {
  const { contentType, height, kept, outputs, width } = source
  const largest = Math.max(...Object.values(outputs).map(({ longestSide }) => longestSide))
  const picture = await decode(source, largest)
  const encoder = makeEncoder(picture)
  const made: Record<string, Made> = {}
  for (const [name, bounds] of Object.entries(outputs)) {
    const isWithin = Math.max(width, height) <= bounds.longestSide
    const { takesOnlyJpeg = false, takesWebp = !takesOnlyJpeg } = bounds
    const isTaken = takesOnlyJpeg ? contentType === "image/jpeg" : takesWebp || contentType !== "image/webp"
    const mayKeep = bounds.keepsOriginal && isTaken
    if (mayKeep && isWithin && kept !== undefined && kept.length <= bounds.maxBytes) {
      made[name] = await makeKept(source, name, kept)
      continue
    }
    const isSmall = picture.info.width * picture.info.height <= maxPngPixels
    const lossless = bounds.keepsOriginal && !takesOnlyJpeg && contentType !== "image/jpeg" && isSmall
    const lossy = (picture.isOpaque && bounds.keepsOriginal) || !takesWebp ? "jpeg" : "webp"
    const encoded = await fit(encoder, bounds, lossless, lossy)
    made[name] = await writeOutput(source, name, encoded)
  }
  return made
}

/** The frames are re-encoded if the GIF's blocks can't be parsed. */
export const makeAnimation = async (source: Source): Promise<Made> => {
  if (source.kept !== undefined) return makeKept(source, "animation", source.kept)
  const encoded = await sharp(source.bytes, { failOn: "error", animated: true, limitInputPixels: maxAnimatedPixels })
    .gif()
    .toBuffer()
  return writeOutput(source, "animation", { ...source, bytes: encoded })
}
