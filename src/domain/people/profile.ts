import { Schema } from "effect"
import { AnyLine } from "../name.ts"
import { maxNameLength } from "../plain/limits.ts"
import { TimeZoneName } from "../timeZoneName.ts"
import { clocks, mutableNotifications, themes, weekStarts } from "../plain/profile.ts"

/** Shown to others instead of the email address. */
const PersonName = AnyLine.check(
  Schema.isPattern(/^\S(?:.*\S)?$/su, {
    expected: "a name that is not blank and neither begins nor ends with a space"
  }),
  // Stricter than `Line`: U+FE0F is refused too.
  Schema.isPattern(/^(?:\p{RGI_Emoji_Tag_Sequence}|[\u200c\u200d]|[^\p{Cf}\p{Default_Ignorable_Code_Point}])*$/v, {
    expected: "a name without invisible characters",
    toJsonSchema: () => ({})
  }),
  Schema.isPattern(/[\p{L}\p{N}]/u, { expected: "a name with a letter or a digit", toJsonSchema: () => ({}) }),
  Schema.isPattern(/^[^@]*$/, {
    expected: "a name without @, because it is shown instead of an email address",
    toJsonSchema: () => ({})
  }),
  Schema.isMaxLength(maxNameLength)
)

/** A person's settings, the same in each workspace. */
export const ProfileSettings = Schema.Struct({
  name: Schema.NullOr(PersonName).annotateKey({
    description: "The name that others see instead of the email address; null without one."
  }),
  theme: Schema.Literals(themes).annotateKey({
    description: "The colors of the dashboard; `system` are those of the browser."
  }),
  hours: Schema.Literals(clocks).annotateKey({
    description: "Whether times of day use the 12-hour or the 24-hour clock."
  }),
  week_starts_on: Schema.Literals(weekStarts).annotateKey({ description: "The first day of a week in the calendar." }),
  time_zone: Schema.NullOr(TimeZoneName).annotateKey({
    description: "The time zone of the IANA database in which times are shown; null for the browser's."
  }),
  muted_notifications: Schema.Array(Schema.Literals(mutableNotifications))
    .check(Schema.isMaxLength(mutableNotifications.length), Schema.isUnique())
    .annotateKey({
      description: "The types of notifications that count as read for this person. Failures can't be among them."
    })
})
export type ProfileSettings = typeof ProfileSettings.Type
