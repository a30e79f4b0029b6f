import { dayKey } from "./day.ts"
import { addDays, formatClock, startOfDay } from "./time.ts"

/** An instant as a `datetime-local` field has it, in the browser's zone; empty for none. */
export const toLocalInput = (at: string | null): string => {
  if (at === null) return ""
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return ""
  return `${dayKey(date)}T${formatClock(date)}`
}

/** The instant that a `datetime-local` field names; null while it names none. */
export const fromLocalInput = (value: string): string | null => {
  const date = new Date(value)
  return value === "" || Number.isNaN(date.getTime()) ? null : date.toISOString()
}

export interface QuickTime {
  readonly label: string
  readonly at: string
}

const atNine = (day: Date): Date => {
  const time = startOfDay(day)
  time.setHours(9)
  return time
}

const hourMillis = 60 * 60 * 1000
const fiveMinutes = 5 * 60 * 1000

/** Times that people choose most. In an hour is on the next five minutes. */
export const quickTimes = (now: Date): ReadonlyArray<QuickTime> => {
  const inAnHour = new Date(Math.ceil((now.getTime() + hourMillis) / fiveMinutes) * fiveMinutes)
  const toMonday = (8 - now.getDay()) % 7 || 7
  return [
    { label: "In an hour", at: inAnHour.toISOString() },
    { label: "Tomorrow 9:00", at: atNine(addDays(now, 1)).toISOString() },
    { label: "Next Monday 9:00", at: atNine(addDays(now, toMonday)).toISOString() }
  ]
}
