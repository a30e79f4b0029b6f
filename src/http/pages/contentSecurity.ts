import { createHash } from "node:crypto"

export const hashSource = (source: string): string => `'sha256-${createHash("sha256").update(source).digest("base64")}'`

interface Allowed {
  /** The only things that the page loads and runs. */
  readonly sources: ReadonlyArray<string>
  readonly formAction: "'self'" | "'none'"
}

export const contentSecurityPolicy = ({ formAction, sources }: Allowed): string =>
  ["default-src 'none'", ...sources, "base-uri 'none'", `form-action ${formAction}`, "frame-ancestors 'none'"].join(
    "; "
  )
