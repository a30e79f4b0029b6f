import { Clock, Effect, type Redacted, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { query } from "./storedTargets.ts"

/** The length of a process's lease in milliseconds: it ends so long after its last renewal. */
const leaseLength = 30_000

/** A process that has not renewed its lease for so long has stopped: it renews every five seconds. */
const renewalOverdue = 8000

/** Within this everything due is attempted or reconciled. */
const limit = 60_000

const DueTarget = Schema.Struct({
  account: Schema.String,
  /** Changes with every claim. */
  attempt: Schema.String,
  isInFlight: Schema.Boolean,
  /** When the process that claimed it last renewed its lease; null where none did. */
  ownerSeen: Schema.NullOr(Schema.Finite)
})
const decodeTargets = Schema.decodeUnknownEffect(Schema.Array(DueTarget))

/** Of each account that has something due, what is in flight, or else what is due first. */
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
 * Measures how long what is due waits for a running process: from the last renewal of the process that had claimed it, if that
 * has stopped, and else from when its account was free. It looks twice a second. The first kind of wait began up to five
 * seconds before the process stopped.
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
