import { Context, Deferred, Effect } from "effect"
import { DatabaseUnavailable } from "../../src/domain/errors.ts"
import type { IntegrationId, PostId, ProcessId, TargetId } from "../../src/domain/ids.ts"
import type { Changes, IntegrationRow, NotificationRow, PostRow, TargetRow, UploadRow } from "./rows.ts"
import { makeTable, type TableView } from "./table.ts"
import type { World } from "./world.ts"

/** Until the transaction ends, its changes are invisible to others, and its row locks block them. */
export interface Transaction {
  readonly posts: TableView<PostId, PostRow>
  readonly targets: TableView<TargetId, TargetRow>
  /** The rows before they were deleted. */
  readonly deletedTargets: TableView<TargetId, TargetRow>
  readonly uploads: TableView<TargetId, UploadRow>
  readonly integrations: TableView<IntegrationId, IntegrationRow>
  readonly notifications: Array<NotificationRow>
  /** True if the commit notifies listening publishers of a target that is due soon. */
  notifies: boolean
  /** The end of its last statement; null while one runs. */
  idleSince: number | null
  /** True if it settles several targets. */
  settlesBatch: boolean
  ended: boolean
}

/** The transaction of a fiber's statements, if any. */
export const CurrentTransaction = Context.Reference<Transaction | undefined>("test/simulation/CurrentTransaction", {
  defaultValue: () => undefined
})

/** A database session that has run LISTEN. */
export interface Listener {
  readonly notify: () => void
  readonly close: () => void
}

/** A model of PostgreSQL: tables, READ COMMITTED transactions, row locks, LISTEN and NOTIFY. */
export interface MemoryDatabase {
  readonly committed: {
    readonly posts: ReadonlyMap<PostId, PostRow>
    readonly targets: ReadonlyMap<TargetId, TargetRow>
    /** An index of pending and publishing targets: nearly every scan is for these, and most targets have ended. */
    readonly openTargets: ReadonlyMap<TargetId, TargetRow>
    readonly uploads: ReadonlyMap<TargetId, UploadRow>
    readonly integrations: ReadonlyMap<IntegrationId, IntegrationRow>
    readonly notifications: ReadonlyArray<NotificationRow>
  }
  /** The time until which no process can decode a post. */
  readonly unreadablePosts: Map<PostId, number>
  readonly processLeases: Map<ProcessId, number>
  /** The last answer to a process, and the start of the answers without a gap that end with it. */
  readonly renewals: { last: number; unbrokenSince: number }
  /** The process that has the right to renew an account's access, and the end of that right. */
  readonly renewalLeases: Map<IntegrationId, { readonly by: string; readonly until: number }>
  /** The time until which the service assumes that access is valid. */
  readonly accessUntil: Map<IntegrationId, number>
  readonly begin: () => Transaction
  /** Begins a statement; returns false if the server has ended the transaction. */
  readonly resume: (transaction: Transaction) => boolean
  readonly commit: (transaction: Transaction) => void
  readonly abort: (transaction: Transaction) => void
  /** Waits for the row lock; fails after lock_timeout. */
  readonly lock: (transaction: Transaction, row: string) => Effect.Effect<void, DatabaseUnavailable>
  readonly isLocked: (row: string) => boolean
  readonly makeUnavailableUntil: (millis: number) => void
  readonly isUnavailable: () => boolean
  /** Runs the listener at every commit with changes, before the next commit. */
  readonly onCommit: (listener: (changes: Changes) => void) => void
  /** Returns a function that removes the session. */
  readonly listen: (session: Listener) => () => void
  /** Ends every listening session, as a restart of the server does. */
  readonly closeListeners: () => void
}

/** The lock_timeout of the service's connections. */
const lockTimeout = 5000
const lockTimedOut = (row: string) => new DatabaseUnavailable({ operation: `locking ${row}`, cause: "lock_timeout" })
/** The idle_in_transaction_session_timeout of the service's connections. */
const idleTimeout = 30_000

const isOpen = ({ status }: TargetRow) => status === "pending" || status === "publishing"

const isChange = ({ integrations, notifications, posts, targets }: Changes) =>
  posts.length > 0 || targets.length > 0 || integrations.length > 0 || notifications.length > 0

