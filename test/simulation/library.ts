import { createHash } from "node:crypto"
import { Effect, Layer, Stream } from "effect"
import type { MediaId } from "../../src/domain/ids.ts"
import type { MediaFile } from "../../src/domain/media/media.ts"
import { MediaFiles, noFiles } from "../../src/platforms/MediaFiles.ts"
import { imageFacts } from "../support/database/mediaFixtures.ts"

/** A text, because the simulated network carries only texts. */
const contentOf = (id: string) => new TextEncoder().encode(`the picture ${id}`)

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
    renditions: { twitter: rendition, bluesky: rendition, threads: rendition },
    alt: ""
  }
}

export const filesLayer = Layer.succeed(MediaFiles, () => ({
  ...noFiles,
  share: ({ hash }) => Effect.succeed({ id: hash, url: `https://files.test/${hash}` }),
  read: (hash) => Stream.fromIterable(addresses.has(hash) ? [addresses.get(hash) ?? new Uint8Array()] : [])
}))
