import { Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"

/** One subscriber has a whole /64 of IPv6 to call from. */
const subscriberBits = 64

/** Whom an address belongs to. */
export const subscriberOf = (address: string): string =>
  Result.match(NetAddress.ipFromString(address), {
    onFailure: () => address,
    onSuccess: (written) => {
      const ip = NetAddress.toCanonical(written)
      return NetAddress.isIpv6Address(ip)
        ? IpNetwork.format(IpNetwork.fromAddressUnsafe(ip, subscriberBits))
        : NetAddress.formatIp(ip)
    }
  })
