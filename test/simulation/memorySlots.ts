import type { LivePlatform } from "../../src/domain/platform.ts"
import type { ClaimSlots } from "../../src/repo/targets/Targets.ts"

/** What may be claimed, and since when it waits. */
export interface Candidate<Row> {
  readonly row: Row
  readonly id: string
  readonly platform: LivePlatform
  readonly since: number
  /** Whose turn it is comes before who has waited longer: which upload of its account it is. The same for all targets. */
  readonly turn?: number
}

interface Slots {
  readonly limit: number
  readonly slots: ClaimSlots | undefined
}

/** Every account of a simulated platform is on one host, with the name of the platform. */
export const hostSlots = ({ limit, slots }: Slots, platform: LivePlatform): number =>
  slots?.hosts[platform] ?? slots?.perHost ?? limit

export const platformSlots = ({ limit, slots }: Slots, platform: LivePlatform): number =>
  slots?.platforms[platform] ?? limit

export const bySince = <Row>(left: Candidate<Row>, right: Candidate<Row>) =>
  (left.turn ?? 0) - (right.turn ?? 0) || left.since - right.since || (left.id < right.id ? -1 : 1)

/** Those that have waited longest, as many as there are slots for. */
export const withinSlots = <Row>(candidates: ReadonlyArray<Candidate<Row>>, given: Slots): ReadonlyArray<Row> => {
  const taken = new Map<LivePlatform, number>()
  return candidates
    .toSorted(bySince)
    .filter(({ platform }) => {
      const place = (taken.get(platform) ?? 0) + 1
      taken.set(platform, place)
      return place <= Math.min(hostSlots(given, platform), platformSlots(given, platform))
    })
    .slice(0, given.limit)
    .map(({ row }) => row)
}
