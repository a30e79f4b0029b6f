import { Context, Duration, Effect } from "effect"

/** One year. Without includeSubDomains, because the domain's other hosts are the operator's concern. */
export const hstsHeader = { "strict-transport-security": "max-age=31536000" }

/** Unless a response says otherwise, browsers don't cache, sniff or frame it, and it loads nothing. */
export const securityHeaders = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff"
}

export const wholeSeconds = (duration: Duration.Duration): string => secondsOf(Duration.toMillis(duration))

export const secondsOf = (millis: number): string => String(Math.max(1, Math.ceil(millis / 1000)))

/** Headers to add to the current response. Undefined outside of requests. */
export const AddedHeaders = Context.Reference<Record<string, string> | undefined>(
  "social-publisher/http/AddedHeaders",
  {
    defaultValue: () => undefined
  }
)

/**
 * Adds headers to the response even if the request fails. Names are in lower case. They are set together with the
 * response's own headers, because each copy of a response takes time.
 */
export const addHeaders = (headers: Readonly<Record<string, string>>): Effect.Effect<void> =>
  Effect.map(AddedHeaders, (added) => {
    if (added !== undefined) Object.assign(added, headers)
  })

export const retryAfter = (wait: Duration.Duration) => addHeaders({ "retry-after": wholeSeconds(wait) })

/** True if an If-None-Match header contains the ETag, by weak comparison (RFC 9110, 13.1.2). */
export const matchesEtag = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch?.trim() === "*" || Array.from(ifNoneMatch?.matchAll(/"[^"]*"/g) ?? [], ([tag]) => tag).includes(etag)
