import { DateTime, type Duration } from "effect"
import type { ClaimToken } from "../../src/domain/ids.ts"
import { chainFor } from "../../src/domain/posts/thread.ts"
import { nextReply } from "../../src/domain/publishing/threadCursor.ts"
import type { PublishedPart } from "../../src/domain/posts/targetParts.ts"
import type { Claim, ClaimOwner, ClaimSlots } from "../../src/repo/targets/Targets.ts"
import type { MemoryDatabase, Transaction } from "./memoryDatabase.ts"
import { bySince, type Candidate, withinSlots } from "./memorySlots.ts"
import type { TargetRow } from "./rows.ts"

const readPart = ({ published_at, ...part }: PublishedPart<string>): PublishedPart => ({
  ...part,
  published_at: DateTime.makeUnsafe(published_at)
})

const instant = (millis: number) => DateTime.makeUnsafe(millis)

/** First attempts come before repeated ones. */
const repeatPenalty = 60_000

const candidate = (row: TargetRow, since: number): Candidate<TargetRow> => ({
  row,
  id: row.id,
  platform: row.platform,
  since
})

/** An abandoned claim, and the times between which the process may take it over. */
export interface AbandonedClaim {
  readonly targetId: TargetRow["id"]
  readonly token: ClaimToken
  readonly from: number
  readonly until: number
}

export const abandonedPause = 20_000

interface ClaimOptions {
  readonly limit: number
  readonly lease: Duration.Duration
  readonly owner: ClaimOwner | undefined
  readonly slots: ClaimSlots | undefined
  /** By the process's clock. */
  readonly now: DateTime.Utc
  /** By the database's clock. */
  readonly databaseNow: number
  /** A target may be claimed this many milliseconds before it is due. */
  readonly within: number
  readonly token: ClaimToken
  /** The process's claims whose responses were lost. */
  readonly lost: ReadonlyMap<ClaimToken, number>
  readonly abandoned: ReadonlyArray<AbandonedClaim>
}

/** True if the process made a row's claim but lost the response. */
const isLost = ({ token }: TargetRow, { lost }: ClaimOptions): boolean => token !== null && lost.has(token)

/** True if the process abandoned the target's claim some time before `at`. */
export const isGivenUp = (
  targetId: TargetRow["id"],
  token: ClaimToken | null,
  abandoned: ReadonlyArray<AbandonedClaim>,
  at: number
): boolean =>
  abandoned.some(
    (claim) => claim.targetId === targetId && claim.token === token && claim.from <= at && at < claim.until
  )

/** True if the lease of the claim or of its process has expired, or the claim's response was lost. */
const isAbandoned = (
  row: TargetRow,
  { processLeases }: MemoryDatabase,
  moment: number,
  options: ClaimOptions
): boolean => {
  const { leaseUntil, ownerId, ownerToken, token } = row
  const { abandoned, databaseNow, now, owner } = options
  if (isLost(row, options)) return true
  if (isGivenUp(row.id, token, abandoned, DateTime.toEpochMillis(now))) return true
  if (leaseUntil !== null && leaseUntil <= moment) return true
  if (ownerId === null || ownerToken !== token) return false
  const ownerUntil = processLeases.get(ownerId)
  return ownerUntil === undefined || (owner?.takesOver === true && ownerUntil <= databaseNow)
}

/** True if a part of the target's thread is published or might be. */
const hasBegun = ({ begunAt, part, sentAt }: TargetRow): boolean => part > 1 || (begunAt !== null && sentAt !== null)

/** True if a target precedes an earlier target of its account, because its thread began first. */
const goesBefore = (row: TargetRow, other: TargetRow): boolean =>
  hasBegun(row) && (!hasBegun(other) || (row.begunAt ?? 0) < (other.begunAt ?? 0))

/** Follows the common table expressions of src/repo/targets/claim.ts. */
const selectTargets = (database: MemoryDatabase, moment: number, options: ClaimOptions): ReadonlyArray<TargetRow> => {
  const expired: Array<Candidate<TargetRow>> = []
  const due: Array<Candidate<TargetRow>> = []
  const busy = new Set<string>()
  for (const row of database.committed.openTargets.values()) {
    const { dueAt, integrationId, status } = row
    if (dueAt === null) continue
    if (status === "publishing") {
      busy.add(integrationId)
      if (isAbandoned(row, database, moment, options)) {
        expired.push(candidate(row, isLost(row, options) && row.attempts === 1 ? dueAt : dueAt + repeatPenalty))
      }
    } else if (status === "pending" && dueAt <= moment + options.within) due.push(candidate(row, dueAt))
  }
  const next = new Map<string, Candidate<TargetRow>>()
  for (const each of due.toSorted(bySince)) {
    const { integrationId } = each.row
    if (busy.has(integrationId)) continue
    const first = next.get(integrationId)
    if (first === undefined) next.set(integrationId, each)
    // The account keeps its place in the queue.
    else if (goesBefore(each.row, first.row)) next.set(integrationId, { ...first, row: each.row })
  }
  const waiting = [...next.values()].map(({ since, ...each }) => ({
    ...each,
    since: each.row.attempts > 0 ? since + repeatPenalty : since
  }))
  return withinSlots([...expired, ...waiting], options)
}

