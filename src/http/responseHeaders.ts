import { Context, Duration, Effect } from "effect"

/** One year of HTTPS only. It lacks includeSubDomains, because the domain's other hosts are the operator's concern. */
export const hstsHeader = { "strict-transport-security": "max-age=31536000" }

/** The defaults of every response: not cached, not sniffed, not framed, and it loads nothing. */
export const securityHeaders = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff"
}

/** A duration as headers state it: in whole seconds, at least 1. */
export const wholeSeconds = (duration: Duration.Duration): string => secondsOf(Duration.toMillis(duration))

/** The same of milliseconds. */
export const secondsOf = (millis: number): string => String(Math.max(1, Math.ceil(millis / 1000)))

/** Headers that are added to the response of the current request; absent outside of one. */
export const AddedHeaders = Context.Reference<Record<string, string> | undefined>(
  "social-publisher/http/AddedHeaders",
  {
    defaultValue: () => undefined
  }
)

/**
 * Adds headers to the response, whether the request succeeds or fails. Their names are in lower case. All are set at once
 * with the response's own: each copy of a response and its headers takes longer than this.
 */
export const addHeaders = (headers: Readonly<Record<string, string>>): Effect.Effect<void> =>
  Effect.map(AddedHeaders, (added) => {
    if (added !== undefined) Object.assign(added, headers)
  })

export const retryAfter = (wait: Duration.Duration) => addHeaders({ "retry-after": wholeSeconds(wait) })

/** Whether an If-None-Match header names an ETag, compared weakly (RFC 9110, 13.1.2). */
export const matchesEtag = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch?.trim() === "*" || Array.from(ifNoneMatch?.matchAll(/"[^"]*"/g) ?? [], ([tag]) => tag).includes(etag)
