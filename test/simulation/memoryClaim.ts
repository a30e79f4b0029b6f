import { DateTime, type Duration } from "effect"
import type { ClaimToken, ProcessId } from "../../src/domain/ids.ts"
import { textFor } from "../../src/domain/postPlan.ts"
import type { Claim } from "../../src/repo/targets/Targets.ts"
import type { MemoryDatabase, Transaction } from "./memoryDatabase.ts"
import type { TargetRow } from "./rows.ts"

const instant = (millis: number) => DateTime.makeUnsafe(millis)

interface Candidate {
  readonly row: TargetRow
  readonly since: number
}

/** First attempts come before repeated ones. */
const repeatPenalty = 60_000

const bySince = (left: Candidate, right: Candidate) => left.since - right.since || (left.row.id < right.row.id ? -1 : 1)

/** Selects the targets that the statement in src/repo/targets/claim.ts selects, in the steps of its common table expressions. */
const selectTargets = (rows: Iterable<TargetRow>, moment: number, limit: number): ReadonlyArray<TargetRow> => {
  const expired: Array<Candidate> = []
  const due: Array<Candidate> = []
  const busy = new Set<string>()
  for (const row of rows) {
    const { dueAt, integrationId, leaseUntil, status } = row
    if (status === "publishing") {
      busy.add(integrationId)
      if (leaseUntil !== null && leaseUntil <= moment && dueAt !== null) {
        expired.push({ row, since: dueAt + repeatPenalty })
      }
    } else if (status === "pending" && dueAt !== null && dueAt <= moment) due.push({ row, since: dueAt })
  }
  const next = new Map<string, Candidate>()
  for (const candidate of due.toSorted(bySince)) {
    const { integrationId } = candidate.row
    if (!busy.has(integrationId) && !next.has(integrationId)) next.set(integrationId, candidate)
  }
  const candidates = [...next.values()].map(({ row, since }) => ({
    row,
    since: row.attempts > 0 ? since + repeatPenalty : since
  }))
  return [...expired, ...candidates]
    .toSorted(bySince)
    .slice(0, limit)
    .map(({ row }) => row)
}

interface ClaimOptions {
  readonly limit: number
  readonly lease: Duration.Duration
  readonly ownerId: ProcessId | null
  /** The time by the clock of the process. */
  readonly now: DateTime.Utc
  /** The time by the clock of the database. */
  readonly databaseNow: number
  readonly makeToken: () => ClaimToken
}

/** Claims due targets as src/repo/targets/claim.ts does, with SKIP LOCKED. */
export const claimTargets = (
  database: MemoryDatabase,
  transaction: Transaction,
  { databaseNow, lease, limit, makeToken, now, ownerId }: ClaimOptions
): ReadonlyArray<Claim> => {
  const moment = Math.min(DateTime.toEpochMillis(now), databaseNow)
  const selected = selectTargets(database.committed.openTargets.values(), moment, limit)
  if (selected.length === 0) return []
  const token = makeToken()
  const claims = selected.flatMap((row): ReadonlyArray<Claim & { readonly dueAt: number }> => {
    const post = transaction.posts.get(row.postId)
    const integration = transaction.integrations.get(row.integrationId)
    if (database.isLocked(row.postId) || post === undefined || integration === undefined) return []
    if (row.dueAt === null || row.dueSince === null) return []
    const claimed: TargetRow = {
      ...row,
      status: "publishing",
      attempts: row.attempts + 1,
      reconcileAttempts: row.sentAt === null ? 0 : row.reconcileAttempts + 1,
      token,
      leaseUntil: DateTime.toEpochMillis(DateTime.addDuration(now, lease))
    }
    transaction.targets.put(row.id, claimed)
    if (post.status === "scheduled") transaction.posts.put(post.id, { ...post, status: "publishing" })
    return [
      {
        targetId: row.id,
        token,
        leaseUntil: DateTime.addDuration(now, lease),
        ownerId,
        workspaceId: row.workspaceId,
        postId: row.postId,
        platform: row.platform,
        host: row.platform,
        text: textFor(row.platform, post),
        settings: post.settings,
        attempts: claimed.attempts,
        reconcileAttempts: claimed.reconcileAttempts,
        dueSince: instant(row.dueSince),
        dueAt: row.dueAt,
        prepared: row.prepared,
        sentAt: row.sentAt === null ? null : instant(row.sentAt),
        resendOrdered: row.resendOrdered,
        reconcileFrom: null,
        reconcileUntil: null,
        accountId: integration.accountId,
        integration: {
          id: integration.id,
          accountId: integration.accountId,
          username: integration.username,
          serviceUrl: null,
          connected: integration.status === "connected",
          version: String(integration.version)
        }
      }
    ]
  })
  return claims.toSorted((left, right) => left.dueAt - right.dueAt).map(({ dueAt: _, ...claim }) => claim)
}
