import { Duration, Effect, Option, Redacted } from "effect"
import { OutcomePending } from "../../src/domain/accounts/accountChange.ts"
import type { DatabaseUnavailable } from "../../src/domain/errors.ts"
import type { IntegrationId } from "../../src/domain/ids.ts"
import type { EndingAccess } from "../../src/repo/integrations/endingAccess.ts"
import type { Integrations } from "../../src/repo/integrations/Integrations.ts"
import type { RenewalLeases } from "../../src/repo/integrations/renewalLease.ts"
import { makeRenewals } from "../../src/repo/integrations/renewals.ts"
import type { Connection } from "./connection.ts"
import { shortId } from "./ids.ts"
import type { MemoryDatabase, Transaction } from "./memoryDatabase.ts"
import { targetsOf } from "./memoryPosts.ts"
import type { Process } from "./process.ts"
import type { IntegrationRow } from "./rows.ts"
import { usualLifetime } from "./accessLifetimes.ts"
import { cancelUploads, heldUntil, restartUpload } from "./uploadOrders.ts"
import { minute, type World } from "./world.ts"

export interface MemoryIntegrations extends Pick<
  Integrations,
  "credentials" | "openCredentials" | "refreshCredentials" | "markNeedsReconnect" | "endingAccess"
> {
  /** Links the account again, with the platform's credentials. Returns true if it was disconnected. */
  readonly reconnect: (id: IntegrationId, credentials: string) => ReturnType<Integrations["markNeedsReconnect"]>
  /** Links another account. Scheduled posts are sent from there, or become drafts. */
  readonly connectAnother: (
    id: IntegrationId,
    account: Pick<IntegrationRow, "accountId" | "credentials">,
    asDrafts: boolean
  ) => Effect.Effect<void, OutcomePending | DatabaseUnavailable>
}

/** For this many milliseconds only one process may renew an account's access. */
const renewalTime = 60_000

