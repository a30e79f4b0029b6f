import { createHash } from "node:crypto"

export const hashSource = (source: string): string => `'sha256-${createHash("sha256").update(source).digest("base64")}'`

interface Allowed {
  /** Directives for what the page may load and run. Everything else is refused. */
  readonly sources: ReadonlyArray<string>
  readonly formAction: "'self'" | "'none'"
}

export const contentSecurityPolicy = ({ formAction, sources }: Allowed): string =>
  ["default-src 'none'", ...sources, "base-uri 'none'", `form-action ${formAction}`, "frame-ancestors 'none'"].join(
    "; "
  )
