import { Duration as RealDuration } from "effect"

export * from "effect"

const chosenPace = Number(process.env["CHAOS_PACE"] ?? "1")

/** With `?calls`, waits are four times longer, because a platform may fetch a file before it answers. */
const pace = import.meta.url.endsWith("?calls") ? Math.max(1, chosenPace / 4) : chosenPace

/** With `?days`, a day takes four minutes at the usual pace of 10, so that an outcome is known within a campaign. */
const hourPace = import.meta.url.endsWith("?days") ? 36 * pace : pace

/**
 * Effect's Duration with units that are CHAOS_PACE times shorter. Used by the modules that define the service's waits.
 */
export const Duration = {
  ...RealDuration,
  seconds: (seconds: number) => RealDuration.millis((seconds * 1000) / pace),
  minutes: (minutes: number) => RealDuration.millis((minutes * 60_000) / pace),
  hours: (hours: number) => RealDuration.millis((hours * 3_600_000) / hourPace),
  days: (days: number) => RealDuration.millis((days * 86_400_000) / hourPace)
}
