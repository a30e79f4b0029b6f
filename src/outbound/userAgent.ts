import { Context } from "effect"
import { version } from "../domain/version.ts"

/** The User-Agent of a service that can be asked about at `contact`, the address that its operator gave it. */
export const userAgent = (contact?: string): string =>
  `social-publisher/${version}${contact === undefined ? "" : ` (+${contact})`}`

/** What requests to others name as their sender. */
export const UserAgent = Context.Reference("social-publisher/outbound/UserAgent", { defaultValue: () => userAgent() })
