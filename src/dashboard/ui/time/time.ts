/** The words of the pages are English, so those of the times are as well. */
const locale = "en-US"
const clock = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const

const timeFormat = new Intl.DateTimeFormat(locale, clock)
const weekdayFormat = new Intl.DateTimeFormat(locale, { weekday: "short" })
const dayFormat = new Intl.DateTimeFormat(locale, { month: "short", day: "numeric" })
const yearFormat = new Intl.DateTimeFormat(locale, { month: "short", day: "numeric", year: "numeric" })
const exactFormat = new Intl.DateTimeFormat(locale, {
  weekday: "short",
  month: "short",
  day: "numeric",
  year: "numeric",
  ...clock
})

/** The zone of the browser, such as `Europe/Berlin`. All times are shown in it. */
export const timeZone = new Intl.DateTimeFormat().resolvedOptions().timeZone

export const dayMillis = 24 * 60 * 60 * 1000
const minuteMillis = 60_000

export const startOfDay = (date: Date): Date => new Date(date.getFullYear(), date.getMonth(), date.getDate())

/** Adds days of the calendar, of which some have 23 or 25 hours. */
export const addDays = (date: Date, days: number): Date => {
  const moved = new Date(date)
  moved.setDate(moved.getDate() + days)
  return moved
}

/** How many midnights lie between two times. */
const daysBetween = (from: Date, to: Date): number =>
  Math.round((startOfDay(to).getTime() - startOfDay(from).getTime()) / dayMillis)

/** The time of the day, as in `14:30`. */
export const formatClock = (date: Date): string => timeFormat.format(date)

/** The day: `Tue` within a week, else `Nov 22`, with the year where it is another. */
export const formatDay = (date: Date, now: Date): string => {
  const days = daysBetween(now, date)
  if (days === 0) return "Today"
  if (days === 1) return "Tomorrow"
  if (days === -1) return "Yesterday"
  if (Math.abs(days) < 7) return weekdayFormat.format(date)
  return (date.getFullYear() === now.getFullYear() ? dayFormat : yearFormat).format(date)
}

const relative = (minutes: number): string => {
  const size = Math.abs(minutes)
  const amount = size < 60 ? `${size} min` : `${Math.round(size / 60)} h`
  return minutes > 0 ? `in ${amount}` : `${amount} ago`
}

/** A time as people say it: `now`, `in 25 min` and `3 h ago` within some hours, else the day and the time. */
export const formatTime = (date: Date, now: Date): string => {
  const minutes = Math.round((date.getTime() - now.getTime()) / minuteMillis)
  if (minutes === 0) return "now"
  if (Math.abs(minutes) < 60) return relative(minutes)
  if (Math.abs(minutes) < 6 * 60 && daysBetween(now, date) === 0) return relative(minutes)
  return `${formatDay(date, now)} ${formatClock(date)}`
}

const lowerDay = (text: string): string => text.replace(/^(?:Today|Tomorrow|Yesterday)/, (day) => day.toLowerCase())

/** A time as people say it within a sentence: `tomorrow 9:00`, `just now`. */
export const formatTimeInSentence = (date: Date, now: Date): string => {
  const text = formatTime(date, now)
  return text === "now" && date <= now ? "just now" : lowerDay(text)
}

/** A day and a time within a sentence, however near they are: `today 14:30`. */
export const formatFixedTime = (date: Date, now: Date): string =>
  `${lowerDay(formatDay(date, now))} ${formatClock(date)}`

/** The whole time with its zone: `Tue, Nov 24, 2026, 14:30 (Europe/Berlin)`. */
export const formatExact = (date: Date): string => `${exactFormat.format(date)} (${timeZone})`
