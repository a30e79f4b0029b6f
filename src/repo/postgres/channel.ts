import { DateTime, Duration } from "effect"

/** The channel on which processes tell each other that something is due soon. */
export const dueChannel = "due_targets"

/** How far ahead a publisher looks by itself; what is due later needs no wake-up call. */
const lookAhead = Duration.seconds(10)

/** Whether publishers have to be told of a due time because it falls before they would find it themselves. */
export const isDueSoon = (due: DateTime.Utc | null, now: DateTime.Utc): boolean =>
  due !== null && DateTime.isLessThanOrEqualTo(due, DateTime.addDuration(now, lookAhead))
