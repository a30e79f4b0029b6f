import { DateTime, Duration } from "effect"

/** Publishers poll this often, even without wake-ups. */
export const pollInterval = Duration.seconds(10)

/** True if the next poll may come too late. */
export const isDueSoon = (due: DateTime.Utc | null, now: DateTime.Utc): boolean =>
  due !== null && DateTime.isLessThanOrEqualTo(due, DateTime.addDuration(now, pollInterval))
