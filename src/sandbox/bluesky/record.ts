import { Result, Schema } from "effect"
import { byteLength, countGraphemes } from "../../domain/posts/text/textLength.ts"
import { blueskyByteLimit, blueskyGraphemeLimit } from "../../domain/posts/text/textRules.ts"
import { hashName } from "../state/accounts.ts"
import { strictBody } from "../strictBody.ts"
import { Embed } from "./embed.ts"

const isDatetime = Schema.isPattern(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/, {
  expected: "a valid atproto datetime"
})
const isLanguage = Schema.isPattern(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$/, {
  expected: "a well-formed BCP 47 language tag"
})
const Feature = Schema.Union([
  Schema.Struct({
    $type: Schema.Literal("app.bsky.richtext.facet#link"),
    uri: Schema.String.check(Schema.isPattern(/^\w+:(?:\/\/)?[^\s/][^\s]*$/, { expected: "a uri" }))
  }),
  Schema.Struct({
    $type: Schema.Literal("app.bsky.richtext.facet#mention"),
    did: Schema.String.check(Schema.isPattern(/^did:[a-z]+:[A-Za-z0-9._:%-]+$/, { expected: "a valid did" }))
  }),
  Schema.Struct({
    $type: Schema.Literal("app.bsky.richtext.facet#tag"),
    // The protocol's limits, checked independently of the service's own rule.
    tag: Schema.String.check(
      Schema.makeFilter(
        (tag) => (byteLength(tag) <= 640 && countGraphemes(tag) <= 64) || "must not be longer than 64 graphemes"
      )
    )
  })
])
const Facet = Schema.Struct({
  $type: Schema.optionalKey(Schema.Literal("app.bsky.richtext.facet")),
  index: Schema.Struct({ byteStart: Schema.Int, byteEnd: Schema.Int }),
  features: Schema.Array(Feature)
})
/** Like a PDS, this asks for the form of a reference alone, and not whether there is such a record. */
const PostReference = Schema.Struct({
  uri: Schema.String.check(
    Schema.isPattern(/^at:\/\/did:[a-z]+:[A-Za-z0-9._:%-]+\/[A-Za-z0-9.-]+\/[A-Za-z0-9._:~-]+$/, {
      expected: "a valid at-uri"
    })
  ),
  cid: Schema.String.check(Schema.isPattern(/^b[a-z2-7]{38,}$/, { expected: "a valid cid" }))
})

/** The records that a PDS accepts; what the service sends is `PostRecord` in src/platforms/bluesky. */
const AcceptedRecord = Schema.Struct({
  $type: Schema.Literal("app.bsky.feed.post"),
  text: Schema.String.check(
    Schema.makeFilter(
      (text) => byteLength(text) <= blueskyByteLimit || `must not be longer than ${blueskyByteLimit} characters`
    ),
    Schema.makeFilter(
      (text) =>
        countGraphemes(text) <= blueskyGraphemeLimit || `must not be longer than ${blueskyGraphemeLimit} graphemes`
    )
  ),
  facets: Schema.optionalKey(Schema.Array(Facet)),
  createdAt: Schema.String.check(isDatetime),
  langs: Schema.optionalKey(Schema.Array(Schema.String.check(isLanguage)).check(Schema.isMaxLength(3))),
  reply: Schema.optionalKey(Schema.Struct({ root: PostReference, parent: PostReference })),
  embed: Schema.optionalKey(Embed)
})
type AcceptedRecord = typeof AcceptedRecord.Type

/** The body of putRecord. The record key of a post is a TID. */
const PutRecord = Schema.Struct({
  repo: Schema.String,
  collection: Schema.Literal("app.bsky.feed.post"),
  rkey: Schema.String.check(Schema.isPattern(/^[234567abcdefghij][234567a-z]{12}$/, { expected: "a valid TID" })),
  validate: Schema.optionalKey(Schema.Boolean),
  record: AcceptedRecord,
  swapRecord: Schema.optionalKey(Schema.NullOr(Schema.String)),
  swapCommit: Schema.optionalKey(Schema.String)
})
const readPut = strictBody(PutRecord)

const isValidUtf8 = (bytes: Uint8Array): boolean =>
  Result.isSuccess(Result.try(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes)))

/** Stricter than a PDS, which accepts facets beyond the text. No client would show these. */
const facetsFit = ({ facets, text }: AcceptedRecord): boolean => {
  const bytes = new TextEncoder().encode(text)
  return (facets ?? []).every(
    ({ index: { byteEnd, byteStart } }) =>
      byteStart >= 0 &&
      byteStart < byteEnd &&
      byteEnd <= bytes.byteLength &&
      isValidUtf8(bytes.subarray(byteStart, byteEnd))
  )
}

/** Reads the body of putRecord. Stricter than a PDS: unknown members and misplaced facets are errors too. */
export const readPutRecord = (body: string): Result.Result<typeof PutRecord.Type, string> =>
  Result.flatMap(
    Result.mapError(readPut(body), (issues) =>
      issues.map(({ message, path }) => `Input${path.map((part) => `/${part}`).join("")} ${message}`).join("; ")
    ),
    (put) => (facetsFit(put.record) ? Result.succeed(put) : Result.fail("Record/facets do not fit the text"))
  )

/** Not a real CID, but like one it is the same for the same content. */
export const contentId = (record: AcceptedRecord): string => `bafyrei${hashName(JSON.stringify(sortKeys(record)), 32)}`

const sortKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sortKeys(member)])
  )
}
