import { isDomainName } from "./syntax.ts"

/**
 * A handle, a DID or an email address. Bluesky wraps the handles that it shows in invisible characters, which are
 * copied too. A name without a domain is one of the service's own.
 */
export const loginName = (written: string, service: string): string => {
  const name = written
    .replaceAll(/\p{Cf}/gu, "")
    .trim()
    .replace(/^@/, "")
  const host = URL.parse(service)?.hostname ?? ""
  return /[.@:]/.test(name) || !isDomainName(host) ? name : `${name}.${host}`
}
