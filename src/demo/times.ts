import { DateTime, Duration } from "effect"
import type { When } from "./examples.ts"

/** When an example is due: by the time of day of this machine, which is that of the browser beside it. */
export const timeOf = (when: When, now: DateTime.Utc): DateTime.Utc => {
  if ("minutes" in when) return DateTime.add(now, { minutes: when.minutes })
  const [days, hour, minute] = when
  const local = DateTime.add(DateTime.setZone(now, DateTime.zoneMakeLocal()), { days })
  return DateTime.toUtc(DateTime.setParts(local, { hour, minute, second: 0, millisecond: 0 }))
}

/** When an example was written: two days ahead, or earlier today, one after the other. */
export const writtenAt = (due: DateTime.Utc | null, now: DateTime.Utc, index: number): DateTime.Utc => {
  const today = DateTime.subtractDuration(now, Duration.minutes(180 - index))
  return due === null ? today : DateTime.min(DateTime.subtractDuration(due, Duration.days(2)), today)
}
