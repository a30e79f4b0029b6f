import type { QuotedRecord } from "../../domain/posts/linkCard.ts"
import type { MediaEmbed } from "./embed.ts"
import type { PostRecord } from "./postRecord.ts"

interface RecordEmbed {
  readonly $type: "app.bsky.embed.record"
  readonly record: QuotedRecord
}

interface RecordWithMediaEmbed {
  readonly $type: "app.bsky.embed.recordWithMedia"
  readonly record: RecordEmbed
  readonly media: MediaEmbed
}

/** A record as it is sent. */
export interface SentRecord extends Omit<PostRecord, "embed"> {
  readonly embed?: PostRecord["embed"] | RecordEmbed | RecordWithMediaEmbed
}

/** The quote is stored beside the record, because the previous version reads no record that has one. */
export const withQuote = (record: PostRecord, quote: QuotedRecord | undefined): SentRecord => {
  if (quote === undefined) return record
  const quoted = { $type: "app.bsky.embed.record", record: { uri: quote.uri, cid: quote.cid } } as const
  const { embed } = record
  return {
    ...record,
    embed:
      embed === undefined || embed.$type === "app.bsky.embed.external"
        ? quoted
        : { $type: "app.bsky.embed.recordWithMedia", record: quoted, media: embed }
  }
}
