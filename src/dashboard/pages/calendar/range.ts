import type { PostJson } from "../../api/postStatus.ts"
import { freeHour, usualHour } from "../../shared/plan/freeTimes.ts"
import { dayKey, parseDay } from "../../ui/time/day.ts"
import { formatsOf } from "../../ui/time/formats.ts"
import { addDays, dayMillis, startOfDay } from "../../ui/time/time.ts"
import { toAddress } from "../../ui/time/timeInput.ts"
import { inZone, timeOfZone, timeSettings } from "../../ui/time/zone.ts"

export type CalendarView = "month" | "week" | "day"

/** The shown days, which are whole weeks. */
export interface CalendarRange extends Span {
  readonly view: CalendarView
  /** A day of the month or week that is shown. */
  readonly date: Date
  /** A day of the month that the title names. */
  readonly month: Date
  readonly days: ReadonlyArray<Date>
  /** Such as `November 2026`. */
  readonly title: string
}

const formats = formatsOf(({ format }) => ({
  month: format({ month: "long", year: "numeric" }),
  week: format({ month: "short", day: "numeric", year: "numeric" }),
  longDay: format({ weekday: "long", month: "long", day: "numeric" }),
  fullDay: format({ weekday: "short", month: "short", day: "numeric", year: "numeric" }),
  weekday: format({ weekday: "short" }),
  monthDay: format({ month: "short", day: "numeric" })
}))

export const formatMonth = (day: Date): string => formats().month.format(day)
/** Such as `Tuesday, November 24`. */
export const formatLongDay = (day: Date): string => formats().longDay.format(day)
export const formatWeekday = (day: Date): string => formats().weekday.format(day)
/** Such as `Nov 24, 2026`. */
export const formatDate = (day: Date): string => formats().week.format(day)
/** Such as `Nov 24`. */
export const formatMonthDay = (day: Date): string => formats().monthDay.format(day)

/** The numbers of `Date.getDay`. */
const weekdays = { sunday: 0, monday: 1, saturday: 6 } as const

/** Whole days, from one midnight to another. */
export interface Span {
  readonly from: Date
  readonly to: Date
}

export const startOfWeek = (date: Date): Date =>
  startOfDay(date, -((inZone(date).getDay() - weekdays[timeSettings.get().weekStartsOn] + 7) % 7))

export const daysFrom = (from: Date, count: number): ReadonlyArray<Date> =>
  Array.from({ length: count }, (_, index) => startOfDay(from, index))

const monthOf = (date: Date): CalendarRange => {
  const from = startOfWeek(timeOfZone(date.getFullYear(), date.getMonth(), 1))
  const last = timeOfZone(date.getFullYear(), date.getMonth() + 1, 0)
  const to = startOfDay(startOfWeek(last), 7)
  const weeks = Math.round((to.getTime() - from.getTime()) / (7 * dayMillis))
  return { view: "month", date, month: date, days: daysFrom(from, weeks * 7), from, to, title: formatMonth(date) }
}

const weekOf = (date: Date): CalendarRange => {
  const from = startOfWeek(date)
  const to = startOfDay(from, 7)
  const title = formats().week.formatRange(from, startOfDay(to, -1))
  return { view: "week", date, month: date, days: daysFrom(from, 7), from, to, title }
}

const oneDay = (date: Date): CalendarRange => {
  const from = startOfDay(date)
  const title = formats().fullDay.format(from)
  return { view: "day", date, month: date, days: [from], from, to: startOfDay(from, 1), title }
}

/** The month that has most of these days. */
const mostlyIn = (days: ReadonlyArray<Date>): Date => {
  const months = Array.from(Map.groupBy(days, (day) => day.getFullYear() * 12 + day.getMonth()).values())
  const [most] = months.toSorted((one, other) => other.length - one.length)
  return most?.[0] ?? new Date()
}

/** The weeks of the month view. The title names the month that fills most of its first six weeks. */
export const weeksOf = (from: Date, count: number): CalendarRange => {
  const days = daysFrom(from, count * 7)
  // The last day of the second week. A month that begins in that week contains it.
  const date = startOfDay(from, 13)
  const month = mostlyIn(days.slice(0, 42))
  return { view: "month", date, month, days, from, to: startOfDay(from, count * 7), title: formatMonth(month) }
}

const ranges = { month: monthOf, week: weekOf, day: oneDay } as const

export const rangeOf = (view: CalendarView, date: Date): CalendarRange => ranges[view](inZone(date))

/** `step` counts months, weeks or days, depending on the view. */
export const stepFrom = ({ date, month, view }: CalendarRange, step: number): Date =>
  view === "month"
    ? timeOfZone(month.getFullYear(), month.getMonth() + step, 1)
    : addDays(date, view === "week" ? step * 7 : step)

/** The same day of another month, or the last day of a shorter one. */
export const dayInMonth = (day: Date, months: number): Date => {
  const [year, month] = [day.getFullYear(), day.getMonth() + months]
  const last = timeOfZone(year, month + 1, 0)
  return timeOfZone(year, month, Math.min(day.getDate(), last.getDate()))
}

const hourMillis = 60 * 60 * 1000

/** Whole days keep the time of day, even across a clock change. Hours are those that pass, also in skipped hours. */
export const movedBy = (at: string, hours: number): Date =>
  hours % 24 === 0 ? addDays(new Date(at), hours / 24) : new Date(new Date(at).getTime() + hours * hourMillis)

export interface Slot {
  readonly day: Date
  readonly hour?: number
}

/** Such as `2026-11-24T9`. */
export const slotKey = ({ day, hour }: Slot): string => (hour === undefined ? dayKey(day) : `${dayKey(day)}T${hour}`)

export const parseSlot = (key: string): Slot | undefined => {
  const [dayText = "", hourText] = key.split("T")
  const day = parseDay(dayText)
  return day && (hourText === undefined ? { day } : { day, hour: Number(hourText) })
}

/** A dropped post keeps its time of day, or only its minutes if the slot is an hour. */
export const timeInSlot = ({ day, hour }: Slot, scheduledAt: string | null): Date => {
  const before = scheduledAt === null ? undefined : inZone(scheduledAt)
  const time = startOfDay(day)
  time.setHours(
    hour ?? before?.getHours() ?? usualHour,
    before?.getMinutes() ?? 0,
    before?.getSeconds() ?? 0,
    before?.getMilliseconds() ?? 0
  )
  return time
}

/** The slot's hour, or a day's first free hour from nine o'clock on. If that has passed, the next full hour. */
export const newPostTime = ({ day, hour }: Slot, now: Date, posts: ReadonlyArray<PostJson> = []): Date => {
  const time = startOfDay(day)
  time.setHours(hour ?? usualHour)
  const free = hour === undefined ? freeHour(day, now, posts) : time
  if (free !== undefined && free > now) return free
  const next = inZone(now)
  next.setHours(next.getHours() + 1, 0, 0, 0)
  return next
}

/** The composer, for a post at the first free time of a slot. */
export const newPostPath = (
  slot: Slot,
  now: Date,
  free: ReadonlyArray<Date> | undefined,
  posts?: ReadonlyArray<PostJson>
): string => `/compose?at=${encodeURIComponent(toAddress(free?.[0] ?? newPostTime(slot, now, posts)))}`

export const isPastSlot = ({ day, hour }: Slot, now: Date): boolean => {
  const end = startOfDay(day, hour === undefined ? 1 : 0)
  if (hour !== undefined) end.setHours(hour + 1)
  return end <= now
}
