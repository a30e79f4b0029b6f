import { DateTime, Option, Schema } from "effect"

const maxLength = 64

/**
 * Names begin with a letter; offsets such as `+05:30` are no zones. In lower case, because Effect caches each spelling
 * of a zone for good.
 */
export const findTimeZone = (name: string): Option.Option<DateTime.TimeZone.Named> =>
  name.length <= maxLength && /^[A-Za-z]/.test(name) ? DateTime.zoneMakeNamed(name.toLowerCase()) : Option.none()

export const TimeZoneName = Schema.String.check(
  // The length is checked before the name is looked up among all zones.
  Schema.isMaxLength(maxLength),
  Schema.makeFilter((name: string) => Option.isSome(findTimeZone(name)), {
    expected: "a time zone of the IANA database, such as Europe/Berlin",
    // Generated texts would hardly ever be zones.
    arbitraryConstraint: { patterns: [{ source: "^(?:UTC|Europe/Berlin|Australia/Lord_Howe)$", flags: "" }] }
  })
)
