import { createHash } from "node:crypto"

/** Allows one inline script or style, by its hash. */
export const hashSource = (source: string): string => `'sha256-${createHash("sha256").update(source).digest("base64")}'`

interface Allowed {
  /** Directives for what the page loads and runs; nothing else is allowed. */
  readonly sources: ReadonlyArray<string>
  readonly formAction: "'self'" | "'none'"
}

/** The Content-Security-Policy of a page that nothing may frame. */
export const contentSecurityPolicy = ({ formAction, sources }: Allowed): string =>
  ["default-src 'none'", ...sources, "base-uri 'none'", `form-action ${formAction}`, "frame-ancestors 'none'"].join(
    "; "
  )
