import type { LivePlatform } from "../../src/domain/platform.ts"
import type { ClaimSlots } from "../../src/repo/targets/Targets.ts"

/** A row that may be claimed, and the time since which it waits. */
export interface Candidate<Row> {
  readonly row: Row
  readonly id: string
  readonly platform: LivePlatform
  readonly since: number
  /** Sorts before the waiting time: the upload's number within its account. The same for all targets. */
  readonly turn?: number
}

interface Slots {
  readonly limit: number
  readonly slots: ClaimSlots | undefined
}

/** All accounts of a simulated platform are on one host, which has the platform's name. */
export const hostSlots = ({ limit, slots }: Slots, platform: LivePlatform): number =>
  slots?.hosts[platform] ?? slots?.perHost ?? limit

export const platformSlots = ({ limit, slots }: Slots, platform: LivePlatform): number =>
  slots?.platforms[platform] ?? limit

export const bySince = <Row>(left: Candidate<Row>, right: Candidate<Row>) =>
  (left.turn ?? 0) - (right.turn ?? 0) || left.since - right.since || (left.id < right.id ? -1 : 1)

/** The candidates that have waited longest, at most one for each free slot. */
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
