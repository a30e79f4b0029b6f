import { DateTime, Duration } from "effect"

/** Publishers poll this often, even without wake-ups. */
export const pollInterval = Duration.seconds(10)

/** True if waiting for the next poll might be too late. */
export const isDueSoon = (due: DateTime.Utc | null, now: DateTime.Utc): boolean =>
  due !== null && DateTime.isLessThanOrEqualTo(due, DateTime.addDuration(now, pollInterval))
