import { Effect } from "effect"
import { Repo } from "../../src/repo/Repo.ts"
import { fakeRepo } from "../support/database/fakeRepo.ts"
import { makeConnection } from "./connection.ts"
import type { Ids } from "./ids.ts"
import type { Machine } from "./machine.ts"
import type { MemoryDatabase } from "./memoryDatabase.ts"
import { makeMemoryIntegrations } from "./memoryIntegrations.ts"
import { makeMemoryPosts } from "./memoryPosts.ts"
import { makeMemoryTargets } from "./memoryTargets.ts"
import type { World } from "./world.ts"

/** A process's Repo, over the database that all of them share. What publishing does not need fails loudly. */
export const simulatedRepo = (world: World, database: MemoryDatabase, machine: Machine, ids: Ids) =>
  Effect.gen(function* () {
    const connection = makeConnection(world, database, machine)
    const integrations = makeMemoryIntegrations(world, database, machine, connection)
    const expected = yield* Effect.provide(
      Effect.service(Repo),
      fakeRepo({
        integrations,
        posts: makeMemoryPosts(database, ids, connection),
        targets: makeMemoryTargets(world, database, machine, ids, connection),
        notifications: {
          add: (workspaceId, notification) =>
            connection.statement("adding a notification", (open) =>
              Effect.sync(() => void open.notifications.push({ workspaceId, notification }))
            )
        }
      })
    )
    const transaction: Repo["Service"]["transaction"] = (effect) => connection.transaction("a transaction", effect)
    const repo = new Proxy(expected, {
      get: (calls, name) => (name === "transaction" ? transaction : Reflect.get(calls, name))
    })
    return { repo, reconnect: integrations.reconnect }
  })
