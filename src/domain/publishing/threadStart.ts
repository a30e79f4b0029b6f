import { DateTime } from "effect"
import { longestThreadWait } from "./retryPolicy.ts"
import type { Settlement } from "./settlement.ts"
import type { ThreadCursor } from "./threadCursor.ts"

/** How many posts a platform said that it still takes. */
export interface PostLimit {
  /** Says so to people. */
  readonly message: string
  readonly remaining: number
  /** How many it takes in a whole period; null where it did not say. */
  readonly limit: number | null
  /** When the limit is reset. Nothing is known of it from then on. */
  readonly until: DateTime.Utc
}

/** How many posts must remain before a thread begins: one for each part, or half of a limit that never has so many. */
const needed = (parts: number, limit: number | null): number =>
  limit === null || parts <= limit ? parts : Math.ceil(limit / 2)

/**
 * Puts off a thread that has not begun while fewer posts remain than it has parts, as a late thread is better than half of one.
 * Undefined where nothing keeps it from beginning. That nothing was asked of the platform counts as no attempt, and a limit that
 * is reset too late for the thread is not waited for.
 */
export const waitForLimit = (
  { dueSince, part, parts }: ThreadCursor & { readonly dueSince: DateTime.Utc },
  limits: ReadonlyArray<PostLimit>,
  now: DateTime.Utc
): Extract<Settlement, { readonly _tag: "Retry" }> | undefined => {
  if (part > 1 || parts === 1) return undefined
  const latest = DateTime.addDuration(dueSince, longestThreadWait)
  const short = limits.filter(
    ({ limit, remaining, until }) =>
      remaining < needed(parts, limit) &&
      DateTime.isGreaterThan(until, now) &&
      DateTime.isLessThanOrEqualTo(until, latest)
  )
  const [first, ...others] = short
  if (first === undefined) return undefined
  const last = others.reduce((one, other) => (DateTime.isGreaterThan(other.until, one.until) ? other : one), first)
  return {
    _tag: "Retry",
    at: last.until,
    error: {
      code: "rate_limited",
      message: `${last.message}, and this thread has ${parts}. It begins once that limit is reset`,
      retryable: true
    },
    isUncounted: true
  }
}
