import type { IntegrationId, TargetId } from "../../src/domain/ids.ts"
import { shortId } from "./ids.ts"
import type { MemoryDatabase } from "./memoryDatabase.ts"
import type { Change, TargetRow } from "./rows.ts"
import { second, type World } from "./world.ts"

/**
 * More than clocks differ without faults. Less than any tick that comes by itself takes, a second after something was left or with
 * the poll, so that each wake-up is missed that does not come.
 */
const longestDelay = second / 2

/** Checks that each target is claimed at once when it is due and its account has none in flight. Holds without faults only. */
export const checkClaimDelays = (world: World, database: MemoryDatabase): void => {
  /** When each target was given the time at which it is due. */
  const written = new Map<TargetId, number>()
  /** When the last claim of each account ended. */
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
