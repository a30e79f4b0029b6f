export interface Failed {
  readonly status?: number
  readonly code?: string
  /** Seconds; null without a Retry-After. */
  readonly retryAfter: number | null
}

export interface Repeatable {
  /** True if a repetition has no second effect: the request only reads, or has an idempotency key or a condition. */
  readonly isSafe: boolean
  /** False for a stream, which can be sent only once. */
  readonly hasBody: boolean
}

/** Seconds. If the service asks for a longer pause, the call fails instead. */
const longestWait = 60

/** After these statuses, it is unknown if the request took effect. */
const passing = new Set([408, 502, 503, 504])

export const nextAttempt = (
  { code, retryAfter, status }: Failed,
  { hasBody, isSafe }: Repeatable,
  { attempt, random }: { readonly attempt: number; readonly random: () => number }
): number | undefined => {
  // A request that gets a 429 has had no effect, so even an unsafe request may be repeated.
  const mayRepeat =
    status === 429 ||
    (isSafe && (status === undefined || passing.has(status) || (status === 409 && code === "idempotency_in_flight")))
  if (!hasBody || !mayRepeat || (retryAfter ?? 0) > longestWait) return undefined
  // Half of the delay is random, so that clients that failed together retry at different times.
  const backoff = 500 * 2 ** attempt * (0.5 + random() / 2)
  return retryAfter === null ? backoff : retryAfter * 1000
}
