import { Duration, Effect } from "effect"
import type { Processes } from "../../src/repo/processes.ts"
import type { Connection } from "./connection.ts"
import type { Ids } from "./ids.ts"
import type { MemoryDatabase } from "./memoryDatabase.ts"
import { hour, type World } from "./world.ts"

/** The Processes of src/repo/processes.ts, in memory. */
export const makeMemoryProcesses = (
  world: World,
  { processLeases }: MemoryDatabase,
  ids: Ids,
  { statement }: Connection
): Processes => ({
  renew: (id, length) =>
    statement("renewing a process's lease", () =>
      Effect.sync(() => {
        const held = id !== null && (processLeases.get(id) ?? 0) > world.now() ? id : ids.process()
        processLeases.set(held, world.now() + Duration.toMillis(length))
        for (const [other, until] of processLeases) if (until < world.now() - hour) processLeases.delete(other)
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
