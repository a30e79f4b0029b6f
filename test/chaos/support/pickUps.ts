import { Clock, Effect, type Redacted, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { query } from "./storedTargets.ts"

/** The length of a process's lease after its last renewal, in milliseconds. */
const leaseLength = 30_000

/** A process renews its lease every five seconds. If it has not done so for this long, it has stopped. */
const renewalOverdue = 8000

/** Everything due must be attempted or reconciled within this time. */
const limit = 60_000

const DueTarget = Schema.Struct({
  account: Schema.String,
  /** Changes with each claim. */
  attempt: Schema.String,
  isInFlight: Schema.Boolean,
  /** The last lease renewal of the process that has the claim; null if no process has one. */
  ownerSeen: Schema.NullOr(Schema.Finite)
})
const decodeTargets = Schema.decodeUnknownEffect(Schema.Array(DueTarget))

/** Finds the target in flight of each account that has due targets, or else the account's first due target. */
const findDue = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    SELECT DISTINCT ON (t.integration_id) t.integration_id AS account, concat(t.id, t.claim_token) AS attempt,
      t.status = 'publishing' AS "isInFlight",
      (extract(epoch FROM p.lease_until) * 1000)::float8 - ${leaseLength}::float8 AS "ownerSeen"
    FROM post_targets t LEFT JOIN processes p ON p.id = t.owner_id AND t.owner_token = t.claim_token
    WHERE t.status IN ('pending', 'publishing') AND t.due_at <= clock_timestamp()
    ORDER BY t.integration_id, t.status = 'pending', t.due_at`
  return yield* decodeTargets(rows)
})

interface Wait {
  /** In milliseconds since 1970. */
  readonly since: number
  readonly attempt: string
}

const seconds = (millis: number) => `${(millis / 1000).toFixed(1)} s`

/**
 * Measures how long due targets wait for a running process, twice a second. If the process with the claim has stopped,
 * the wait begins at its last lease renewal, which is up to five seconds before it stopped. Otherwise the wait begins
 * when the account has no other target in flight.
 */
export const makePickUps = (url: Redacted.Redacted) => {
  const stopped = new Map<string, Wait>()
  const free = new Map<string, Wait>()
  const pickUps: Array<number> = []
  let longestFree = 0

  const look = Effect.gen(function* () {
    const due = yield* findDue
    const now = yield* Clock.currentTimeMillis
    const attempts = new Map(due.map(({ account, attempt }) => [account, attempt]))
    for (const [account, { attempt, since }] of stopped) {
      if (attempts.get(account) === attempt) continue
      stopped.delete(account)
      pickUps.push(now - since)
    }
    for (const [account, { attempt }] of free) if (attempts.get(account) !== attempt) free.delete(account)
    for (const { account, attempt, isInFlight, ownerSeen } of due) {
      if (isInFlight) {
        const hasStopped = ownerSeen !== null && now - ownerSeen > renewalOverdue
        if (hasStopped && !stopped.has(account)) stopped.set(account, { attempt, since: ownerSeen })
      } else {
        if (!free.has(account)) free.set(account, { attempt, since: now })
        longestFree = Math.max(longestFree, now - (free.get(account)?.since ?? now))
      }
    }
  })

  const longest = () => Math.max(0, ...pickUps)
  return {
    watch: query(url, Effect.repeat(look, Schedule.spaced("500 millis"))),
    rows: () => {
      const sorted = pickUps.toSorted((left, right) => left - right)
      const median = sorted[Math.floor(sorted.length / 2)] ?? 0
      return {
        "picked up after a stop": `${pickUps.length} (median ${seconds(median)}, longest ${seconds(longest())})`,
        "longest wait of a free account": seconds(longestFree)
      }
    },
    failures: () => [
      ...(longest() > limit ? [`late: picked up ${seconds(longest())} after a process had stopped`] : []),
      ...(longestFree > limit ? [`late: a free account waited ${seconds(longestFree)}`] : [])
    ]
  }
}
