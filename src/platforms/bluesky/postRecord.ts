import { DateTime, Schema } from "effect"
import type { TargetId } from "../../domain/ids.ts"
import type { PublishRequest } from "../PlatformClient.ts"
import { isLanguageTag } from "../../domain/posts/languageTag.ts"
import type { RichText, TextFacet } from "./rules/richText.ts"
import { CardEmbed, cardEmbed } from "./cardEmbed.ts"
import { MediaEmbed } from "./embed.ts"
import { Cid, RecordUri } from "./syntax.ts"

const Feature = Schema.Union([
  Schema.Struct({ $type: Schema.Literal("app.bsky.richtext.facet#link"), uri: Schema.String }),
  Schema.Struct({ $type: Schema.Literal("app.bsky.richtext.facet#tag"), tag: Schema.String }),
  Schema.Struct({ $type: Schema.Literal("app.bsky.richtext.facet#mention"), did: Schema.String })
])
type Feature = typeof Feature.Type

const Facet = Schema.Struct({
  $type: Schema.Literal("app.bsky.richtext.facet"),
  index: Schema.Struct({ byteStart: Schema.Int, byteEnd: Schema.Int }),
  features: Schema.Array(Feature)
})

const PostReference = Schema.Struct({ uri: RecordUri, cid: Cid })

export const RecordReply = Schema.Struct({ root: PostReference, parent: PostReference })
export type RecordReply = typeof RecordReply.Type

export const PostRecord = Schema.Struct({
  $type: Schema.Literal("app.bsky.feed.post"),
  text: Schema.String,
  facets: Schema.optionalKey(Schema.Array(Facet)),
  createdAt: Schema.String,
  langs: Schema.optionalKey(Schema.Array(Schema.String)),
  reply: Schema.optionalKey(RecordReply),
  embed: Schema.optionalKey(Schema.Union([MediaEmbed, CardEmbed]))
})
export type PostRecord = typeof PostRecord.Type

export const postCollection = "app.bsky.feed.post"

const makeFeature = (facet: TextFacet, dids: ReadonlyMap<string, string>): Feature | undefined => {
  switch (facet.feature._tag) {
    case "Link":
      return { $type: "app.bsky.richtext.facet#link", uri: facet.feature.uri }
    case "Tag":
      return { $type: "app.bsky.richtext.facet#tag", tag: facet.feature.tag }
    case "Mention": {
      const did = dids.get(facet.feature.handle)
      return did === undefined ? undefined : { $type: "app.bsky.richtext.facet#mention", did }
    }
  }
}

/** Mentions that are not in `dids` stay plain text. */
export const postRecord = (
  { facets, text }: RichText,
  dids: ReadonlyMap<string, string>,
  createdAt: DateTime.Utc,
  { card = null, language = null }: Pick<PublishRequest, "card" | "language"> = {},
  reply?: RecordReply
): PostRecord => {
  const encoded = facets.flatMap((facet): ReadonlyArray<typeof Facet.Type> => {
    const feature = makeFeature(facet, dids)
    if (feature === undefined) return []
    const index = { byteStart: facet.byteStart, byteEnd: facet.byteEnd }
    return [{ $type: "app.bsky.richtext.facet", index, features: [feature] }]
  })
  return {
    $type: postCollection,
    text,
    ...(encoded.length === 0 ? {} : { facets: encoded }),
    createdAt: DateTime.formatIso(createdAt),
    // Earlier versions stored words as languages. A PDS refuses such records.
    ...(language === null || !isLanguageTag(language) ? {} : { langs: [language] }),
    ...(reply === undefined ? {} : { reply }),
    ...(card === null ? {} : { embed: cardEmbed(card) })
  }
}

const keyDigits = "234567abcdefghijklmnopqrstuvwxyz"
const keyLength = 13

/** The highest bit of a key is zero. */
const maxMicros = (1n << 53n) - 1n

/** A PDS refuses keys that contain a slur. These are the words of its list that fit into a key. */
const refusedWord = /n[4ailo][gq]{2}(?:l[3e]t|[3e]r)/

const encodeKey = (micros: bigint, clockId: bigint): string => {
  let rest = ((micros & maxMicros) << 10n) | clockId
  let key = ""
  while (key.length < keyLength) {
    key = keyDigits.charAt(Number(rest & 31n)) + key
    rest >>= 5n
  }
  return key
}

const clockDigits = 2

/** The first time whose key is not refused, from a time on. The last digit of a refused word in the time changes. */
const acceptedFrom = (micros: bigint, clockId: bigint): bigint => {
  const key = encodeKey(micros, clockId)
  const refused = refusedWord.exec(key)
  if (refused === null) return micros
  const after = keyLength - clockDigits - (refused.index + refused[0].length)
  return acceptedFrom(micros + 32n ** BigInt(Math.max(0, after)), clockId)
}

/**
 * The key of a target's record: a TID, made of microseconds and a clock id. It depends only on the target's id, a
 * UUIDv7, so that a restored database computes the same key. The milliseconds are the id's; the microseconds within
 * them come from its last, random bits. The clock id is the end of the id's counter, so that targets of one millisecond
 * and process differ. Each further part of a thread is a microsecond later, so that keys sort like parts.
 * Microseconds whose key a PDS refuses are skipped.
 */
export const recordKey = (targetId: TargetId, part = 1): string => {
  const digits = targetId.replaceAll("-", "")
  const random = BigInt(`0x${digits.slice(24)}`)
  const clockId = BigInt(`0x${digits.slice(20, 24)}`) % 1024n
  let micros = acceptedFrom(BigInt(`0x${digits.slice(0, 12)}`) * 1000n + (random % 1000n), clockId)
  for (let left = part - 1; left > 0; left--) micros = acceptedFrom(micros + 1n, clockId)
  return encodeKey(micros, clockId)
}
