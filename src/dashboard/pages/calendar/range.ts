import { dayKey, parseDay } from "../../ui/time/day.ts"
import { addDays, startOfDay } from "../../ui/time/time.ts"

export type CalendarView = "month" | "week"

/** What the calendar shows: whole weeks, from Monday on. */
export interface CalendarRange {
  readonly view: CalendarView
  /** A day of the month or week that is shown. */
  readonly date: Date
  readonly days: ReadonlyArray<Date>
  readonly from: Date
  /** The beginning of the day after the last one. */
  readonly to: Date
  /** The heading, as in `November 2026`. */
  readonly title: string
}

const locale = "en-US"
const monthFormat = new Intl.DateTimeFormat(locale, { month: "long", year: "numeric" })
const weekFormat = new Intl.DateTimeFormat(locale, { month: "short", day: "numeric", year: "numeric" })
const longDayFormat = new Intl.DateTimeFormat(locale, { weekday: "long", month: "long", day: "numeric" })
const weekdayFormat = new Intl.DateTimeFormat(locale, { weekday: "short" })
const monthDayFormat = new Intl.DateTimeFormat(locale, { month: "short", day: "numeric" })

/** A day in full, as in `Tuesday, November 24`. */
export const formatLongDay = (day: Date): string => longDayFormat.format(day)
export const formatWeekday = (day: Date): string => weekdayFormat.format(day)
/** A day in short, as in `Nov 24`. */
export const formatMonthDay = (day: Date): string => monthDayFormat.format(day)

const startOfWeek = (date: Date): Date => addDays(startOfDay(date), -((date.getDay() + 6) % 7))

const daysFrom = (from: Date, count: number): ReadonlyArray<Date> =>
  Array.from({ length: count }, (_, index) => addDays(from, index))

const monthOf = (date: Date): CalendarRange => {
  const from = startOfWeek(new Date(date.getFullYear(), date.getMonth(), 1))
  const last = new Date(date.getFullYear(), date.getMonth() + 1, 0)
  const to = addDays(startOfWeek(last), 7)
  const weeks = Math.round((to.getTime() - from.getTime()) / (7 * 24 * 60 * 60 * 1000))
  return { view: "month", date, days: daysFrom(from, weeks * 7), from, to, title: monthFormat.format(date) }
}

const weekOf = (date: Date): CalendarRange => {
  const from = startOfWeek(date)
  const to = addDays(from, 7)
  return { view: "week", date, days: daysFrom(from, 7), from, to, title: weekFormat.formatRange(from, addDays(to, -1)) }
}

export const rangeOf = (view: CalendarView, date: Date): CalendarRange =>
  view === "month" ? monthOf(date) : weekOf(date)

/** A day of the month or week that is so many after it. */
export const stepFrom = ({ date, view }: CalendarRange, step: number): Date =>
  view === "week" ? addDays(date, step * 7) : new Date(date.getFullYear(), date.getMonth() + step, 1)

/** Where something can be dropped: a day, or an hour of one. */
export interface Slot {
  readonly day: Date
  readonly hour?: number
}

/** When a draft without a time goes out on the day that it is dropped on. */
const defaultHour = 9

/** A slot as it stands in the document, such as `2026-11-24T9`. */
export const slotKey = ({ day, hour }: Slot): string => (hour === undefined ? dayKey(day) : `${dayKey(day)}T${hour}`)

export const parseSlot = (key: string): Slot | undefined => {
  const [dayText = "", hourText] = key.split("T")
  const day = parseDay(dayText)
  return day && (hourText === undefined ? { day } : { day, hour: Number(hourText) })
}

/** The time of a post that was dropped on a slot: it keeps its time of the day, or its minutes where the slot is an hour. */
export const timeInSlot = ({ day, hour }: Slot, scheduledAt: string | null): Date => {
  const before = scheduledAt === null ? undefined : new Date(scheduledAt)
  const time = startOfDay(day)
  time.setHours(
    hour ?? before?.getHours() ?? defaultHour,
    before?.getMinutes() ?? 0,
    before?.getSeconds() ?? 0,
    before?.getMilliseconds() ?? 0
  )
  return time
}

/** When a post that is begun in a slot would go out: the full hour, on a day at nine, and today at the next full hour. */
export const newPostTime = ({ day, hour }: Slot, now: Date): Date => {
  const time = startOfDay(day)
  time.setHours(hour ?? defaultHour)
  if (time > now) return time
  const next = new Date(now)
  next.setHours(now.getHours() + 1, 0, 0, 0)
  return next
}

/** Whether nothing can go out in a slot any more. */
export const isPastSlot = ({ day, hour }: Slot, now: Date): boolean => {
  const end = hour === undefined ? addDays(startOfDay(day), 1) : startOfDay(day)
  if (hour !== undefined) end.setHours(hour + 1)
  return end <= now
}
