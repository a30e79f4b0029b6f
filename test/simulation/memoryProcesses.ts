import { Duration, Effect } from "effect"
import { maxRenewalGap, type Processes } from "../../src/repo/processes.ts"
import type { Connection } from "./connection.ts"
import type { Ids } from "./ids.ts"
import type { MemoryDatabase } from "./memoryDatabase.ts"
import { hour, type World } from "./world.ts"

/** As src/repo/processes.ts. */
export const makeMemoryProcesses = (
  world: World,
  { processLeases, renewals }: MemoryDatabase,
  ids: Ids,
  { statement }: Connection
): Processes => {
  const noteRenewal = (now: number) => {
    if (now - renewals.last > Duration.toMillis(maxRenewalGap)) renewals.unbrokenSince = now
    renewals.last = now
  }
  return {
    renew: (id, length) =>
      statement("renewing a process's lease", () =>
        Effect.sync(() => {
          const now = world.now()
          const isExtended = id !== null && (processLeases.get(id) ?? 0) > now
          // The latest expired lease stays.
          const latest = Math.max(...[...processLeases.values()].filter((until) => until <= now))
          for (const [other, until] of isExtended ? [] : processLeases) {
            if (until < now - hour && until < latest) processLeases.delete(other)
          }
          const held = isExtended ? id : ids.process()
          processLeases.set(held, now + Duration.toMillis(length))
          noteRenewal(now)
          return { id: held, takesOver: renewals.unbrokenSince <= now - Duration.toMillis(length) }
        })
      ),
    end: (id) =>
      statement("ending a process's lease", (open) =>
        Effect.sync(() => {
          const hasEnded = processLeases.delete(id)
          if (hasEnded) noteRenewal(world.now())
          open.notifies ||= hasEnded
        })
      )
  }
}
