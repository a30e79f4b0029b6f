import { Result, Schema } from "effect"
import { byteLength, countGraphemes } from "../../../domain/posts/text/textLength.ts"
import type { Issue } from "../../../domain/errors.ts"
import { strictBody } from "../../../sandbox/endpoint.ts"
import { byteLimit, graphemeLimit } from "../rules/text.ts"
import { Embed } from "./embed.ts"
import { Datetime, Did, Language, PostKey, RecordId, RecordUri, Uri } from "./formats.ts"

const Feature = Schema.Union([
  Schema.Struct({
    $type: Schema.Literal("app.bsky.richtext.facet#link"),
    uri: Uri
  }),
  Schema.Struct({
    $type: Schema.Literal("app.bsky.richtext.facet#mention"),
    did: Did
  }),
  Schema.Struct({
    $type: Schema.Literal("app.bsky.richtext.facet#tag"),
    // The protocol's limits, independent of the service's own rule.
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
/** Like a PDS, checks the form, but not the existence of the record. */
const PostReference = Schema.Struct({ uri: RecordUri, cid: RecordId })

/** The records that a PDS accepts. The service sends `PostRecord` in src/platforms/bluesky. */
const AcceptedRecord = Schema.Struct({
  $type: Schema.Literal("app.bsky.feed.post"),
  text: Schema.String.check(
    Schema.makeFilter((text) => byteLength(text) <= byteLimit || `must not be longer than ${byteLimit} characters`),
    Schema.makeFilter(
      (text) => countGraphemes(text) <= graphemeLimit || `must not be longer than ${graphemeLimit} graphemes`
    )
  ),
  facets: Schema.optionalKey(Schema.Array(Facet)),
  createdAt: Datetime,
  langs: Schema.optionalKey(Schema.Array(Language).check(Schema.isMaxLength(3))),
  reply: Schema.optionalKey(Schema.Struct({ root: PostReference, parent: PostReference })),
  embed: Schema.optionalKey(Embed)
})
type AcceptedRecord = typeof AcceptedRecord.Type

const place = {
  repo: Schema.String,
  collection: Schema.Literal("app.bsky.feed.post"),
  rkey: PostKey
}

const DeleteRecord = Schema.Struct(place)
const readDelete = strictBody(DeleteRecord)

const PutRecord = Schema.Struct({
  ...place,
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

const formatInput = (issues: ReadonlyArray<Issue>): string =>
  issues.map(({ message, path }) => `Input${path.map((part) => `/${part}`).join("")} ${message}`).join("; ")

export const readPutRecord = (body: string): Result.Result<typeof PutRecord.Type, string> =>
  Result.flatMap(Result.mapError(readPut(body), formatInput), (put) =>
    facetsFit(put.record) ? Result.succeed(put) : Result.fail("Record/facets do not fit the text")
  )

export const readDeletion = (body: string): Result.Result<typeof DeleteRecord.Type, string> =>
  Result.mapError(readDelete(body), formatInput)
