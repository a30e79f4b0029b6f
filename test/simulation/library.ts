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

const videoFacts: MediaFacts = {
  ...imageFacts,
  type: "video",
  contentType: "video/mp4",
  durationMs: 30_000,
  frameRate: 30,
  videoCodec: "h264",
  audioCodec: "aac"
}

const videos = new Set<MediaId>()

/** A ready image or video in a workspace's library. */
export const fileOf = (id: MediaId): MediaFile => {
  const isVideo = videos.has(id)
  const ownFacts = isVideo ? videoFacts : imageFacts
  const bytes = contentOf(id)
  const hash = hashOf(bytes)
  addresses.set(hash, bytes)
  const { contentType, height, width } = ownFacts
  const rendition = { hash, contentType, size: bytes.byteLength, width, height }
  const facts = { ...ownFacts, size: bytes.byteLength }
  return {
    id,
    status: "ready",
    size: bytes.byteLength,
    facts,
    renditions: perPlatform((platform) =>
      !isVideo && factsOf(platform).image?.takesOnlyJpeg === true
        ? { ...rendition, contentType: "image/jpeg" }
        : rendition
    ),
    alt: ""
  }
}

export const videoOf = (id: MediaId): MediaFile => {
  videos.add(id)
  return fileOf(id)
}

export const filesLayer = Layer.succeed(MediaFiles, () => ({
  ...noFiles,
  share: ({ hash }) => Effect.succeed({ id: hash, url: `https://files.test/${hash}` }),
  read: (hash) => Stream.fromIterable(addresses.has(hash) ? [addresses.get(hash) ?? new Uint8Array()] : [])
}))
