import { perPlatform } from "../../support/platforms/perPlatform.ts"
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

/** A workspace's access to an account, as a person links it. */
export interface Access {
  readonly accountId: string
  readonly credentials: string
}

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
  /** Links another account. Waiting posts move there or become drafts. */
  readonly replace: (
    account: Account,
    access: Access,
    asDrafts: boolean
  ) => Effect.Effect<unknown, { readonly _tag: string }>
}

/** A store under comparison, with the records that operations have created. */
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
  /** The rows, in the same form for both stores. */
  readonly rows: Effect.Effect<unknown>
  /** True if listening processes were notified since the last call. */
  readonly woken: Effect.Effect<boolean>
}

/** Two workspaces, which share an account on X. */
export const accountIds: ReadonlyArray<Readonly<Record<LivePlatform, string>>> = [
  { ...perPlatform((platform) => `${platform}-1`), twitter: "x-shared" },
  { ...perPlatform((platform) => `${platform}-2`), twitter: "x-shared" }
]

/** The initial records of both stores. */
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

/** A lease that never ends. No simulation models the real Repo after a time without leases. */
export const keepAwake = ({ replicas: [{ repo }] }: Store) => repo.processes.renew(null, Duration.days(365))

/** Renews the process's lease, or replaces it. */
export const renewLease = ({ leases, replicas }: Store, by: 0 | 1) =>
  Effect.map(replicas[by].repo.processes.renew(leases[by], processLease), ({ id }) => {
    leases[by] = id
    return id
  })
