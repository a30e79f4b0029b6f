import { Schema } from "effect"
import type { SandboxCard, SandboxMedia } from "../../../sandbox/state/entry.ts"
import { bluesky as facts } from "../facts.ts"
import * as limits from "../limits.ts"
import { BlobId, RecordId, RecordUri, Uri } from "./formats.ts"

const accepts = (mimeType: string, pattern: string): boolean =>
  pattern.endsWith("/*") ? mimeType.startsWith(pattern.slice(0, -1)) : mimeType === pattern

const BlobReference = (accept: string, maxSize: number) =>
  Schema.Struct({
    $type: Schema.Literal("blob"),
    ref: Schema.Struct({ $link: BlobId }),
    mimeType: Schema.String.check(
      Schema.makeFilter((mimeType) => accepts(mimeType, accept) || `should be a blob of type ${accept}`)
    ),
    size: Schema.Int.check(
      Schema.makeFilter((size) => (size > 0 && size <= maxSize) || `blob too big (maximum ${maxSize}, got ${size})`)
    )
  })
type BlobReference = ReturnType<typeof BlobReference>["Type"]

const AspectRatio = Schema.Struct({
  width: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)),
  height: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))
})

const Images = Schema.Struct({
  $type: Schema.Literal("app.bsky.embed.images"),
  images: Schema.Array(
    Schema.Struct({
      image: BlobReference("image/*", limits.imageBytes),
      /** Required, even if empty. */
      alt: Schema.String,
      aspectRatio: Schema.optionalKey(AspectRatio)
    })
  ).check(Schema.isMinLength(1), Schema.isMaxLength(4))
})

const Video = Schema.Struct({
  $type: Schema.Literal("app.bsky.embed.video"),
  video: BlobReference("video/mp4", limits.videoBytes),
  alt: Schema.optionalKey(Schema.String),
  aspectRatio: Schema.optionalKey(AspectRatio),
  presentation: Schema.optionalKey(Schema.String)
})

const External = Schema.Struct({
  $type: Schema.Literal("app.bsky.embed.external"),
  external: Schema.Struct({
    uri: Uri,
    title: Schema.String,
    description: Schema.String,
    thumb: Schema.optionalKey(BlobReference("image/*", limits.cardPictureBytes))
  })
})

const Quote = Schema.Struct({
  $type: Schema.Literal("app.bsky.embed.record"),
  record: Schema.Struct({ uri: RecordUri, cid: RecordId })
})

const QuoteWithMedia = Schema.Struct({
  $type: Schema.Literal("app.bsky.embed.recordWithMedia"),
  record: Quote,
  media: Schema.Union([Images, Video, External])
})

/** By the lexicons app.bsky.embed.images, video, external, record and recordWithMedia. */
export const Embed = Schema.Union([Images, Video, External, Quote, QuoteWithMedia])
export type Embed = typeof Embed.Type

export const blobsOf = (embed: Embed): ReadonlyArray<BlobReference> => {
  switch (embed.$type) {
    case "app.bsky.embed.images":
      return embed.images.map(({ image }) => image)
    case "app.bsky.embed.video":
      return [embed.video]
    case "app.bsky.embed.external":
      return embed.external.thumb === undefined ? [] : [embed.external.thumb]
    case "app.bsky.embed.record":
      return []
    case "app.bsky.embed.recordWithMedia":
      return blobsOf(embed.media)
  }
}

const idOf = ({ ref }: BlobReference): string => ref.$link

const shownQuote = ({ record: { uri } }: typeof Quote.Type): SandboxCard => ({
  url: uri.replace(/^at:\/\/([^/]+)\/app\.bsky\.feed\.post\//, `${facts.site}/profile/$1/post/`),
  title: "Quoted",
  description: uri,
  thumb: null
})

/** Blobs' bytes are kept under their content's ids. */
export const shownEmbed = (
  embed: Embed
): { readonly media?: ReadonlyArray<SandboxMedia>; readonly card?: SandboxCard } => {
  switch (embed.$type) {
    case "app.bsky.embed.images":
      return { media: embed.images.map(({ alt, image }) => ({ id: idOf(image), type: "image", alt })) }
    case "app.bsky.embed.video":
      return {
        media: [{ id: idOf(embed.video), type: embed.presentation === "gif" ? "gif" : "video", alt: embed.alt ?? "" }]
      }
    case "app.bsky.embed.external": {
      const { description, thumb, title, uri } = embed.external
      return { card: { url: uri, title, description, thumb: thumb === undefined ? null : idOf(thumb) } }
    }
    case "app.bsky.embed.record":
      return { card: shownQuote(embed) }
    case "app.bsky.embed.recordWithMedia":
      return { ...shownEmbed(embed.media), card: shownQuote(embed.record) }
  }
}
