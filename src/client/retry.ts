/** How an attempt failed: by a response that is an error, or without one. */
export interface Failed {
  /** Undefined where no response arrived. */
  readonly status?: number
  readonly code?: string
  /** In seconds; null where the response names no time. */
  readonly retryAfter: number | null
}

/** What may be sent again. */
export interface Repeatable {
  /** Whether a second time changes nothing more: it reads, or has a key or a condition. */
  readonly isSafe: boolean
  /** Whether the body can be sent again. A stream can't. */
  readonly hasBody: boolean
}

/** Longer than this nobody waits, in seconds. */
const longestWait = 60

/** The outcome of these is unknown. */
const passing = new Set([408, 502, 503, 504])

/** How long to wait before the next attempt, in milliseconds; undefined if there is none. */
export const nextAttempt = (
  { code, retryAfter, status }: Failed,
  { hasBody, isSafe }: Repeatable,
  { attempt, random }: { readonly attempt: number; readonly random: () => number }
): number | undefined => {
  // A 429 is said before anything is carried out.
  const mayRepeat =
    status === 429 ||
    (isSafe && (status === undefined || passing.has(status) || (status === 409 && code === "idempotency_in_flight")))
  if (!hasBody || !mayRepeat || (retryAfter ?? 0) > longestWait) return undefined
  // Half of it is random, so that clients that failed together come back one by one.
  const backoff = 500 * 2 ** attempt * (0.5 + random() / 2)
  return retryAfter === null ? backoff : retryAfter * 1000
}
