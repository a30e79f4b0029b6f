import type { MemoryDatabase } from "./memoryDatabase.ts"
import type { Process } from "./process.ts"
import { hour, minute, second, type World } from "./world.ts"

/** Checks the posts of accounts whose access has ended. */
export interface AccessChecks {
  /** X refuses a post because the access has ended. */
  readonly onEnded: (process: Process, accountId: string, text: string) => void
  /** A process sends a post. */
  readonly onSend: (accountId: string, text: string) => void
  /** A process learns that X refuses new access for good. It has a minute to store this. */
  readonly onRefused: (process: Process, accountId: string) => void
  /** A person reconnects the account. */
  readonly onConnected: (accountId: string) => void
  /** Checks, at any moment, that no post waits for new access longer than a renewal may take. */
  readonly checkWaits: (processes: ReadonlyArray<Process>) => void
}

/** Enough for another process's request and its own request. */
const longestWait = 45 * second

/** Enough if a process dies or freezes during a renewal: its lease and a request. */
const longestTakeover = 85 * second

interface Waiting {
  readonly process: Process
  readonly since: number
  isTakeover: boolean
}

export const makeAccessChecks = (world: World, database: MemoryDatabase): AccessChecks => {
  const { integrations } = database.committed
  /** By account and text. */
  const waiting = new Map<string, Map<string, Waiting>>()
  /** The process that knows that X refuses new access for an account. */
  const refused = new Map<string, { readonly process: Process; readonly since: number; isLasting: boolean }>()

  database.onCommit(({ integrations: changed, targets: changedTargets }) => {
    for (const { after, before } of changed) {
      const isMarked = before?.status === "connected" && after?.status === "needs_reconnect"
      if (isMarked && refused.has(after.accountId)) world.count("lost access is told")
    }
    for (const { after, before } of changedTargets) {
      if (after !== undefined && after.token === before?.token) continue
      if (before !== undefined) waiting.delete(before.accountId)
      const known = after === undefined ? undefined : refused.get(after.accountId)
      const gaveUp = after?.status === "failed" && after.error?.code === "gave_up"
      if (gaveUp && known?.isLasting === true && world.now() > known.since + hour)
        world.violate(`account ${after.accountId} was asked for again and again although X had refused new access`)
    }
  })

  const isHeldByOther = (accountId: string, processes: ReadonlyArray<Process>): boolean => {
    const row = [...integrations.values()].find((each) => each.accountId === accountId)
    const held = row === undefined ? undefined : database.renewalLeases.get(row.id)
    if (held === undefined || held.until <= world.now()) return false
    return !processes.some((process) => process.name === held.by && process.isRunning())
  }

  const checkWaits: AccessChecks["checkWaits"] = (processes) => {
    for (const [accountId, known] of refused) {
      if (known.isLasting) continue
      if ((known.process.runningSince() ?? Number.POSITIVE_INFINITY) > known.since) refused.delete(accountId)
      else known.isLasting = world.now() > known.since + minute
    }
    for (const [accountId, posts] of waiting) {
      const isTakeover = isHeldByOther(accountId, processes)
      for (const [text, wait] of posts) {
        const runningSince = wait.process.runningSince() ?? Number.POSITIVE_INFINITY
        wait.isTakeover ||= isTakeover
        const limit = wait.isTakeover ? longestTakeover : longestWait
        const isOver = runningSince <= wait.since && world.now() > wait.since + limit
        if (isOver) world.violate(`“${text}” waits for access for more than ${limit / second} s`)
        if (isOver || runningSince > wait.since) posts.delete(text)
      }
    }
  }

  return {
    onEnded: (process, accountId, text) => {
      world.count("access ended before a post")
      const posts = waiting.get(accountId) ?? new Map<string, Waiting>()
      waiting.set(accountId, posts.set(text, { process, since: world.now(), isTakeover: false }))
    },
    onSend: (accountId, text) => void waiting.get(accountId)?.delete(text),
    onRefused: (process, accountId) => {
      world.count("renewal refused for good")
      if (!refused.has(accountId)) refused.set(accountId, { process, since: world.now(), isLasting: false })
    },
    onConnected: (accountId) => void refused.delete(accountId),
    checkWaits
  }
}
