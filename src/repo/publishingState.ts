import { type DateTime, Duration, Effect, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import { withDatabaseTimeout } from "./postgres/databaseErrors.ts"
import { NullableTimestamp, Timestamp } from "./postgres/rows.ts"

/** Why nothing is published: the database is a restored one, which does not know what was published since. */
export const Hold = Schema.Struct({
  since: Timestamp,
  /** When the backup was taken. */
  takenAt: NullableTimestamp,
  restoredAt: NullableTimestamp
})
export type Hold = typeof Hold.Type

/** Whether publishing is held, and what the database may have missed. */
export interface PublishingState {
  readonly hold: Effect.Effect<Option.Option<Hold>, DatabaseUnavailable>
  /**
   * Where the last heartbeat of any process is more than a minute old, makes targets that were due in the meantime look on
   * their platform before they are sent: the database may be a restored one whose targets went out in the gap. Returns how
   * many they are. Runs before a process writes its first heartbeat; several processes may run it at once.
   */
  readonly lookAfterGap: Effect.Effect<number, DatabaseUnavailable>
}

/** By how much a heartbeat extends a process's lease. */
const heartbeatLease = Duration.seconds(30)

/** Processes that are well write a heartbeat every few seconds. */
const gapThreshold = Duration.seconds(60)

const batchSize = 1_000

const seconds = (duration: Duration.Duration) => Duration.toSeconds(duration)

export const makePublishingState = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const findHold = SqlSchema.findOneOption({
    Request: Schema.Void,
    Result: Hold,
    execute: () => sql`
      SELECT held_since AS since, taken_at AS "takenAt", restored_at AS "restoredAt" FROM publishing_state
      WHERE held_since IS NOT NULL`
  })

  const hold: PublishingState["hold"] = findHold(undefined).pipe(
    withDatabaseTimeout("reading whether publishing is held"),
    Effect.withSpan("Repo.publishingState.hold")
  )

  const findGap = SqlSchema.findOneOption({
    Request: Schema.Void,
    Result: Schema.Struct({ since: Timestamp }),
    // A snapshot of the database holds the lease that the last heartbeat before it wrote.
    execute: () => sql`
      SELECT since FROM (
        SELECT max(lease_until) - ${seconds(heartbeatLease)} * interval '1 second' AS since FROM processes) last
      WHERE since < clock_timestamp() - ${seconds(gapThreshold)} * interval '1 second'`
  })

  const Batch = Schema.Struct({ since: Timestamp })
  const MarkedRow = Schema.Struct({ id: Schema.String })

  // What was due before the gap counts too: it may have been sent right after the snapshot.
  const markDue = SqlSchema.findAll({
    Request: Batch,
    Result: MarkedRow,
    execute: ({ since }) => sql`
      UPDATE post_targets SET reconcile_from = ${since}::timestamptz
      WHERE id IN (SELECT id FROM post_targets
          WHERE status = 'pending' AND due_at <= clock_timestamp() AND sent_at IS NULL
            AND (reconcile_from IS NULL OR reconcile_from > ${since}::timestamptz)
          ORDER BY due_at, id LIMIT ${batchSize}::int FOR UPDATE)
      RETURNING id`
  })

  // Claimed in the snapshot, so that the next claim may follow a send. What was sent by then is reconciled anyway.
  const markClaimed = SqlSchema.findAll({
    Request: Batch,
    Result: MarkedRow,
    execute: ({ since }) => sql`
      UPDATE post_targets SET reconcile_from = ${since}::timestamptz
      WHERE id IN (SELECT id FROM post_targets
          WHERE status = 'publishing' AND sent_at IS NULL
            AND (reconcile_from IS NULL OR reconcile_from > ${since}::timestamptz)
          ORDER BY id LIMIT ${batchSize}::int FOR UPDATE)
      RETURNING id`
  })

  const markAll = Effect.fnUntraced(function* (mark: typeof markDue, since: DateTime.Utc) {
    let count = 0
    for (;;) {
      const marked = yield* mark({ since }).pipe(
        withDatabaseTimeout("marking targets after a gap"),
        // A deadlock, or a database that is not well yet.
        Effect.retry({ times: 3 })
      )
      if (marked.length === 0) return count
      count += marked.length
    }
  })

  const lookAfterGap: PublishingState["lookAfterGap"] = Effect.gen(function* () {
    const gap = yield* withDatabaseTimeout("reading the last heartbeat")(findGap(undefined))
    if (Option.isNone(gap)) return 0
    const { since } = gap.value
    return (yield* markAll(markDue, since)) + (yield* markAll(markClaimed, since))
  }).pipe(Effect.withSpan("Repo.publishingState.lookAfterGap"))

  return { hold, lookAfterGap } satisfies PublishingState
})
