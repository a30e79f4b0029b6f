import { DateTime, Schema } from "effect"
import type { TargetId } from "../../domain/ids.ts"
import type { BlueskyFacet, BlueskyText } from "../../domain/text/blueskyRichText.ts"

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

/** A post as the account's repository stores it. */
export const PostRecord = Schema.Struct({
  $type: Schema.Literal("app.bsky.feed.post"),
  text: Schema.String,
  facets: Schema.optionalKey(Schema.Array(Facet)),
  createdAt: Schema.String
})
export type PostRecord = typeof PostRecord.Type

/** The collection of posts in a repository. */
export const postCollection = "app.bsky.feed.post"

const makeFeature = (facet: BlueskyFacet, dids: ReadonlyMap<string, string>): Feature | undefined => {
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

/** The record of a text. `dids` has the handles that were resolved; other mentions stay plain text. */
export const postRecord = (
  { facets, text }: BlueskyText,
  dids: ReadonlyMap<string, string>,
  createdAt: DateTime.Utc
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
    createdAt: DateTime.formatIso(createdAt)
  }
}

const keyDigits = "234567abcdefghijklmnopqrstuvwxyz"
const keyLength = 13

/**
 * The key of a target's record: a TID, which has the microseconds of its creation and a clock id. The milliseconds are those
 * of `preparedAt`; the rest of the microseconds and the clock id come from the target's id, so that targets of the same
 * millisecond get different keys.
 */
export const recordKey = (targetId: TargetId, preparedAt: DateTime.Utc): string => {
  const seed = Number.parseInt(targetId.replaceAll("-", "").slice(-8), 16)
  const micros = BigInt(DateTime.toEpochMillis(preparedAt)) * 1000n + BigInt(seed % 1000)
  let rest = (micros << 10n) | BigInt(Math.floor(seed / 1000) % 1024)
  let key = ""
  while (key.length < keyLength) {
    key = keyDigits.charAt(Number(rest & 31n)) + key
    rest >>= 5n
  }
  return key
}
