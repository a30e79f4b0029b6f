import { DateTime, Option, Schema } from "effect"
import { isLanguageTag } from "../../../domain/posts/languageTag.ts"

/**
 * The text formats that a PDS checks in records, by @atproto/syntax 0.7.7. Except for languages, they are independent
 * of the service's own formats, so that the stand-in finds the service's mistakes.
 * test/platforms/bluesky/standIn/records.slow.test.ts compares all of them with a PDS.
 */

const did = String.raw`did:[a-z]+:[a-zA-Z0-9._:%-]*[a-zA-Z0-9._-]`
const segment = "(?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
const collection = String.raw`[a-zA-Z]${segment}(?:\.[a-zA-Z0-9]${segment})+\.[a-zA-Z][a-zA-Z0-9]{0,62}`
const recordKey = String.raw`(?!\.\.?$)[a-zA-Z0-9_~.:-]{1,512}`

const text = (pattern: string, expected: string) =>
  Schema.String.check(Schema.isPattern(new RegExp(`^${pattern}$`), { expected }))

const hours = "(?:[01][0-9]|2[0-3])"
const date = "[0-9]{4}-(?:0[1-9]|1[0-2])-(?:[0-2][0-9]|3[01])"
const time = String.raw`${hours}:[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?`

const isInRange = (datetime: string): boolean =>
  Option.exists(DateTime.make(datetime), (at) => /^[0-9]/.test(DateTime.formatIso(at)))

/** A TID. A PDS refuses slurs in keys; of its list, these can be in a TID. */
export const PostKey = text(
  "(?!.*n[4ailo][gq]{2}(?:l[3e]t|[3e]r))[234567abcdefghij][234567a-z]{12}",
  "a valid TID without a slur"
)

export const Datetime = text(
  `${date}T${time}(?:Z|(?!-00:00)[+-]${hours}:[0-5][0-9])`,
  "a valid atproto datetime"
).check(Schema.isMaxLength(64), Schema.makeFilter(isInRange, { expected: "a valid atproto datetime" }))

export const Language = Schema.String.check(
  Schema.makeFilter(isLanguageTag, { expected: "a well-formed BCP 47 language tag" })
)

export const Uri = text(String.raw`\w+:(?:\/\/)?[^\s/][^\s]*`, "a uri")

export const Did = text(did, "a valid did").check(Schema.isMaxLength(2048))

/** A record's address. A PDS also accepts the addresses of accounts and collections. */
export const RecordUri = text(
  `at://(?=[^/]{1,2048}/)${did}/(?=[^/]{1,317}/)${collection}/${recordKey}`,
  "a valid at-uri"
)

/** A CID in base 32 with a SHA-256. The last of its 58 digits carries three bits. */
const contentId = (codec: string) => `baf${codec}rei[a-h][a-z2-7]{50}[aeimquy4]`

export const RecordId = text(contentId("[yk]"), "a valid cid")

/** With the codec "raw". */
export const BlobId = text(contentId("k"), "a valid cid")
