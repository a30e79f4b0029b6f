import { createHash } from "node:crypto"
import { Effect, Layer, Stream } from "effect"
import type { MediaId } from "../../src/domain/ids.ts"
import { factsOf } from "../../src/domain/plain/platforms.ts"
import type { MediaFile } from "../../src/domain/media/media.ts"
import { MediaFiles, noFiles } from "../../src/platforms/MediaFiles.ts"
import { perPlatform } from "../support/platforms/perPlatform.ts"
import { imageFacts } from "../support/database/mediaFixtures.ts"

/** The signature of a PNG, and the id. */
const contentOf = (id: string) => Buffer.from(`\u{89}PNG\r\n\u{1a}\nthe picture ${id}`, "latin1")

const hashOf = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest("hex")

const addresses = new Map<string, Uint8Array>()

/** A ready image in a workspace's library. */
export const fileOf = (id: MediaId): MediaFile => {
  const bytes = contentOf(id)
  const hash = hashOf(bytes)
  addresses.set(hash, bytes)
  const { contentType, height, width } = imageFacts
  const rendition = { hash, contentType, size: bytes.byteLength, width, height }
  const facts = { ...imageFacts, size: bytes.byteLength }
  return {
    id,
    status: "ready",
    size: bytes.byteLength,
    facts,
    renditions: perPlatform((platform) =>
      factsOf(platform).image?.takesOnlyJpeg === true ? { ...rendition, contentType: "image/jpeg" } : rendition
    ),
    alt: ""
  }
}

export const filesLayer = Layer.succeed(MediaFiles, () => ({
  ...noFiles,
  share: ({ hash }) => Effect.succeed({ id: hash, url: `https://files.test/${hash}` }),
  read: (hash) => Stream.fromIterable(addresses.has(hash) ? [addresses.get(hash) ?? new Uint8Array()] : [])
}))
