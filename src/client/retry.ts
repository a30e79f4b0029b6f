export interface Failed {
  readonly status?: number
  readonly code?: string
  /** In seconds; null if the response has none. */
  readonly retryAfter: number | null
}

export interface Repeatable {
  /** True if a second request has no second effect: it reads, or has an idempotency key or a condition. */
  readonly isSafe: boolean
  /** False for a stream. */
  readonly hasBody: boolean
}

/** In seconds. If `retryAfter` is longer, the call fails. */
const longestWait = 60

/** After these statuses, the outcome is unknown. */
const passing = new Set([408, 502, 503, 504])

/** In milliseconds; undefined if there is no next attempt. */
export const nextAttempt = (
  { code, retryAfter, status }: Failed,
  { hasBody, isSafe }: Repeatable,
  { attempt, random }: { readonly attempt: number; readonly random: () => number }
): number | undefined => {
  // A 429 is sent before anything is carried out.
  const mayRepeat =
    status === 429 ||
    (isSafe && (status === undefined || passing.has(status) || (status === 409 && code === "idempotency_in_flight")))
  if (!hasBody || !mayRepeat || (retryAfter ?? 0) > longestWait) return undefined
  // Half of the delay is random, so that clients that failed together retry at different times.
  const backoff = 500 * 2 ** attempt * (0.5 + random() / 2)
  return retryAfter === null ? backoff : retryAfter * 1000
}
