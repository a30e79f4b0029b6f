import { Result } from "effect"
import { isIP } from "node:net"
import { isLoopback } from "../domain/plain/loopback.ts"
import { isPublicAddress } from "./addresses.ts"
import { AddressRefused } from "./errors.ts"

export interface OutboundPolicy {
  /** Accepts http in addition to https. */
  readonly http: boolean
  /** If false, only the scheme's own port. */
  readonly anyPort: boolean
  /**
   * Accepts this machine's own addresses, over http or https and at any port. Other programs on this machine trust
   * requests from it, so this is only for a sandbox that nobody else can reach.
   */
  readonly loopback: boolean
}

/** In characters. Longer URLs would not fit the headers that many servers accept. */
const maxUrlLength = 8000

const notPublic = new AddressRefused({ message: "The URL does not lead to a public address" })

/** Without the brackets of IPv6. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, "$1")

/** Accepts all addresses or none, because a name server that mixes public and private addresses is an attack. */
export const checkAddresses = (
  policy: Pick<OutboundPolicy, "loopback">,
  addresses: ReadonlyArray<string>
): Result.Result<ReadonlyArray<string>, AddressRefused> =>
  addresses.every((address) => isPublicAddress(address) || (policy.loopback && isLoopback(address)))
    ? Result.succeed(addresses)
    : Result.fail(notPublic)

/** Undefined for names that need a name server. */
export const literalAddresses = (host: string): ReadonlyArray<string> | undefined => {
  if (isIP(host) !== 0) return [host]
  return isLoopback(host) ? ["127.0.0.1", "::1"] : undefined
}

const refuse = (message: string) => Result.fail(new AddressRefused({ message }))

/**
 * Checks everything except a name's addresses, which are checked on connecting. The parser has normalized the host:
 * `0x7f.1`, `2130706433` and fullwidth digits are `127.0.0.1`.
 */
export const checkUrl = (policy: OutboundPolicy, text: string): Result.Result<URL, AddressRefused> => {
  if (text.length > maxUrlLength) return refuse(`The URL is longer than ${maxUrlLength} characters`)
  const url = URL.parse(text)
  if (url === null) return refuse("The URL can't be read")
  const host = hostOf(url)
  const own = policy.loopback && isLoopback(host)
  if (url.protocol !== "https:" && !(url.protocol === "http:" && (policy.http || own))) {
    return refuse(`The URL has to begin with ${policy.http ? "https:// or http://" : "https://"}`)
  }
  if (url.username !== "" || url.password !== "") return refuse("The URL must not have a user name or password")
  if (url.port !== "" && !policy.anyPort && !own) return refuse("The URL must not name a port")
  const literal = literalAddresses(host)
  return literal === undefined ? Result.succeed(url) : Result.map(checkAddresses(policy, literal), () => url)
}
