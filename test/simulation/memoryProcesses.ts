import { Duration, Effect } from "effect"
import type { ProcessId } from "../../src/domain/ids.ts"
import type { Processes } from "../../src/repo/processes.ts"
import type { Connection } from "./connection.ts"
import type { Ids } from "./ids.ts"
import type { World } from "./world.ts"

/** The lease of one process, as src/repo/processes.ts keeps it. */
export const makeMemoryProcesses = (world: World, ids: Ids, { statement }: Connection): Processes => {
  const leases = new Map<ProcessId, number>()
  return {
    renew: (id, length) =>
      statement("renewing a process's lease", () =>
        Effect.sync(() => {
          const held = id !== null && (leases.get(id) ?? 0) > world.now() ? id : ids.process()
          leases.set(held, world.now() + Duration.toMillis(length))
          return held
        })
      ),
    end: (id) => statement("ending a process's lease", () => Effect.sync(() => void leases.delete(id)))
  }
}
