import { Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"

/** The usual IPv6 prefix of one subscriber. A subscriber could evade a limit on single addresses. */
const subscriberPrefixLength = 64

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
