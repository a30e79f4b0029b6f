import { BlockList, isIP } from "node:net"

/** From IANA's special-purpose registry, with multicast and reserved addresses. */
const specialIpv4 = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3]
] as const

/** Global unicast. Excludes mapped IPv4, NAT64, unique local and link-local addresses. */
const globalIpv6 = ["2000::", 3] as const

/** Protocol assignments such as Teredo, documentation, and 6to4, which contains an IPv4 address. */
const specialIpv6 = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20]
] as const

const listOf = (type: "ipv4" | "ipv6", ranges: ReadonlyArray<readonly [address: string, prefix: number]>) => {
  const list = new BlockList()
  for (const [address, prefix] of ranges) list.addSubnet(address, prefix, type)
  return list
}

const ipv4 = { special: listOf("ipv4", specialIpv4) }
const ipv6 = { global: listOf("ipv6", [globalIpv6]), special: listOf("ipv6", specialIpv6) }

/** False for this network, this machine, and anything that is not an IP address. */
export const isPublicAddress = (address: string): boolean => {
  switch (isIP(address)) {
    case 4:
      return !ipv4.special.check(address, "ipv4")
    case 6:
      return ipv6.global.check(address, "ipv6") && !ipv6.special.check(address, "ipv6")
    default:
      return false
  }
}
