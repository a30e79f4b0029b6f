import { PgClient } from "@effect/sql-pg"
import { Clock, Duration, Effect, Queue, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { OutcomePending } from "../../../src/domain/accounts/accountChange.ts"
import type { IntegrationId, MediaId, PostId, ProcessId, WorkspaceId } from "../../../src/domain/ids.ts"
import type { LivePlatform } from "../../../src/domain/platform.ts"
import type { UploadClaim } from "../../../src/repo/platformUploads/PlatformUploads.ts"
import { processLease } from "../../../src/repo/processes.ts"
import type { Repo } from "../../../src/repo/Repo.ts"
import { dueChannel } from "../../../src/repo/targets/dueChannel.ts"
import type { Claim } from "../../../src/repo/targets/Targets.ts"
import { storeFile } from "../../support/database/mediaFixtures.ts"
import { anotherRepo } from "../../support/database/testDatabase.ts"
import type { Ids } from "../ids.ts"
import { fileOf } from "../library.ts"
import { makeMemoryDatabase } from "../memoryDatabase.ts"
import { makeMemoryRepo } from "../memoryRepo.ts"
import type { Process } from "../process.ts"
import type { World } from "../world.ts"
import { makeOrdinals, type Ordinals } from "./ordinals.ts"
import { memoryRows, realRows } from "./storedRows.ts"

export const live: readonly [LivePlatform, LivePlatform] = ["twitter", "bluesky"]

/** The access of an account to a workspace, as a person links it. */
export interface Access {
  readonly accountId: string
  readonly credentials: string
}

/** A connected account. */
export interface Account extends Access {
  readonly id: IntegrationId
  readonly workspace: WorkspaceId
  readonly platform: LivePlatform
}

/** One process's view of a store. */
export interface Replica {
  readonly repo: Repo["Service"]
  readonly clock: Clock.Clock
  readonly reconnect: (account: Account, credentials: string) => Effect.Effect<unknown, { readonly _tag: string }>
  /** Links another account, and makes what waits drafts or not. */
  readonly replace: (
    account: Account,
    access: Access,
    asDrafts: boolean
  ) => Effect.Effect<unknown, OutcomePending | { readonly _tag: string }>
}

/** A store under comparison, with what operations have created in it. */
export interface Store {
  readonly replicas: readonly [Replica, Replica]
  readonly ordinals: Ordinals
  readonly accounts: Array<Account>
  readonly files: Premises["files"]
  readonly posts: Array<{ readonly workspace: WorkspaceId; readonly id: PostId }>
  readonly claims: Array<Claim>
  readonly uploads: Array<UploadClaim>
  /** The lease of each replica. */
  readonly leases: [ProcessId | null, ProcessId | null]
  /** All that is stored, in the same shape for both stores. */
  readonly rows: Effect.Effect<unknown>
  /** Whether listening processes were notified since this was asked last. */
  readonly woken: Effect.Effect<boolean>
}

/** Two workspaces, which share an account on X. */
const accountIds: ReadonlyArray<Readonly<Record<LivePlatform, string>>> = [
  { twitter: "x-shared", bluesky: "bluesky-1" },
  { twitter: "x-shared", bluesky: "bluesky-2" }
]

/** What both stores are made of. */
export interface Premises {
  readonly world: World
  readonly processes: readonly [Process, Process]
  readonly ids: Ids
  /** The file of each workspace. */
  readonly files: ReadonlyArray<MediaId>
}

const emptyStore = (replicas: Store["replicas"], { files }: Premises): Omit<Store, "accounts" | "rows" | "woken"> => ({
  replicas,
  files,
  ordinals: makeOrdinals(),
  posts: [],
  claims: [],
  uploads: [],
  leases: [null, null]
})

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

/** Notifies itself after each operation: notifications arrive in the order of their commits. */
const makeWoken = Effect.gen(function* () {
  const pg = yield* PgClient.PgClient
  const notifications = yield* pg.listen(dueChannel)
  let asked = 0
  return Effect.gen(function* () {
    const last = `asked ${++asked}`
    yield* pg.notify(dueChannel, last)
    let woken = false
    while ((yield* Queue.take(notifications)).payload !== last) woken = true
    return woken
  }).pipe(Effect.orDie)
})

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
    woken: yield* makeWoken
  }
  return store
})

export const makeMemoryStore = Effect.fnUntraced(function* (premises: Premises) {
  const { ids, processes, world } = premises
  // Without the faults that simulations draw whatever the rates are.
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

/** A lease that never ends, so that no time without one passes: what the real Repo does after it no simulation has. */
export const keepAwake = ({ replicas: [{ repo }] }: Store) => repo.processes.renew(null, Duration.days(365))

/** Renews the lease of a process, or gives it another one. */
export const renewLease = ({ leases, replicas }: Store, by: 0 | 1) =>
  Effect.map(replicas[by].repo.processes.renew(leases[by], processLease), (id) => {
    leases[by] = id
    return id
  })
