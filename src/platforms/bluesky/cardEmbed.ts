import { Schema } from "effect"
import type { LinkCard } from "../../domain/posts/linkCard.ts"
import { blobReference } from "./contentId.ts"
import { Blob } from "./embed.ts"

export const CardEmbed = Schema.Struct({
  $type: Schema.Literal("app.bsky.embed.external"),
  external: Schema.Struct({
    uri: Schema.String,
    title: Schema.String,
    description: Schema.String,
    thumb: Schema.optionalKey(Blob)
  })
})
type CardEmbed = typeof CardEmbed.Type

/** The picture's reference follows from its bytes, so the card can name it before the upload. */
export const cardEmbed = ({ description, thumb, title, url }: LinkCard): CardEmbed => ({
  $type: "app.bsky.embed.external",
  external: {
    uri: url,
    title,
    description,
    ...(thumb === null
      ? {}
      : {
          thumb: {
            $type: "blob",
            ref: { $link: blobReference(thumb.hash) },
            mimeType: thumb.content_type,
            size: thumb.size
          }
        })
  }
})

export const withoutThumb = ({ $type, external: { description, title, uri } }: CardEmbed): CardEmbed => ({
  $type,
  external: { uri, title, description }
})
