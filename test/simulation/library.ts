import { createHash } from "node:crypto"
import { Effect, Layer, Stream } from "effect"
import type { MediaId } from "../../src/domain/ids.ts"
import { factsOf } from "../../src/domain/plain/platforms.ts"
import type { MediaFacts, MediaFile } from "../../src/domain/media/media.ts"
import { MediaFiles, noFiles } from "../../src/platforms/MediaFiles.ts"
import { perPlatform } from "../support/platforms/perPlatform.ts"
import { imageFacts } from "../support/database/mediaFixtures.ts"

/** The signature of a PNG, and the id. */
const contentOf = (id: string) => Buffer.from(`\u{89}PNG\r\n\u{1a}\nthe picture ${id}`, "latin1")

const hashOf = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest("hex")

const addresses = new Map<string, Uint8Array>()

const videos = new Set<MediaId>()

const videoFacts: MediaFacts = {
  ...imageFacts,
  type: "video",
  contentType: "video/mp4",
  width: 1280,
  height: 720,
  durationMs: 9000,
  frameRate: 30,
  videoCodec: "avc"
}

/** A ready file in a workspace's library: an image, or a video that `videoOf` has made. */
export const fileOf = (id: MediaId): MediaFile => {
  const shape = videos.has(id) ? videoFacts : imageFacts
  const bytes = contentOf(id)
  const hash = hashOf(bytes)
  addresses.set(hash, bytes)
  const { contentType, height, width } = shape
  const rendition = { hash, contentType, size: bytes.byteLength, width, height }
  const facts = { ...shape, size: bytes.byteLength }
  return {
    id,
    status: "ready",
    size: bytes.byteLength,
    facts,
    renditions: perPlatform((platform) =>
      shape.type === "image" && factsOf(platform).image?.takesOnlyJpeg === true
        ? { ...rendition, contentType: "image/jpeg" }
        : rendition
    ),
    alt: ""
  }
}

/** Makes an image. Another simulation may have made a video with its id. */
export const imageOf = (id: MediaId): MediaFile => {
  videos.delete(id)
  return fileOf(id)
}

/** Makes a video. */
export const videoOf = (id: MediaId): MediaFile => {
  videos.add(id)
  return fileOf(id)
}

export const filesLayer = Layer.succeed(MediaFiles, () => ({
  ...noFiles,
  share: ({ hash }) => Effect.succeed({ id: hash, url: `https://files.test/${hash}` }),
  read: (hash) => Stream.fromIterable(addresses.has(hash) ? [addresses.get(hash) ?? new Uint8Array()] : [])
}))
