import { formatsOf } from "./formats.ts"
import { inZone, shownZone, timeOfZone } from "./zone.ts"

const formats = formatsOf(({ clock, format }) => ({
  time: format(clock),
  hour: format(clock.hour12 ? { hour: "numeric", hour12: true } : clock),
  weekday: format({ weekday: "short" }),
  day: format({ month: "short", day: "numeric" }),
  year: format({ month: "short", day: "numeric", year: "numeric" }),
  exact: format({ weekday: "short", month: "short", day: "numeric", year: "numeric", ...clock })
}))

export const dayMillis = 24 * 60 * 60 * 1000
const minuteMillis = 60_000

/** The start of a day: midnight, or one o'clock if the clock skips that hour. */
export const startOfDay = (date: Date, daysLater = 0): Date => {
  const day = inZone(date)
  return timeOfZone(day.getFullYear(), day.getMonth(), day.getDate() + daysLater)
}

/** Keeps the time of day, even across days of 23 or 25 hours. */
export const addDays = (date: Date, days: number): Date => {
  const moved = inZone(date)
  moved.setDate(moved.getDate() + days)
  return moved
}

const daysBetween = (from: Date, to: Date): number =>
  Math.round((startOfDay(to).getTime() - startOfDay(from).getTime()) / dayMillis)

/** Such as `14:30`. */
export const formatClock = (date: Date): string => formats().time.format(date)

/** Uses a day on which the clock does not change. */
export const formatTimeOfDay = (hour: number, minute: number): string =>
  formatClock(timeOfZone(2000, 0, 3, hour, minute)).replace("\u202F", " ")

export const clockExample = (): string => formatTimeOfDay(9, 0)

/** Such as `14:00` or `2 PM`. */
export const formatHour = (date: Date): string => formats().hour.format(date)

/** Such as `Tue` within a week, or else `Nov 22`, with the year unless it is the current one. */
export const formatDay = (date: Date, now: Date): string => {
  const days = daysBetween(now, date)
  if (days === 0) return "Today"
  if (days === 1) return "Tomorrow"
  if (days === -1) return "Yesterday"
  if (Math.abs(days) < 7) return formats().weekday.format(date)
  const { day, year } = formats()
  return (inZone(date).getFullYear() === inZone(now).getFullYear() ? day : year).format(date)
}

const relative = (minutes: number): string => {
  const size = Math.abs(minutes)
  const amount = size < 60 ? `${size} min` : `${Math.round(size / 60)} h`
  return minutes > 0 ? `in ${amount}` : `${amount} ago`
}

/** Such as `now`, `in 25 min` or `3 h ago` within some hours, or else the day and time. */
export const formatTime = (date: Date, now: Date): string => {
  const minutes = Math.round((date.getTime() - now.getTime()) / minuteMillis)
  if (minutes === 0) return "now"
  if (Math.abs(minutes) < 60) return relative(minutes)
  if (Math.abs(minutes) < 6 * 60 && daysBetween(now, date) === 0) return relative(minutes)
  return `${formatDay(date, now)} ${formatClock(date)}`
}

const lowerDay = (text: string): string => text.replace(/^(?:Today|Tomorrow|Yesterday)/, (day) => day.toLowerCase())

/** Such as `tomorrow 9:00` or `just now`. */
export const formatTimeInSentence = (date: Date, now: Date): string => {
  const text = formatTime(date, now)
  return text === "now" && date <= now ? "just now" : lowerDay(text)
}

/** Such as `today 14:30`; never relative to now. */
export const formatFixedTime = (date: Date, now: Date): string =>
  `${lowerDay(formatDay(date, now))} ${formatClock(date)}`

/** Such as `Tue, Nov 24, 2026, 14:30 (Europe/Berlin)`. */
export const formatExact = (date: Date): string => `${formats().exact.format(date)} (${shownZone()})`
