import { Context, Deferred, Effect } from "effect"
import { DatabaseUnavailable } from "../../src/domain/errors.ts"
import type { IntegrationId, PostId, TargetId } from "../../src/domain/ids.ts"
import type { Changes, IntegrationRow, NotificationRow, PostRow, TargetRow } from "./rows.ts"
import { makeTable, type TableView } from "./table.ts"
import type { World } from "./world.ts"

/** A transaction: what it changes is seen by nobody else, and the rows that it locks change for nobody else, until it ends. */
export interface Transaction {
  readonly by: string
  readonly posts: TableView<PostId, PostRow>
  readonly targets: TableView<TargetId, TargetRow>
  readonly integrations: TableView<IntegrationId, IntegrationRow>
  readonly notifications: Array<NotificationRow>
  /** Whether publishers are told at the commit that something falls due soon. */
  wakes: boolean
  /** Since when its process has said nothing more; null while a statement runs. */
  idleSince: number | null
  ended: boolean
}

/** The transaction that a statement is part of, if it is part of one. */
export const CurrentTransaction = Context.Reference<Transaction | undefined>("test/simulation/CurrentTransaction", {
  defaultValue: () => undefined
})

/** A session that has said LISTEN. */
export interface Listener {
  readonly call: () => void
  readonly drop: () => void
}

/** Stands for PostgreSQL: tables, transactions that read what is committed, locks on rows, and wake-up calls. */
export interface MemoryDatabase {
  readonly committed: {
    readonly posts: ReadonlyMap<PostId, PostRow>
    readonly targets: ReadonlyMap<TargetId, TargetRow>
    /** Those that have not ended. Nearly everything that scans targets looks for these, and most have ended. */
    readonly openTargets: ReadonlyMap<TargetId, TargetRow>
    readonly integrations: ReadonlyMap<IntegrationId, IntegrationRow>
    readonly notifications: ReadonlyArray<NotificationRow>
  }
  readonly begin: (by: string) => Transaction
  /** A statement of the transaction begins; answers false where the server has ended it. */
  readonly resume: (transaction: Transaction) => boolean
  readonly commit: (transaction: Transaction, operation: string) => void
  readonly abort: (transaction: Transaction) => void
  /** Waits until the transaction has the row to itself. */
  readonly lock: (transaction: Transaction, row: string) => Effect.Effect<void, DatabaseUnavailable>
  readonly isLocked: (row: string) => boolean
  readonly awayUntil: (millis: number) => void
  readonly away: () => boolean
  /** Runs at every commit that changes something, while the changes are the latest. */
  readonly onCommit: (listener: (changes: Changes) => void) => void
  /** Lets a session hear wake-up calls until it stops listening or is dropped; answers how to stop. */
  readonly listen: (session: Listener) => () => void
  /** Ends every session that listens. */
  readonly dropListeners: () => void
}

const lockTimeout = 5000
const refuseLock = (row: string) => new DatabaseUnavailable({ operation: `locking ${row}`, cause: "lock_timeout" })
/** After this long the server ends a transaction whose process says nothing more. */
const idleTimeout = 30_000

const isOpen = ({ status }: TargetRow) => status === "pending" || status === "publishing"

const isChange = ({ integrations, notifications, posts, targets }: Changes) =>
  posts.length > 0 || targets.length > 0 || integrations.length > 0 || notifications.length > 0

export const makeMemoryDatabase = (world: World): MemoryDatabase => {
  const posts = makeTable<PostId, PostRow>()
  const targets = makeTable<TargetId, TargetRow>()
  const openTargets = new Map<TargetId, TargetRow>()
  const integrations = makeTable<IntegrationId, IntegrationRow>()
  const notifications: Array<NotificationRow> = []
  const holders = new Map<string, Transaction>()
  const waiting = new Map<string, Array<Deferred.Deferred<void>>>()
  const commitListeners: Array<(changes: Changes) => void> = []
  const sessions = new Set<Listener>()
  let awayUntil = 0

  const end = (transaction: Transaction) => {
    transaction.ended = true
    for (const [row, holder] of holders) {
      if (holder !== transaction) continue
      holders.delete(row)
      const waiters = waiting.get(row) ?? []
      waiting.delete(row)
      for (const waiter of waiters) Deferred.doneUnsafe(waiter, Effect.void)
    }
  }

  const hasEnded = (transaction: Transaction): boolean => {
    const { ended, idleSince } = transaction
    if (!ended && idleSince !== null && world.now() - idleSince >= idleTimeout) end(transaction)
    return transaction.ended
  }

  const holderOf = (row: string): Transaction | undefined => {
    const holder = holders.get(row)
    return holder === undefined || hasEnded(holder) ? undefined : holder
  }

  const lockBefore = (
    transaction: Transaction,
    row: string,
    deadline: number
  ): Effect.Effect<void, DatabaseUnavailable> =>
    Effect.suspend(() => {
      if (transaction.ended) return refuseLock(row)
      const holder = holderOf(row)
      if (holder === undefined || holder === transaction) {
        holders.set(row, transaction)
        return Effect.void
      }
      if (world.now() >= deadline) return refuseLock(row)
      const released = Deferred.makeUnsafe<void>()
      waiting.set(row, [...(waiting.get(row) ?? []), released])
      const until = holder.idleSince === null ? deadline : Math.min(deadline, holder.idleSince + idleTimeout)
      return Effect.raceFirst(Deferred.await(released), world.sleep(until - world.now())).pipe(
        Effect.andThen(lockBefore(transaction, row, deadline))
      )
    })

  return {
    committed: {
      posts: posts.committed,
      targets: targets.committed,
      openTargets,
      integrations: integrations.committed,
      notifications
    },
    begin: (by) => ({
      by,
      posts: posts.view(),
      targets: targets.view(),
      integrations: integrations.view(),
      notifications: [],
      wakes: false,
      idleSince: world.now(),
      ended: false
    }),
    resume: (transaction) => {
      if (hasEnded(transaction)) return false
      transaction.idleSince = null
      return true
    },
    commit: (transaction, operation) => {
      notifications.push(...transaction.notifications)
      const changes: Changes = {
        by: transaction.by,
        operation,
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
      if (!transaction.wakes) return
      for (const session of sessions) if (!world.happens("notification lost")) session.call()
    },
    abort: end,
    lock: (transaction, row) => Effect.suspend(() => lockBefore(transaction, row, world.now() + lockTimeout)),
    isLocked: (row) => holderOf(row) !== undefined,
    awayUntil: (millis) => {
      awayUntil = Math.max(awayUntil, millis)
    },
    away: () => awayUntil > world.now(),
    onCommit: (listener) => void commitListeners.push(listener),
    listen: (session) => {
      sessions.add(session)
      return () => void sessions.delete(session)
    },
    dropListeners: () => {
      for (const session of sessions) session.drop()
      sessions.clear()
    }
  }
}
