import { Effect } from "effect"
import { Repo } from "../../src/repo/Repo.ts"
import { fakeRepo } from "../support/database/fakeRepo.ts"
import { makeConnection } from "./connection.ts"
import type { Ids } from "./ids.ts"
import type { MemoryDatabase } from "./memoryDatabase.ts"
import { makeMemoryIntegrations } from "./memoryIntegrations.ts"
import { makeMemoryPosts } from "./memoryPosts.ts"
import { makeMemoryProcesses } from "./memoryProcesses.ts"
import { makeMemoryTargets } from "./memoryTargets.ts"
import { makeMemoryUploads } from "./memoryUploads.ts"
import type { Process } from "./process.ts"
import type { World } from "./world.ts"

/**
 * The Repo of one process, on the in-memory database that all processes share. Any call that publishing
 * never makes is a defect.
 */
export const makeMemoryRepo = (world: World, database: MemoryDatabase, process: Process, ids: Ids) =>
  Effect.gen(function* () {
    const connection = makeConnection(world, database, process)
    const integrations = makeMemoryIntegrations(world, database, process, connection)
    const expected = yield* Effect.provide(
      Effect.service(Repo),
      fakeRepo({
        integrations,
        posts: makeMemoryPosts(world, database, ids, connection),
        processes: makeMemoryProcesses(world, database, ids, connection),
        targets: yield* makeMemoryTargets(world, database, process, ids, connection),
        platformUploads: makeMemoryUploads(world, database, process, ids, connection),
        events: {
          record: ({ events, notifications }) =>
            events.length === 0 && notifications.length === 0
              ? Effect.void
              : connection.statement("recording events", (open) =>
                  Effect.sync(() => void open.notifications.push(...notifications))
                )
        }
      })
    )
    const transaction: Repo["Service"]["transaction"] = (effect) => connection.transaction("a transaction", effect)
    const repo = new Proxy(expected, {
      get: (calls, name) => (name === "transaction" ? transaction : Reflect.get(calls, name))
    })
    return { repo, reconnect: integrations.reconnect, connectAnother: integrations.connectAnother }
  })
