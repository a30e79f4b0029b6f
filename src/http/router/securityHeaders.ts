/** One year: browsers then come back by HTTPS alone. Other hosts of the domain are the operator's own concern. */
export const hstsHeader = { "strict-transport-security": "max-age=31536000" }

/** What every answer carries unless it says otherwise: it is not kept, not guessed at, not framed, and loads nothing. */
export const securityHeaders = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff"
}
