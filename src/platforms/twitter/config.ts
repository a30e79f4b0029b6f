import type { Redacted } from "effect"

/** The X application that posts are sent with. */
export interface TwitterConfig {
  /** https://api.x.com, or the sandbox's. */
  readonly apiUrl: string
  /** Where people see posts and grant access: https://x.com, or the sandbox's page. */
  readonly webUrl: string
  readonly clientId: string
  /** Null for a public client. */
  readonly clientSecret: Redacted.Redacted | null
}
