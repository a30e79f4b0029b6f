import { Order, Schema } from "effect"
import type { Issue } from "../errors.ts"
import { isMaxItems } from "../issueCodes.ts"
import { maxQueueEntries, weekdays } from "../plain/queue.ts"
import { Platforms } from "../platform.ts"
import { TimeZoneName } from "../timeZoneName.ts"

const Weekday = Schema.Literals(weekdays)

const expectedTime = "a time of day from 00:00 to 23:59, such as 09:00"

export const QueueEntry = Schema.Struct({
  weekday: Weekday.annotateKey({ description: "The day of the week, in the queue's time zone." }),
  time: Schema.String.check(Schema.isPattern(/^(?:[01]\d|2[0-3]):[0-5]\d$/, { expected: expectedTime })).annotateKey({
    description: "The time of day, `HH:MM` in 24 hours, in the queue's time zone."
  }),
  platforms: Schema.optionalKey(Platforms).annotateKey({
    description: "Only posts whose platforms are all among these take the slot; all posts if omitted."
  })
})
export type QueueEntry = typeof QueueEntry.Type

export const QueueSchedule = Schema.Struct({
  time_zone: TimeZoneName.pipe(
    Schema.annotateEncoded({
      description: "The time zone of the IANA database in which the times are, such as Europe/Berlin."
    })
  ),
  entries: Schema.Array(QueueEntry)
    .check(isMaxItems(maxQueueEntries))
    .annotateKey({
      description: `The times of a week, at most ${maxQueueEntries}, each weekday and time once. Without any, every full hour is a slot.`
    })
})
export type QueueSchedule = typeof QueueSchedule.Type

const nameOf = ({ time, weekday }: QueueEntry) => `${weekdays.indexOf(weekday)} ${time}`

/** An entry's weekday and time may not repeat, because a slot holds one post whatever its platforms are. */
export const findRepeatedEntries = (entries: ReadonlyArray<QueueEntry>): ReadonlyArray<Issue> => {
  const first = new Map<string, number>()
  return entries.flatMap((entry, index): ReadonlyArray<Issue> => {
    const earlier = first.get(nameOf(entry))
    if (earlier === undefined) first.set(nameOf(entry), index)
    return earlier === undefined
      ? []
      : [
          {
            path: ["entries", index, "time"],
            message: `Entry ${earlier} already has ${entry.weekday} at ${entry.time}; a slot holds one post, so list its platforms in one entry`
          }
        ]
  })
}

/** From Sunday 00:00 on. */
export const sortEntries = (entries: ReadonlyArray<QueueEntry>): ReadonlyArray<QueueEntry> =>
  entries.toSorted(Order.mapInput(Order.String, nameOf))

/** Every full hour, for a workspace without times of its own. */
export const everyHour: ReadonlyArray<QueueEntry> = weekdays.flatMap((weekday) =>
  Array.from({ length: 24 }, (_, hour) => ({ weekday, time: `${String(hour).padStart(2, "0")}:00` }))
)
