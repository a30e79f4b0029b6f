import type { WeekStart } from "../../../domain/plain/profile.ts"
import { maxQueueEntries, type Weekday, weekdays } from "../../../domain/plain/queue.ts"
import type { QueueEntry } from "../../../domain/posts/queue.ts"

type QueueEntryJson = typeof QueueEntry.Encoded

/** The days of a new time. */
export type Days = Weekday | "workdays" | "every"

const workdays: ReadonlyArray<Weekday> = ["monday", "tuesday", "wednesday", "thursday", "friday"]

export const weekFrom = (start: WeekStart): ReadonlyArray<Weekday> => {
  const first = weekdays.indexOf(start)
  return [...weekdays.slice(first), ...weekdays.slice(0, first)]
}

export const dayName = (day: Weekday): string => `${day.slice(0, 1).toUpperCase()}${day.slice(1)}`

const daysOf = (days: Days): ReadonlyArray<Weekday> =>
  days === "every" ? weekdays : days === "workdays" ? workdays : [days]

export const timesOf = (entries: ReadonlyArray<QueueEntryJson>, day: Weekday): ReadonlyArray<QueueEntryJson> =>
  entries
    .filter(({ weekday }) => weekday === day)
    .toSorted((left, right) => (left.time < right.time ? -1 : Number(left.time > right.time)))

const isSameTime = (left: QueueEntryJson, right: QueueEntryJson): boolean =>
  left.weekday === right.weekday && left.time === right.time

export const withoutTime = (
  entries: ReadonlyArray<QueueEntryJson>,
  removed: QueueEntryJson
): ReadonlyArray<QueueEntryJson> => entries.filter((entry) => !isSameTime(entry, removed))

type Added =
  | { readonly entries: ReadonlyArray<QueueEntryJson>; readonly count: number }
  /** The reason why nothing was added. */
  | { readonly refused: string }

/** Adds a time to each of the days that do not have it. */
export const withTime = (
  entries: ReadonlyArray<QueueEntryJson>,
  days: Days,
  time: Omit<QueueEntryJson, "weekday">
): Added => {
  const added = daysOf(days)
    .map((weekday) => ({ ...time, weekday }))
    .filter((entry) => !entries.some((each) => isSameTime(each, entry)))
  if (added.length === 0) {
    return { refused: "This time is there already. To change its platforms, remove it first." }
  }
  return entries.length + added.length > maxQueueEntries
    ? { refused: `A queue has at most ${maxQueueEntries} times. Remove some first.` }
    : { entries: [...entries, ...added], count: added.length }
}