/** `dueFrom`, by the monotonic clock, is known once the process has the response. */
interface ClaimedTarget {
  readonly claim: Omit<Claim, "dueFrom">
  readonly dueIn: number
  readonly dueInOwn: number
}

/** If a claim was taken over before its look, the next claim does that look. */
const looksAt = ({ reconcileAttempts, sentAt, status }: TargetRow): number => {
  if (sentAt === null) return 0
  return status === "pending" ? reconcileAttempts + 1 : Math.max(reconcileAttempts, 1)
}

/** As src/repo/targets/claim.ts does, with SKIP LOCKED. */
export const claimTargets = (
  database: MemoryDatabase,
  transaction: Transaction,
  options: ClaimOptions
): ReadonlyArray<ClaimedTarget> => {
  const { databaseNow, lease, now, owner, token } = options
  const ownerId = owner?.id ?? null
  const moment = Math.min(DateTime.toEpochMillis(now), databaseNow)
  if (ownerId !== null && (database.processLeases.get(ownerId) ?? 0) <= databaseNow) return []
  /** The milliseconds by which the process's clock is ahead. */
  const skew = DateTime.toEpochMillis(now) - moment
  const selected = selectTargets(database, moment, options)
  if (selected.length === 0) return []
  const claims = selected.flatMap((row): ReadonlyArray<ClaimedTarget & { readonly dueAt: number }> => {
    const post = transaction.posts.get(row.postId)
    const integration = transaction.integrations.get(row.integrationId)
    if (database.isLocked(row.postId) || post === undefined || integration === undefined) return []
    if (row.dueAt === null || row.dueSince === null) return []
    const chain = chainFor(row.platform, post)
    const part = chain[row.part - 1]
    if (part === undefined) throw new Error("A target stands behind the end of its thread")
    const counted = isLost(row, options) ? 0 : 1
    const claimed: TargetRow = {
      ...row,
      status: "publishing",
      attempts: row.attempts + counted,
      reconcileAttempts: looksAt(row),
      token,
      leaseUntil: DateTime.toEpochMillis(DateTime.addDuration(now, lease)),
      ownerId,
      ownerToken: ownerId === null ? null : token
    }
    transaction.targets.put(row.id, claimed)
    if (post.status === "scheduled") transaction.posts.put(post.id, { ...post, status: "publishing" })
    return [
      {
        dueAt: row.dueAt,
        dueIn: Math.max(0, row.dueAt - databaseNow),
        dueInOwn: row.dueAt - DateTime.toEpochMillis(now),
        claim: {
          targetId: row.id,
          token,
          leaseUntil: DateTime.addDuration(now, lease),
          ownerId,
          workspaceId: row.workspaceId,
          postId: row.postId,
          platform: row.platform,
          host: row.platform,
          part: row.part,
          parts: chain.length,
          isThread: post.thread.length > 0,
          reply: nextReply((row.parts ?? []).map(readPart), null),
          text: part.text,
          settings: post.settings,
          media: part.media,
          card: null,
          language: null,
          attempts: claimed.attempts,
          lastRateLimited: row.error?.code === "rate_limited",
          reconcileAttempts: claimed.reconcileAttempts,
          processingSince: row.processingSince === null ? null : instant(row.processingSince + skew),
          claimedAt: instant(moment),
          dueSince: instant(row.dueSince + skew),
          prepared: row.prepared,
          sentAt: row.sentAt === null ? null : instant(row.sentAt),
          resendOrdered: row.resendOrdered,
          reconcileFrom: null,
          reconcileUntil: null,
          reconcileText: null,
          accountId: row.accountId,
          integration: {
            id: integration.id,
            accountId: integration.accountId,
            username: integration.username,
            serviceUrl: null,
            connected: integration.status === "connected",
            version: String(integration.version)
          }
        }
      }
    ]
  })
  return claims.toSorted((left, right) => left.dueAt - right.dueAt)
}
