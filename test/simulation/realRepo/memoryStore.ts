import { Effect } from "effect"
import { makeMemoryDatabase } from "../memoryDatabase.ts"
import { makeMemoryRepo } from "../memoryRepo.ts"
import type { Process } from "../process.ts"
import type { World } from "../world.ts"
import { memoryRows } from "./storedRows.ts"
import { type Account, accountIds, emptyStore, live, type Premises, type Replica, type Store } from "./stores.ts"

/** Two Repos in memory, without faults. */
export const makeMemoryStore = Effect.fnUntraced(function* (premises: Premises) {
  const { ids, processes, world } = premises
  // Excludes the faults that a simulation draws even at a rate of zero.
  const calm: World = { ...world, prng: { ...world.prng, chance: () => false } }
  const database = makeMemoryDatabase(calm)
  const makeReplica = (process: Process) =>
    Effect.map(makeMemoryRepo(calm, database, process, ids), ({ connectAnother, reconnect, repo }): Replica => ({
      repo,
      clock: process.clock,
      reconnect: ({ id }, credentials) => reconnect(id, credentials),
      replace: ({ id }, access, asDrafts) => connectAnother(id, access, asDrafts)
    }))
  const accounts = accountIds.flatMap((byPlatform) => {
    const workspace = ids.workspace()
    return live.map((platform): Account => ({
      id: ids.integration(),
      workspace,
      platform,
      accountId: byPlatform[platform],
      credentials: "first"
    }))
  })
  const setUp = database.begin()
  for (const { accountId, credentials, id, platform, workspace: workspaceId } of accounts) {
    const row = { id, workspaceId, platform, accountId, username: "team", credentials, version: 1 }
    setUp.integrations.put(id, { ...row, status: "connected" })
  }
  database.commit(setUp)
  let wasWoken = false
  database.listen({
    notify: () => {
      wasWoken = true
    },
    close: () => undefined
  })
  const store: Store = {
    ...emptyStore([yield* makeReplica(processes[0]), yield* makeReplica(processes[1])], premises),
    accounts,
    rows: Effect.sync(() => memoryRows(database, world.now())),
    woken: Effect.sync(() => {
      const woken = wasWoken
      wasWoken = false
      return woken
    })
  }
  return store
})
