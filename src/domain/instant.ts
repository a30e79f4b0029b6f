import { DateTime, Effect, Option, Schema, SchemaIssue, SchemaTransformation } from "effect"

const date = String.raw`(?<year>\d{4})(?<dash>-?)(?<month>\d{2})\k<dash>(?<day>\d{2})`
const time = String.raw`(?<hour>\d{2})(?<colon>:?)(?<minute>\d{2})(?:\k<colon>(?<second>\d{2})(?:[.,](?<fraction>\d{1,9}))?)?`
const offset = String.raw`(?:[Zz]|(?<sign>[+-])(?<offsetHour>\d{2})(?::?(?<offsetMinute>\d{2}))?)`
/** The suffix of RFC 9557, such as `[Europe/Berlin][u-ca=gregory]`. Temporal and Java write it after the offset. */
const suffix = String.raw`(?:\[(?<zone>!?[\w.+:/-]{1,64})\])?(?<tags>(?:\[!?[a-z_][a-z_\d-]{0,31}=[\w-]{1,64}\]){0,4})`
/** ISO 8601's basic and extended formats. The zone can have either format, because many programs mix them. */
const pattern = new RegExp(`^${date}[Tt]${time}${offset}${suffix}$`)

const expected = "an ISO 8601 date and time with a zone, such as 2030-01-31T09:00:00Z"
const expectedZone = `${expected}; a zone in brackets has to exist and to have the offset before it at that time`

/** A critical tag (`!`) may only be ignored if it changes nothing. */
const isKnownTag = (tag: string) => !tag.startsWith("[!") || /^\[!u-ca=(?:iso8601|gregory)\]$/.test(tag)

/**
 * True for `Z` and `-00:00`, which say nothing about the zone (RFC 9557, 2.2). In lower case,
 * because Effect caches each spelling of a zone for good.
 */
const hasOffset = (zone: string, written: string, instant: DateTime.Utc): boolean =>
  Option.exists(DateTime.zoneFromString(zone.toLowerCase()), (known) => {
    const zoned = DateTime.setZone(instant, known)
    return written === "Z" || written === "-00:00" || DateTime.formatIsoOffset(zoned).endsWith(written)
  })

const digits = (value: number) => String(value).padStart(2, "0")

const daysIn = (year: number, month: number) => new Date(Date.UTC(year, month, 0)).getUTCDate()

/**
 * Strict: JavaScript's own parser accepts February 30 and times without a zone. An offset that contradicts a zone in
 * brackets is refused, because either can be the mistake.
 */
export const parseInstant = (text: string): Option.Option<DateTime.Utc> => {
  const groups = pattern.exec(text)?.groups
  if (groups === undefined || (groups["dash"] === "") !== (groups["colon"] === "")) return Option.none()
  const part = (name: string) => Number(groups[name] ?? 0)
  const [year, month, day] = [part("year"), part("month"), part("day")]
  const [hour, minute, second] = [part("hour"), part("minute"), part("second")]
  const [offsetHour, offsetMinute] = [part("offsetHour"), part("offsetMinute")]
  const real =
    year >= 1 &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= daysIn(year, month) &&
    hour <= 23 &&
    minute <= 59 &&
    second <= 59 &&
    offsetHour <= 23 &&
    offsetMinute <= 59
  if (!real) return Option.none()
  const zone = groups["sign"] === undefined ? "Z" : `${groups["sign"]}${digits(offsetHour)}:${digits(offsetMinute)}`
  const local = `${groups["year"]}-${digits(month)}-${digits(day)}T${digits(hour)}:${digits(minute)}:${digits(second)}`
  const instant = Option.map(DateTime.make(`${local}.${groups["fraction"] ?? "0"}${zone}`), DateTime.toUtc)
  const name = groups["zone"]?.replace("!", "")
  return Option.filter(
    instant,
    (at) =>
      (groups["tags"]?.match(/\[[^\]]+\]/g) ?? []).every(isKnownTag) &&
      (name === undefined || hasOffset(name, zone, at))
  )
}

/** Decodes ISO 8601 with a zone; encodes UTC with milliseconds and `Z`. */
export const Instant = Schema.String.annotate({
  format: "date-time",
  expected,
  examples: ["2030-01-31T09:00:00.000Z"]
}).pipe(
  Schema.decodeTo(
    Schema.DateTimeUtc,
    SchemaTransformation.transformEffect({
      decode: (text: string, options) =>
        Effect.mapError(
          Effect.fromOption(parseInstant(text)),
          () => new SchemaIssue.InvalidValue({ expected: text.endsWith("]") ? expectedZone : expected }, text, options)
        ),
      encode: (instant: DateTime.Utc) => Effect.succeed(DateTime.formatIso(instant))
    })
  )
)

export const describedInstant = (description: string) => Instant.pipe(Schema.annotateEncoded({ description }))
