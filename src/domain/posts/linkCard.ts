import { Schema } from "effect"
import { liveFacts } from "../../platforms/facts.ts"
import { livePlatforms, namePlatforms } from "../plain/platforms.ts"

export const cardPlatforms = livePlatforms.filter((platform) => liveFacts[platform].card !== null)

export const cardName = namePlatforms(cardPlatforms)

const CardThumbnail = Schema.Struct({
  hash: Schema.String.annotateKey({ description: "The SHA-256 of its bytes, in hexadecimal." }),
  content_type: Schema.String.annotateKey({ description: "The type of its bytes." }),
  size: Schema.Int.annotateKey({ description: "Its size in bytes." })
})

const QuotedRecord = Schema.Struct({
  uri: Schema.String.annotateKey({ description: "Its `at://` URI." }),
  cid: Schema.String.annotateKey({ description: "The content id of the version that was found." })
})
export type QuotedRecord = typeof QuotedRecord.Type

export const LinkCard = Schema.Struct({
  url: Schema.String.annotateKey({ description: "The link, as the post has it." }),
  title: Schema.String.annotateKey({ description: "The page's title." }),
  description: Schema.String.annotateKey({ description: "The page's description; empty without one." }),
  thumb: Schema.NullOr(CardThumbnail).annotateKey({ description: "The page's picture; null without one." }),
  record: Schema.optionalKey(QuotedRecord).annotateKey({
    description: `Only if the link leads to a post, feed, list or starter pack of ${cardName}: the post quotes it in place of a card, beside media too.`
  })
}).annotate({
  identifier: "LinkCard",
  description: `The card of a post's first link on ${cardName}: the title, description and picture that its page had when the post was scheduled.`,
  examples: [
    {
      url: "https://example.com/release",
      title: "Our new release",
      description: "What is new, and how to upgrade",
      thumb: {
        hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        content_type: "image/jpeg",
        size: 84_213
      }
    }
  ]
})
export type LinkCard = typeof LinkCard.Type
