import { dayKey, two } from "./day.ts"
import { addDays, formatHour, startOfDay } from "./time.ts"
import { inZone, timeOfZone } from "./zone.ts"

/** An instant as a `datetime-local` field has it, in the shown zone; empty for none. */
export const toLocalInput = (at: string | null): string => {
  if (at === null) return ""
  const date = inZone(at)
  if (Number.isNaN(date.getTime())) return ""
  return `${dayKey(date)}T${two(date.getHours())}:${two(date.getMinutes())}`
}

/** The instant that a `datetime-local` field names in the shown zone; null while it names none. */
export const fromLocalInput = (value: string): string | null => {
  const [year, month, day, hour, minute] =
    /^(\d{4,6})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::\d\d(?:\.\d+)?)?$/.exec(value)?.slice(1).map(Number) ?? []
  if (year === undefined || month === undefined || day === undefined) return null
  const date = timeOfZone(year, month - 1, day, hour, minute)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
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
  const toMonday = (8 - inZone(now).getDay()) % 7 || 7
  const tomorrow = atNine(addDays(now, 1))
  const nine = formatHour(tomorrow).replace(/^0/, "")
  return [
    { label: "In an hour", at: inAnHour.toISOString() },
    { label: `Tomorrow ${nine}`, at: tomorrow.toISOString() },
    { label: `Next Monday ${nine}`, at: atNine(addDays(now, toMonday)).toISOString() }
  ]
}