/** The part of src/repo/integrations that publishing uses, without encryption. */
export const makeMemoryIntegrations = (
  world: World,
  database: MemoryDatabase,
  process: Process,
  { statement }: Connection
): MemoryIntegrations => {
  const find = (open: Transaction, id: IntegrationId) =>
    Effect.suspend(() => {
      const row = open.integrations.get(id)
      return row === undefined ? Effect.die(`The simulation has no account ${id}`) : Effect.succeed(row)
    })

  const lock = (open: Transaction, id: IntegrationId) => Effect.andThen(database.lock(open, id), find(open, id))

  const unlessLocked = (open: Transaction, id: IntegrationId) =>
    Effect.suspend(() => (database.isLocked(id) ? Effect.undefined : lock(open, id)))

  const encoder = new TextEncoder()
  const decoder = new TextDecoder()

  const read = (id: IntegrationId, accountId?: string) =>
    statement("reading credentials", (open) =>
      Effect.map(find(open, id), (row) =>
        accountId === undefined || row.accountId === accountId ? encoder.encode(row.credentials) : undefined
      )
    )

  const { accessUntil, renewalLeases } = database
  const { name } = process

  /** As src/repo/integrations/renewalLease.ts. */
  const leases: RenewalLeases = {
    take: ({ before, id }) =>
      statement("beginning a renewal", (open) =>
        Effect.map(unlessLocked(open, id), (row) => {
          if (row === undefined) return Option.none()
          const held = renewalLeases.get(id)
          const isFree = held === undefined || held.until <= world.now() || held.by === name
          if (!isFree || row.credentials !== decoder.decode(before)) return Option.none()
          const until = world.now() + renewalTime
          renewalLeases.set(id, { by: name, until })
          return Option.some({
            id,
            until: String(until),
            platform: row.platform,
            accountId: row.accountId,
            serviceUrl: null
          })
        })
      ),
    release: ({ id, until }) =>
      Effect.ignore(
        statement("ending a renewal", () =>
          Effect.sync(() => {
            const held = renewalLeases.get(id)
            if (held?.by === name && String(held.until) === until) renewalLeases.delete(id)
          })
        )
      ),
    store: ({ before, id, sealed, seconds }) =>
      statement("storing credentials", (open) =>
        Effect.map(unlessLocked(open, id), (row) => {
          if (row === undefined) return "locked"
          const renewed = decoder.decode(sealed)
          if (row.credentials === renewed) return "stored"
          if (row.credentials !== decoder.decode(before)) return "replaced"
          open.integrations.put(id, { ...row, credentials: renewed })
          renewalLeases.delete(id)
          accessUntil.set(id, world.now() + (seconds === null ? usualLifetime : seconds * 1000))
          world.log(name, `renewed the access of account ${shortId(id)}`)
          return "stored"
        })
      )
  }

  const renewals = makeRenewals(
    {
      read,
      open: (_id, sealed) => Effect.succeed(Redacted.make(decoder.decode(sealed))),
      seal: (_id, secret) => Effect.succeed(encoder.encode(Redacted.value(secret)))
    },
    leases
  )

  const credentials: Integrations["credentials"] = (id, accountId) =>
    Effect.map(renewals.current(id, accountId), (found) => found.credentials)

  const openCredentials: Integrations["openCredentials"] = renewals.open

  const refreshCredentials: Integrations["refreshCredentials"] = renewals.refreshCredentials

  const markNeedsReconnect: Integrations["markNeedsReconnect"] = (id, version) =>
    statement("marking an integration", (open) =>
      Effect.map(lock(open, id), (row) => {
        if (row.status !== "connected" || String(row.version) !== version) return false
        open.integrations.put(id, { ...row, status: "needs_reconnect" })
        return true
      })
    )

  /** As src/repo/integrations/endingAccess.ts, in one order. */
  const endingAccess: Integrations["endingAccess"] = (within, limit) =>
    statement("finding access that ends", (open) =>
      Effect.sync(() => {
        const now = world.now()
        const next = new Map<IntegrationId, number>()
        for (const { dueAt, integrationId, status } of open.targets.all()) {
          if (status !== "pending" || dueAt === null || dueAt <= now || dueAt > now + Duration.toMillis(within))
            continue
          next.set(integrationId, Math.min(dueAt, next.get(integrationId) ?? dueAt))
        }
        return [...next]
          .flatMap(([id, dueAt]): ReadonlyArray<EndingAccess> => {
            const row = open.integrations.get(id)
            const ends = accessUntil.get(id) ?? 0
            const isRenewed = (renewalLeases.get(id)?.until ?? 0) > now
            if (row?.status !== "connected" || ends >= dueAt + 2 * minute || isRenewed) return []
            const { accountId, platform, username, version, workspaceId } = row
            const stored = { credentials: encoder.encode(row.credentials), version: String(version) }
            return [
              { id, workspaceId, platform, accountId, username, serviceUrl: null, ...stored, endsBefore: ends <= dueAt }
            ]
          })
          .slice(0, limit)
      })
    )

  /** A new connection forgets the account's former access. */
  const forgetAccess = (id: IntegrationId) => {
    renewalLeases.delete(id)
    accessUntil.set(id, world.now() + usualLifetime)
  }

  /** As src/repo/integrations/movePosts.ts. */
  const moveTargets = (open: Transaction, { accountId: from, id }: IntegrationRow, to: string, asDrafts: boolean) => {
    for (const target of open.targets.all()) {
      const { accountId, integrationId, part, postId, sentAt, status } = target
      const waits = (status === "pending" || status === "failed") && sentAt === null && part === 1 && accountId === from
      const post = open.posts.get(postId)
      if (integrationId !== id || !waits || post === undefined) continue
      const becomesDraft = asDrafts && status === "pending" && post.status === "scheduled"
      const restarts = restartUpload(open, target, becomesDraft)
      const dueAt = restarts ? heldUntil(target.dueSince) : target.dueAt
      open.targets.put(target.id, {
        ...target,
        accountId: to,
        prepared: null,
        processingSince: null,
        partUploads: null,
        dueAt
      })
      open.posts.put(postId, { ...post, revision: post.revision + 1, ...(becomesDraft ? { status: "draft" } : {}) })
      if (!becomesDraft) continue
      for (const other of targetsOf(open, postId)) {
        if (other.status !== "pending") continue
        open.targets.put(other.id, { ...other, dueSince: null, dueAt: null })
        const upload = open.uploads.get(other.id)
        if (upload?.status === "waiting" || upload?.status === "uploading") cancelUploads(open, [other])
      }
    }
  }

  const connectAnother: MemoryIntegrations["connectAnother"] = (id, account, asDrafts) =>
    statement("replacing an account", (open) =>
      Effect.gen(function* () {
        const row = yield* lock(open, id)
        const mayBeSent = open.targets
          .all()
          .filter(({ accountId, integrationId }) => integrationId === id && accountId === row.accountId)
          .some(({ sentAt, status }) => status === "publishing" || (status === "pending" && sentAt !== null))
        if (mayBeSent) return yield* new OutcomePending({ platform: row.platform, username: row.username })
        moveTargets(open, row, account.accountId, asDrafts)
        open.integrations.put(id, { ...row, ...account, status: "connected", version: row.version + 1 })
        forgetAccess(id)
        world.log(process.name, `account ${shortId(id)} is ${account.accountId} now`)
      })
    )

  return {
    connectAnother,
    credentials,
    openCredentials,
    refreshCredentials,
    markNeedsReconnect,
    endingAccess,
    reconnect: (id, renewed) =>
      statement("connecting an account again", (open) =>
        Effect.map(lock(open, id), (row) => {
          open.integrations.put(id, { ...row, status: "connected", credentials: renewed, version: row.version + 1 })
          forgetAccess(id)
          return row.status !== "connected"
        })
      )
  }
}
