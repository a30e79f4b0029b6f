import { DateTime, Duration } from "effect"

/** Publishers poll this often, even if they are not woken. */
export const pollInterval = Duration.seconds(10)

/** True if publishers have to be woken, because the due time may come before the next poll. */
export const isDueSoon = (due: DateTime.Utc | null, now: DateTime.Utc): boolean =>
  due !== null && DateTime.isLessThanOrEqualTo(due, DateTime.addDuration(now, pollInterval))
