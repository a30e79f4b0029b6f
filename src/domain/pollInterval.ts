import { DateTime, Duration } from "effect"

/** How often publishers poll for due posts, whether or not they were woken. */
export const pollInterval = Duration.seconds(10)

/** Whether publishers have to be woken for a due time, because it comes before the next poll is sure to find it. */
export const isDueSoon = (due: DateTime.Utc | null, now: DateTime.Utc): boolean =>
  due !== null && DateTime.isLessThanOrEqualTo(due, DateTime.addDuration(now, pollInterval))
