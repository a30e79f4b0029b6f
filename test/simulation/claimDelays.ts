import type { IntegrationId, TargetId } from "../../src/domain/ids.ts"
import { shortId } from "./ids.ts"
import type { MemoryDatabase } from "./memoryDatabase.ts"
import type { Change, TargetRow } from "./rows.ts"
import { second, type World } from "./world.ts"

/**
 * More than clocks differ without faults, and less than the second until a tick that needs no wake-up. So every missing
 * wake-up is noticed.
 */
const longestDelay = second / 2

/**
 * Checks that each target is claimed as soon as it is due and its account has no target in flight. Holds only without
 * faults.
 */
export const checkClaimDelays = (world: World, database: MemoryDatabase): void => {
  /** The time at which each target got its due time. */
  const written = new Map<TargetId, number>()
  /** The end of each account's last claim. */
  const ended = new Map<IntegrationId, number>()

  const check = ({ after, before }: Change<TargetRow>) => {
    const now = world.now()
    if (before?.status === "publishing" && after?.status !== "publishing") ended.set(before.integrationId, now)
    if (after === undefined) return
    if (after.dueAt !== before?.dueAt) written.set(after.id, now)
    if (before?.status !== "pending" || after.status !== "publishing") return
    const claimable = Math.max(before.dueAt ?? 0, written.get(after.id) ?? 0, ended.get(after.integrationId) ?? 0)
    if (now > claimable + longestDelay) {
      world.violate(`target ${shortId(after.id)} was claimed ${now - claimable} ms after it could be`)
    }
  }
  database.onCommit(({ targets }) => {
    for (const change of targets) check(change)
  })
}
