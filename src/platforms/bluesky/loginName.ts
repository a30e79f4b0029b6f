import { Redacted } from "effect"
import { isDomainName } from "./syntax.ts"

/** Bluesky wraps the handles that it shows in invisible characters, which are copied too. */
const tidy = (written: string): string => written.replaceAll(/\p{Cf}/gu, "").trim()

/** The account's name in the URL of a profile or of a record. */
const profileUrl = /^(?:https?:\/\/)?[^/\s]+\/profile\/([^/?#\s]+)/i
const recordUri = /^at:\/\/([^/?#\s]+)/i

/**
 * A handle, a DID or an email address; a name without a domain gets the service's domain. A wrong guess costs one of
 * the account's few log-ins.
 */
export const loginName = (written: string, service: string): string => {
  const tidied = tidy(written)
  const named = profileUrl.exec(tidied)?.[1] ?? recordUri.exec(tidied)?.[1] ?? tidied
  const name = named.replace(/^(?:@|%40)\s*/i, "").replaceAll(/%3a/gi, ":")
  const host = URL.parse(service)?.hostname ?? ""
  return /[.@:]/.test(name) || !isDomainName(host) ? name : `${name}.${host}`
}

/** App passwords have no white space, but people copy it with them. */
export const appPassword = (written: Redacted.Redacted): Redacted.Redacted =>
  Redacted.make(tidy(Redacted.value(written)))
