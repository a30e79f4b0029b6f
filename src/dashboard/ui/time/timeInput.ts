import { parseClock } from "./clockInput.ts"
import { dayKey } from "./day.ts"
import { addDays, formatClock, formatHour, formatTimeOfDay, startOfDay } from "./time.ts"
import { chosenInstant, hasZoneRules, inZone, shownZone, timeOfZone, wallTime } from "./zone.ts"

/** The texts of two fields, in the displayed zone. */
export interface TimeTexts {
  readonly day: string
  readonly clock: string
}

/** Both are empty for null. */
export const toTexts = (at: string | null): TimeTexts => {
  const date = at === null ? undefined : inZone(at)
  if (date === undefined || Number.isNaN(date.getTime())) return { day: "", clock: "" }
  return { day: dayKey(date), clock: formatTimeOfDay(date.getHours(), date.getMinutes()) }
}

/** In the displayed zone; null if invalid. */
export const fromTexts = ({ clock, day }: TimeTexts): string | null => {
  const [, year, month, date] = /^(\d{4,6})-(\d\d)-(\d\d)$/.exec(day) ?? []
  const time = parseClock(clock)
  if (year === undefined || month === undefined || date === undefined || time === undefined) return null
  const at = timeOfZone(Number(year), Number(month) - 1, Number(date), time.hour, time.minute)
  return Number.isNaN(at.getTime()) ? null : chosenInstant(at)
}

/** `value` is like `2026-11-24T09:00`, in the displayed zone. Null if invalid. */
export const fromLocalInput = (value: string): string | null => {
  const [day = "", clock = "", ...rest] = value.split("T")
  return rest.length === 0 && /^\d\d:\d\d$/.test(clock) ? fromTexts({ day, clock }) : null
}

/** A time for an address: a wall time if the service's rules of the zone are not known yet. */
export const toAddress = (time: Date): string =>
  hasZoneRules(shownZone()) ? time.toISOString() : wallTime(time).toISOString().slice(0, 16)

/** The instant in an address: with a zone, or as a local time of the displayed zone; null if invalid. */
export const fromAddress = (text: string | null): string | null => {
  if (text === null || !/T.*(?:Z|[+-]\d\d:\d\d)$/i.test(text)) return fromLocalInput(text ?? "")
  const date = new Date(text)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}

export interface QuickTime {
  readonly label: string
  readonly at: Date
  /** True for a time of day, which a later rule of the zone may put at another instant. */
  readonly isWall: boolean
}

const atNine = (day: Date): Date => {
  const time = startOfDay(day)
  time.setHours(9)
  return time
}

const shortClock = (time: Date): string =>
  (time.getMinutes() === 0 ? formatHour(time) : formatClock(time)).replace(/^0/, "")

const hourMillis = 60 * 60 * 1000
const fiveMinutes = 5 * 60 * 1000

/** "In an hour" is rounded up to five minutes. `timeOn` proposes a time of another day. */
export const quickTimes = (now: Date, timeOn: (day: Date) => Date = atNine): ReadonlyArray<QuickTime> => {
  const inAnHour = new Date(Math.ceil((now.getTime() + hourMillis) / fiveMinutes) * fiveMinutes)
  const toMonday = (8 - inZone(now).getDay()) % 7 || 7
  const [tomorrow, monday] = [timeOn(addDays(now, 1)), timeOn(addDays(now, toMonday))]
  return [
    { label: "In an hour", at: inAnHour, isWall: false },
    { label: `Tomorrow ${shortClock(tomorrow)}`, at: tomorrow, isWall: true },
    { label: `Next Monday ${shortClock(monday)}`, at: monday, isWall: true }
  ]
}