export const makeMemoryDatabase = (world: World): MemoryDatabase => {
  const posts = makeTable<PostId, PostRow>()
  const targets = makeTable<TargetId, TargetRow>()
  const deletedTargets = makeTable<TargetId, TargetRow>()
  const uploads = makeTable<TargetId, UploadRow>()
  const openTargets = new Map<TargetId, TargetRow>()
  const integrations = makeTable<IntegrationId, IntegrationRow>()
  const notifications: Array<NotificationRow> = []
  const lockHolders = new Map<string, Transaction>()
  const lockWaiters = new Map<string, Array<Deferred.Deferred<void>>>()
  const commitListeners: Array<(changes: Changes) => void> = []
  const sessions = new Set<Listener>()
  let unavailableUntil = 0

  const end = (transaction: Transaction) => {
    transaction.ended = true
    for (const [row, holder] of lockHolders) {
      if (holder !== transaction) continue
      lockHolders.delete(row)
      const waiters = lockWaiters.get(row) ?? []
      lockWaiters.delete(row)
      for (const waiter of waiters) Deferred.doneUnsafe(waiter, Effect.void)
    }
  }

  const endIfIdle = (transaction: Transaction): boolean => {
    const { ended, idleSince } = transaction
    if (!ended && idleSince !== null && world.now() - idleSince >= idleTimeout) end(transaction)
    return transaction.ended
  }

  const holderOf = (row: string): Transaction | undefined => {
    const holder = lockHolders.get(row)
    return holder === undefined || endIfIdle(holder) ? undefined : holder
  }

  const lockUntil = (
    transaction: Transaction,
    row: string,
    deadline: number
  ): Effect.Effect<void, DatabaseUnavailable> =>
    Effect.suspend(() => {
      if (transaction.ended) return lockTimedOut(row)
      const holder = holderOf(row)
      if (holder === undefined || holder === transaction) {
        lockHolders.set(row, transaction)
        return Effect.void
      }
      if (world.now() >= deadline) return lockTimedOut(row)
      const released = Deferred.makeUnsafe<void>()
      lockWaiters.set(row, [...(lockWaiters.get(row) ?? []), released])
      const until = holder.idleSince === null ? deadline : Math.min(deadline, holder.idleSince + idleTimeout)
      return Effect.raceFirst(Deferred.await(released), world.sleep(until - world.now())).pipe(
        Effect.andThen(lockUntil(transaction, row, deadline))
      )
    })

  return {
    committed: {
      posts: posts.committed,
      targets: targets.committed,
      openTargets,
      uploads: uploads.committed,
      integrations: integrations.committed,
      notifications
    },
    unreadablePosts: new Map(),
    processLeases: new Map(),
    renewals: { last: -Infinity, unbrokenSince: -Infinity },
    renewalLeases: new Map(),
    accessUntil: new Map(),
    begin: () => ({
      posts: posts.view(),
      targets: targets.view(),
      deletedTargets: deletedTargets.view(),
      uploads: uploads.view(),
      integrations: integrations.view(),
      notifications: [],
      notifies: false,
      idleSince: world.now(),
      settlesBatch: false,
      ended: false
    }),
    resume: (transaction) => {
      if (endIfIdle(transaction)) return false
      transaction.idleSince = null
      return true
    },
    commit: (transaction) => {
      notifications.push(...transaction.notifications)
      transaction.deletedTargets.commit()
      transaction.uploads.commit()
      const changes: Changes = {
        posts: transaction.posts.commit(),
        targets: transaction.targets.commit(),
        integrations: transaction.integrations.commit(),
        notifications: transaction.notifications
      }
      for (const { after, before } of changes.targets) {
        if (after !== undefined && isOpen(after)) openTargets.set(after.id, after)
        else if (before !== undefined) openTargets.delete(before.id)
      }
      end(transaction)
      if (isChange(changes)) for (const listener of commitListeners) listener(changes)
      if (!transaction.notifies) return
      for (const session of sessions) if (!world.injects("notification lost")) session.notify()
    },
    abort: end,
    lock: (transaction, row) => Effect.suspend(() => lockUntil(transaction, row, world.now() + lockTimeout)),
    isLocked: (row) => holderOf(row) !== undefined,
    makeUnavailableUntil: (millis) => {
      unavailableUntil = Math.max(unavailableUntil, millis)
    },
    isUnavailable: () => unavailableUntil > world.now(),
    onCommit: (listener) => void commitListeners.push(listener),
    listen: (session) => {
      sessions.add(session)
      return () => void sessions.delete(session)
    },
    closeListeners: () => {
      for (const session of sessions) session.close()
      sessions.clear()
    }
  }
}
