import { Record } from "effect"
import type { LivePlatform } from "../domain/platform.ts"
import { liveFacts } from "../platforms/facts.ts"
import type { UploadClaim, UploadSlots } from "../repo/platformUploads/PlatformUploads.ts"

/** The slots of one process. Each holds one part of a file in memory. */
const slotsPerPlatform = 16
const slotsPerHost = 4

/** The slots of one account over all processes, to leave room for others. */
const slotsPerAccount = 4

/** The slots of the platform's own host. The platform's other slots are for other hosts. */
const slotsOfOwnHost = Record.map(liveFacts, ({ hasOneHost }) => (hasOneHost ? slotsPerPlatform : 12))

const limitOf = (host: string): number => new Map(Object.entries(slotsOfOwnHost)).get(host) ?? slotsPerHost

/** Separate from the slots of attempts. A host that hangs leaves slots for other hosts. */
export const makeUploadSlots = () => {
  const inFlight = new Set<UploadClaim>()
  const count = (isOne: (claim: UploadClaim) => boolean) => [...inFlight].filter(isOne).length
  const freeOn = (platform: LivePlatform) => slotsPerPlatform - count((claim) => claim.platform === platform)
  return {
    free: (): UploadSlots => ({
      perAccount: slotsPerAccount,
      platforms: Record.map(liveFacts, (_, platform) => freeOn(platform)),
      perHost: slotsPerHost,
      hosts: {
        ...slotsOfOwnHost,
        ...Object.fromEntries(
          [...inFlight].map(({ host }) => [host, Math.max(0, limitOf(host) - count((claim) => claim.host === host))])
        )
      }
    }),
    take: (claim: UploadClaim) => void inFlight.add(claim),
    end: (claim: UploadClaim) => void inFlight.delete(claim)
  }
}
