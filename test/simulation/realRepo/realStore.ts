import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Queue, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { dueChannel } from "../../../src/repo/targets/dueChannel.ts"
import { storeFile } from "../../support/database/mediaFixtures.ts"
import { anotherRepo } from "../../support/database/testDatabase.ts"
import { fileOf } from "../library.ts"
import { realRows } from "./storedRows.ts"
import { type Account, accountIds, emptyStore, live, type Premises, type Replica, type Store } from "./stores.ts"

const newAccount = ({ accountId, credentials, platform }: Pick<Account, "accountId" | "credentials" | "platform">) => ({
  platform,
  accountId,
  username: "team",
  displayName: null,
  avatarUrl: null,
  serviceUrl: null,
  credentials: Redacted.make(credentials)
})

const realReplica = (clock: Clock.Clock) =>
  Effect.map(anotherRepo, (repo): Replica => ({
    repo,
    clock,
    reconnect: (account, credentials) =>
      repo.integrations.connect(account.workspace, newAccount({ ...account, credentials })),
    replace: (account, access, asDrafts) =>
      repo.integrations.replaceAccount(account.workspace, newAccount({ ...account, ...access }), {
        posts: asDrafts ? "drafts" : "replace"
      })
  }))

/** Notifies itself after each operation, because notifications arrive in the order of their commits. */
const makeWoken = Effect.gen(function* () {
  const pg = yield* PgClient.PgClient
  const notifications = yield* pg.listen(dueChannel)
  let asked = 0
  const woken = Effect.gen(function* () {
    const last = `asked ${++asked}`
    yield* pg.notify(dueChannel, last)
    let isWoken = false
    while ((yield* Queue.take(notifications)).payload !== last) isWoken = true
    return isWoken
  }).pipe(Effect.orDie)
  return { woken }
})

/** Two Repos on PostgreSQL, which is emptied. */
export const makeRealStore = Effect.fnUntraced(function* (premises: Premises) {
  const { files, processes } = premises
  const sql = yield* SqlClient.SqlClient
  yield* sql`TRUNCATE workspaces, processes, deleted_targets CASCADE`
  const [first, second] = processes
  const replicas = [yield* realReplica(first.clock), yield* realReplica(second.clock)] as const
  const { integrations, workspaces } = replicas[0].repo
  const accounts = yield* Effect.forEach(accountIds, (byPlatform, index) =>
    Effect.gen(function* () {
      const { id: workspace } = yield* workspaces.create("A team")
      const id = files[index]
      if (id !== undefined) {
        const { alt, facts, renditions } = fileOf(id)
        yield* storeFile(workspace, { id, alt, renditions, ...(facts === null ? {} : { facts }) })
      }
      return yield* Effect.forEach(live, (platform) => {
        const access = { platform, accountId: byPlatform[platform], credentials: "first" }
        return Effect.map(integrations.connect(workspace, newAccount(access)), (connected): Account => ({
          ...access,
          workspace,
          id: connected.id
        }))
      })
    })
  ).pipe(Effect.provideService(Clock.Clock, first.clock))
  const store: Store = {
    ...emptyStore(replicas, premises),
    accounts: accounts.flat(),
    rows: Effect.provideService(realRows, SqlClient.SqlClient, sql),
    ...(yield* makeWoken)
  }
  return store
})
