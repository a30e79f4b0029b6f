import type { PostRow, TargetRow } from "./rows.ts"

const allEqual = (...conditions: ReadonlyArray<boolean>) => new Set(conditions).size === 1

/** The CHECK constraints that a row of `post_targets` violates, by name. */
export const brokenTargetConstraints = (row: TargetRow): ReadonlyArray<string> => {
  const isDueSet = row.dueAt !== null
  const holds: Readonly<Record<string, boolean>> = {
    post_targets_attempts_counted: row.attempts >= 0,
    post_targets_looks_counted: row.reconcileAttempts >= 0,
    post_targets_claimed_while_publishing: allEqual(
      row.status === "publishing",
      row.token !== null,
      row.leaseUntil !== null
    ),
    post_targets_due_since_due: allEqual(isDueSet, row.dueSince !== null),
    post_targets_due_unless_ended: row.status === "publishing" ? isDueSet : row.status === "pending" || !isDueSet,
    post_targets_published_at_when_published: allEqual(row.publishedAt !== null, row.status === "published"),
    post_targets_error_when_failed: row.status !== "failed" || row.error !== null,
    post_targets_prepared_before_sent: row.sentAt === null || row.prepared !== null
  }
  return Object.keys(holds).filter((name) => holds[name] === false)
}

/** The CHECK constraints that a row of `posts` violates, by name. */
export const brokenPostConstraints = (row: PostRow): ReadonlyArray<string> => {
  const holds: Readonly<Record<string, boolean>> = {
    posts_time_unless_draft: row.scheduledAt !== null || row.status === "draft",
    posts_published_at_when_published: allEqual(row.publishedAt !== null, row.status === "published")
  }
  return Object.keys(holds).filter((name) => holds[name] === false)
}

/** Accounts with several targets in flight, which the unique index `post_targets_one_in_flight` forbids. */
export const accountsInFlightTwice = (rows: Iterable<TargetRow>): ReadonlyArray<string> => {
  const busy = new Set<string>()
  const twice: Array<string> = []
  for (const row of rows) {
    if (row.status !== "publishing") continue
    if (busy.has(row.integrationId)) twice.push(row.integrationId)
    busy.add(row.integrationId)
  }
  return twice
}
