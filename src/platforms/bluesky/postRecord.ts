import { DateTime, Schema } from "effect"
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

/** A post as it stands in the account's repository. */
export const PostRecord = Schema.Struct({
  $type: Schema.Literal("app.bsky.feed.post"),
  text: Schema.String,
  facets: Schema.optionalKey(Schema.Array(Facet)),
  createdAt: Schema.String
})
export type PostRecord = typeof PostRecord.Type

/** The collection that posts are kept in. */
export const postCollection = "app.bsky.feed.post"

const feature = (facet: BlueskyFacet, dids: ReadonlyMap<string, string>): Feature | undefined => {
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

/** The record of a text. `dids` are those of the handles that could be resolved; other mentions stay plain text. */
export const postRecord = (
  { facets, text }: BlueskyText,
  dids: ReadonlyMap<string, string>,
  createdAt: DateTime.Utc
): PostRecord => {
  const marked = facets.flatMap((facet): ReadonlyArray<typeof Facet.Type> => {
    const of = feature(facet, dids)
    if (of === undefined) return []
    const index = { byteStart: facet.byteStart, byteEnd: facet.byteEnd }
    return [{ $type: "app.bsky.richtext.facet", index, features: [of] }]
  })
  return {
    $type: postCollection,
    text,
    ...(marked.length === 0 ? {} : { facets: marked }),
    createdAt: DateTime.formatIso(createdAt)
  }
}
