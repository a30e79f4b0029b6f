import { DateTime } from "effect"
import { longestThreadWait } from "./retryPolicy.ts"
import type { Settlement } from "./settlement.ts"
import type { ThreadCursor } from "./threadCursor.ts"

export interface PostLimit {
  readonly message: string
  readonly remaining: number
  /** Per period; null if the platform did not say. */
  readonly limit: number | null
  /** The time when the limit resets. The number of posts left after it is unknown. */
  readonly until: DateTime.Utc
}

/**
 * The posts that must be left before a thread begins: one per part, or half of a limit that is lower than the number of
 * parts.
 */
const needed = (parts: number, limit: number | null): number =>
  limit === null || parts <= limit ? parts : Math.ceil(limit / 2)

/**
 * Delays a thread that has not begun while its account has fewer posts left than parts: late is better than half. The
 * platform is not asked, so this counts as no attempt. The thread does not wait if the limit resets too late.
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
      message: `${last.message}, and this thread has ${parts}. It begins once that limit resets`,
      retryable: true
    },
    isUncounted: true
  }
}
