import { DateTime, Duration } from "effect"
import { nextHour } from "../nextHour.ts"

/** Two checks of a workspace are at least this far apart, whatever its hour and its zone become. */
const distance = Duration.hours(12)

/** A check that is later than this is left to the next evening. */
export const longestDelay = Duration.hours(12)

/** The time of the next check. Null if the workspace wants none. */
export const nextOutlook = (
  now: DateTime.Utc,
  {
    checkedAt,
    hour,
    timeZone
  }: { readonly hour: number | null; readonly timeZone: string; readonly checkedAt: DateTime.Utc | null }
): DateTime.Utc | null => {
  if (hour === null) return null
  const from = checkedAt === null ? now : DateTime.max(now, DateTime.addDuration(checkedAt, distance))
  return nextHour(from, hour, timeZone)
}
