import { Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"

/** The prefix of IPv6 that one subscriber usually has: limits by single addresses would not hold them. */
const subscriberPrefixLength = 64

/** The network that limits count a client address under: its /64 for IPv6, the address itself for IPv4. */
export const clientNetwork = (address: string): string =>
  Result.match(NetAddress.ipFromString(address), {
    onFailure: () => address,
    onSuccess: (parsed) => {
      const ip = NetAddress.toCanonical(parsed)
      return NetAddress.isIpv6Address(ip)
        ? IpNetwork.format(IpNetwork.fromAddressUnsafe(ip, subscriberPrefixLength))
        : NetAddress.formatIp(ip)
    }
  })
