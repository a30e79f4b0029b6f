import { DateTime, Option, Schema, SchemaTransformation } from "effect"
import { presentZoneNames } from "./plain/presentZoneNames.ts"

const maxLength = 64

/**
 * Names begin with a letter; offsets such as `+05:30` are no zones. In lower case, because Effect caches each spelling
 * of a zone for good.
 */
export const findTimeZone = (name: string): Option.Option<DateTime.TimeZone.Named> =>
  name.length <= maxLength && /^[A-Za-z]/.test(name) ? DateTime.zoneMakeNamed(name.toLowerCase()) : Option.none()

const presentNames = new Map(Array.from(presentZoneNames.values(), (name) => [name.toLowerCase(), name]))

/** The spelling in lists of zones. An alias that is in no list, such as `US/Eastern`, gets the name of its zone. */
const usualName = (name: string): string =>
  presentNames.get(name.toLowerCase()) ??
  Option.match(findTimeZone(name), { onNone: () => name, onSome: ({ id }) => id })

/** Is decoded to the usual spelling, so that each zone is stored under one name. */
export const TimeZoneName = Schema.String.check(
  // The length is checked before the name is looked up among all zones.
  Schema.isMaxLength(maxLength)
).pipe(
  Schema.decodeTo(
    Schema.String.check(
      Schema.makeFilter((name: string) => Option.isSome(findTimeZone(name)), {
        expected: "a time zone of the IANA database, such as Europe/Berlin",
        // Generated texts would hardly ever be zones.
        arbitraryConstraint: { patterns: [{ source: "^(?:UTC|Europe/Berlin|Australia/Lord_Howe)$", flags: "" }] }
      })
    ),
    SchemaTransformation.transform({ decode: usualName, encode: (name) => name })
  )
)
