import { Context } from "effect"
import { version } from "../domain/version.ts"

export const userAgent = (contact?: string): string =>
  `social-publisher/${version}${contact === undefined ? "" : ` (+${contact})`}`

export const UserAgent = Context.Reference("social-publisher/outbound/UserAgent", { defaultValue: () => userAgent() })
