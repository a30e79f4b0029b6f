import { DateTime, Duration, Option } from "effect"
import type { Headers } from "effect/http"

/** In seconds. Longer than every wait that is honored, and still a valid time. */
const maxRetryAfter = 1_000_000_000

/** Reads seconds, or a time in the one format of HTTP that is not obsolete (RFC 9110, 5.6.7). */
export const parseRetryAfter = (headers: Headers.Headers, now: DateTime.Utc): Duration.Duration | null => {
  const value = headers["retry-after"] ?? ""
  if (/^\d+$/.test(value)) return Duration.seconds(Math.min(Number(value), maxRetryAfter))
  const time = value.endsWith(" GMT") ? DateTime.make(value) : Option.none()
  return Option.match(time, {
    onNone: () => null,
    onSome: (at) => (DateTime.isGreaterThan(at, now) ? DateTime.distance(now, at) : null)
  })
}
