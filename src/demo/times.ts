import { DateTime, Duration } from "effect"
import type { When } from "./examples.ts"

/** In this machine's time zone, which is usually also the browser's. */
export const timeOf = (when: When, now: DateTime.Utc): DateTime.Utc => {
  if ("minutes" in when) return DateTime.add(now, { minutes: when.minutes })
  const [days, hour, minute] = when
  const local = DateTime.add(DateTime.setZone(now, DateTime.zoneMakeLocal()), { days })
  return DateTime.toUtc(DateTime.setParts(local, { hour, minute, second: 0, millisecond: 0 }))
}

/** Two days before the example is due, but at the latest about three hours ago. Later examples get later times. */
export const writtenAt = (due: DateTime.Utc | null, now: DateTime.Utc, index: number): DateTime.Utc => {
  const today = DateTime.subtractDuration(now, Duration.minutes(180 - index))
  return due === null ? today : DateTime.min(DateTime.subtractDuration(due, Duration.days(2)), today)
}
