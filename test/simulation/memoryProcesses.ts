import { Duration, Effect } from "effect"
import type { Processes } from "../../src/repo/processes.ts"
import type { Connection } from "./connection.ts"
import type { Ids } from "./ids.ts"
import type { MemoryDatabase } from "./memoryDatabase.ts"
import { hour, type World } from "./world.ts"

/** As src/repo/processes.ts. */
export const makeMemoryProcesses = (
  world: World,
  { processLeases }: MemoryDatabase,
  ids: Ids,
  { statement }: Connection
): Processes => ({
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
        return held
      })
    ),
  end: (id) =>
    statement("ending a process's lease", (open) =>
      Effect.sync(() => {
        const hasEnded = processLeases.delete(id)
        open.notifies ||= hasEnded
      })
    )
})
