import type { IntegrationId } from "../../src/domain/ids.ts"
import { shortId } from "./ids.ts"
import type { MemoryDatabase } from "./memoryDatabase.ts"
import type { Process } from "./process.ts"
import type { TargetRow } from "./rows.ts"
import { minute, type World } from "./world.ts"

/**
 * Checks that everything due is attempted or reconciled within a minute while a process runs that can store outcomes.
 * An account sends one post at a time, so targets that wait for an attempt in flight are not late.
 */
export const makePunctuality = (world: World, { committed }: MemoryDatabase) => {
  /**
   * The time since which an account has due targets that no running process attempts, and the last claim of its target
   * in flight. Only the token shows if a process claimed and died between two checks.
   */
  const known = new Map<IntegrationId, { readonly since: number; readonly token: TargetRow["token"] }>()

  const isAttempted = ({ id, token }: TargetRow, processes: ReadonlyArray<Process>) =>
    token !== null &&
    processes.some(
      (process) =>
        process.isRunning() &&
        process.settlingRefusedSince() === undefined &&
        process.claimTokens.get(id)?.has(token) === true
    )

  return (processes: ReadonlyArray<Process>): void => {
    const now = world.now()
    const waiting = new Map<IntegrationId, TargetRow>()
    const attended = new Set<IntegrationId>()
    for (const row of committed.openTargets.values()) {
      if (row.dueAt === null || row.dueAt > now) continue
      if (row.status === "publishing" && isAttempted(row, processes)) attended.add(row.integrationId)
      else if (row.status === "publishing" || !waiting.has(row.integrationId)) waiting.set(row.integrationId, row)
    }
    for (const account of known.keys()) {
      if (!waiting.has(account) || attended.has(account)) known.delete(account)
    }
    const runningSince = Math.min(...processes.map((process) => process.runningSince() ?? Number.POSITIVE_INFINITY))
    for (const [account, row] of waiting) {
      if (attended.has(account)) continue
      const last = known.get(account)
      const since = last?.token === row.token ? last.since : now
      known.set(account, { since, token: row.token })
      if (now - Math.max(since, runningSince) <= minute) continue
      world.violate(`target ${shortId(row.id)} is due and ${row.status}, but not attempted for more than a minute`)
      known.set(account, { since: Number.POSITIVE_INFINITY, token: row.token })
    }
  }
}
