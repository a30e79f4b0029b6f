import { type Clock, Duration, Effect } from "effect"
import type { IntegrationId, MediaId, PostId, ProcessId, WorkspaceId } from "../../../src/domain/ids.ts"
import type { LivePlatform } from "../../../src/domain/platform.ts"
import type { UploadClaim } from "../../../src/repo/platformUploads/PlatformUploads.ts"
import { processLease } from "../../../src/repo/processes.ts"
import type { Repo } from "../../../src/repo/Repo.ts"
import type { Claim } from "../../../src/repo/targets/Targets.ts"
import type { Ids } from "../ids.ts"
import type { Process } from "../process.ts"
import type { World } from "../world.ts"
import { makeOrdinals, type Ordinals } from "./ordinals.ts"

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
  ) => Effect.Effect<unknown, { readonly _tag: string }>
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
export const accountIds: ReadonlyArray<Readonly<Record<LivePlatform, string>>> = [
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

export const emptyStore = (
  replicas: Store["replicas"],
  { files }: Premises
): Omit<Store, "accounts" | "rows" | "woken"> => ({
  replicas,
  files,
  ordinals: makeOrdinals(),
  posts: [],
  claims: [],
  uploads: [],
  leases: [null, null]
})

/** A lease that never ends, so that no time without one passes: what the real Repo does after it no simulation has. */
export const keepAwake = ({ replicas: [{ repo }] }: Store) => repo.processes.renew(null, Duration.days(365))

/** Renews the lease of a process, or gives it another one. */
export const renewLease = ({ leases, replicas }: Store, by: 0 | 1) =>
  Effect.map(replicas[by].repo.processes.renew(leases[by], processLease), (id) => {
    leases[by] = id
    return id
  })
