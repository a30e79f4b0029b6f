import { Schema } from "effect"
import type { PlatformFile } from "../PlatformClient.ts"
import { Cid, MimeType } from "./syntax.ts"

/** A file. Its reference is the hash of its bytes. */
export const Blob = Schema.Struct({
  $type: Schema.Literal("blob"),
  ref: Schema.Struct({ $link: Cid }),
  mimeType: MimeType,
  size: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
})
export type Blob = typeof Blob.Type

const AspectRatio = Schema.Struct({ width: Schema.Int, height: Schema.Int })

export const MediaEmbed = Schema.Union([
  Schema.Struct({
    $type: Schema.Literal("app.bsky.embed.images"),
    images: Schema.Array(Schema.Struct({ alt: Schema.String, image: Blob, aspectRatio: AspectRatio }))
  }),
  Schema.Struct({
    $type: Schema.Literal("app.bsky.embed.video"),
    video: Blob,
    alt: Schema.optionalKey(Schema.String),
    aspectRatio: AspectRatio,
    /** `gif`: without controls, again and again. */
    presentation: Schema.optionalKey(Schema.Literal("gif"))
  })
])
export type MediaEmbed = typeof MediaEmbed.Type

export const EmbeddedFile = Schema.Struct({
  /** The file's address in the store, from which its bytes are uploaded again before a put. */
  hash: Schema.String,
  contentType: Schema.String,
  size: Schema.Int,
  blob: Blob,
  /** True if the video service made the blob, which differs from the file. */
  processed: Schema.Boolean
})
export type EmbeddedFile = typeof EmbeddedFile.Type

const aspectRatio = ({ height, width }: PlatformFile) => ({ width, height })

export const embedOf = (
  files: ReadonlyArray<{ readonly file: PlatformFile; readonly blob: Blob }>
): MediaEmbed | undefined => {
  const [first] = files
  if (first === undefined) return undefined
  if (first.file.type === "image") {
    return {
      $type: "app.bsky.embed.images",
      images: files.map(({ blob, file }) => ({ alt: file.alt, image: blob, aspectRatio: aspectRatio(file) }))
    }
  }
  const { alt } = first.file
  return {
    $type: "app.bsky.embed.video",
    video: first.blob,
    ...(alt === "" ? {} : { alt }),
    aspectRatio: aspectRatio(first.file),
    ...(first.file.type === "gif" ? { presentation: "gif" } : {})
  }
}
