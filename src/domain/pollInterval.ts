import { DateTime, Duration } from "effect"

/** Publishers poll this often, even without wake-ups. */
export const pollInterval = Duration.seconds(10)

/** True if the time is before the next poll, so that waiting for the poll may be too late. */
export const isDueSoon = (due: DateTime.Utc | null, now: DateTime.Utc): boolean =>
  due !== null && DateTime.isLessThanOrEqualTo(due, DateTime.addDuration(now, pollInterval))
