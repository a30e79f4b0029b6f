import { DateTime, Duration } from "effect"
import { weekdays } from "../plain/queue.ts"
import { instantOfWall, offsetOf, zoneRuleSteps } from "../plain/timeZone.ts"
import type { Platform } from "../platform.ts"
import { schedulingHorizon } from "./postTime.ts"
import type { QueueEntry } from "./queue.ts"

export interface Slot {
  readonly at: DateTime.Utc
  /** Null for all. */
  readonly platforms: ReadonlyArray<Platform> | null
}

export interface Queue {
  readonly timeZone: string
  readonly entries: ReadonlyArray<QueueEntry>
}

interface Range {
  /** Included. */
  readonly from: DateTime.Utc
  /** Excluded. */
  readonly until: DateTime.Utc
}

const dayMillis = 24 * 60 * 60 * 1000
const minuteMillis = 60 * 1000

const minutesOf = (time: string): number => {
  const [hours = 0, minutes = 0] = time.split(":").map(Number)
  return hours * 60 + minutes
}

const union = (
  left: ReadonlyArray<Platform> | null | undefined,
  right: ReadonlyArray<Platform> | null
): ReadonlyArray<Platform> | null => {
  if (left === undefined) return right
  return left === null || right === null ? null : [...new Set([...left, ...right])]
}

/**
 * The slots of a queue in a range, the earliest first. A wall time that clocks skip is as much later as they skip, so
 * that no slot is lost; of one that comes twice, the first instant counts. If two entries have the same instant
 * therefore, they are one slot. Yields, because hundreds of days are computed. Throws a RangeError for an unknown zone.
 */
export function* slotSteps({ entries, timeZone }: Queue, { from, until }: Range): Generator<void, ReadonlyArray<Slot>> {
  const [start, end] = [DateTime.toEpochMillis(from), DateTime.toEpochMillis(until)]
  // A wall time is at most a day from its instant, and its instant is found by offsets a day before and after.
  const [firstDay, lastDay] = [Math.floor(start / dayMillis) - 1, Math.floor(end / dayMillis) + 1]
  const rules = yield* zoneRuleSteps(timeZone, (firstDay - 2) * dayMillis, (lastDay + 3) * dayMillis)
  const read = (at: number) => offsetOf(rules, at) ?? 0
  const slots = new Map<number, ReadonlyArray<Platform> | null>()
  for (let day = firstDay; day <= lastDay; day++) {
    const midnight = day * dayMillis
    const weekday = weekdays[new Date(midnight).getUTCDay()]
    for (const entry of entries) {
      if (entry.weekday !== weekday) continue
      const at = instantOfWall(read, midnight + minutesOf(entry.time) * minuteMillis)
      if (at >= start && at < end) slots.set(at, union(slots.get(at), entry.platforms ?? null))
    }
    yield
  }
  return [...slots]
    .toSorted(([left], [right]) => left - right)
    .map(([at, platforms]) => ({ at: DateTime.makeUnsafe(at), platforms }))
}

/** The longest range of a list of slots. Two months show on a calendar. */
export const maxSlotDays = 62

/** The most posts that a list shows for one slot. */
export const maxHeldPosts = 10

/** The most posts that one request puts in another order. */
export const maxOrderedPosts = 50

/** A slot with platforms takes only posts whose platforms are all among them. */
export const takes = (slot: Slot, platforms: ReadonlyArray<Platform>): boolean =>
  slot.platforms === null || platforms.every((platform) => slot.platforms?.includes(platform) === true)

/** A post needs some time before it is due, such as for its upload, and a caller to see the time. */
const lead = Duration.minutes(1)

/** The range in which the next free slot is searched. */
export const slotRange = (now: DateTime.Utc): Range => ({
  from: DateTime.addDuration(now, lead),
  // Checked against an earlier time than this one.
  until: DateTime.addDuration(now, Duration.subtract(schedulingHorizon, lead))
})
