import { DateTime, Effect, Option, Schema, SchemaIssue, SchemaTransformation } from "effect"

const pattern = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?([Zz]|[+-]\d{2}:\d{2})$/

const expected = "an ISO 8601 date and time with a zone, such as 2030-01-31T09:00:00Z"

const daysIn = (year: number, month: number) => new Date(Date.UTC(year, month, 0)).getUTCDate()

/** Parses a valid date and time with a zone; JavaScript's own parser accepts February 30 and times without a zone. */
export const parseInstant = (text: string): Option.Option<DateTime.Utc> => {
  const match = pattern.exec(text)
  if (match === null) return Option.none()
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0))
  const zone = match[8] ?? "Z"
  const offsetHours = zone.length === 6 ? Number(zone.slice(1, 3)) : 0
  const offsetMinutes = zone.length === 6 ? Number(zone.slice(4, 6)) : 0
  const real =
    year >= 1 &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= daysIn(year, month) &&
    hour <= 23 &&
    minute <= 59 &&
    second <= 59 &&
    offsetHours <= 23 &&
    offsetMinutes <= 59
  return real ? Option.map(DateTime.make(text.toUpperCase()), DateTime.toUtc) : Option.none()
}

/** A point in time. Decodes ISO 8601 with a zone; encodes UTC with milliseconds and `Z`. */
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
          () => new SchemaIssue.InvalidValue({ expected }, text, options)
        ),
      encode: (instant: DateTime.Utc) => Effect.succeed(DateTime.formatIso(instant))
    })
  )
)
