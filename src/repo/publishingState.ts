import { DateTime, Duration, Effect, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import { withDatabaseTimeout } from "./postgres/databaseErrors.ts"
import { NullableTimestamp, Timestamp } from "./postgres/rows.ts"
import { processLease } from "./processes.ts"

/** A hold on publishing: the database was restored and does not know what was published since. */
export const Hold = Schema.Struct({
  since: Timestamp,
  takenAt: NullableTimestamp,
  restoredAt: NullableTimestamp
})
export type Hold = typeof Hold.Type

/** Healthy processes renew their lease every few seconds. */
const gapThreshold = Duration.seconds(60)

export interface PublishingState {
  readonly hold: Effect.Effect<Option.Option<Hold>, DatabaseUnavailable>
  /**
   * If no process has renewed its lease for more than `gapThreshold`, due targets look before they are sent, because a
   * restored database may not know sends in the gap. Returns their number. Runs before a process gets a lease, perhaps
   * in several processes together.
   */
  readonly lookAfterGap: Effect.Effect<number, DatabaseUnavailable>
}

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
    // A snapshot of the database has the last lease renewal before it.
    execute: () => sql`
      SELECT since FROM (
        SELECT max(lease_until) - ${seconds(processLease)} * interval '1 second' AS since FROM processes
        WHERE isfinite(lease_until)) last
      WHERE since < clock_timestamp() - ${seconds(gapThreshold)} * interval '1 second'`
  })

  const makeMark = (condition: string, { order = "t.id", tables = "post_targets t" } = {}) =>
    SqlSchema.findAll({
      Request: Schema.Struct({ since: Timestamp }),
      Result: Schema.Struct({ id: Schema.String }),
      execute: ({ since }) => sql`
      UPDATE post_targets SET reconcile_from = ${since}::timestamptz
      WHERE id IN (SELECT t.id FROM ${sql.literal(tables)}
          WHERE ${sql.literal(condition)} AND (t.reconcile_from IS NULL OR t.reconcile_from > ${since}::timestamptz)
          ORDER BY ${sql.literal(order)} LIMIT ${batchSize}::int FOR UPDATE OF t)
      RETURNING id`
    })

  // Includes targets due before the gap, which may have been sent right after the snapshot.
  const markDue = makeMark("t.status = 'pending' AND t.due_at <= clock_timestamp() AND t.sent_at IS NULL", {
    order: "t.due_at, t.id"
  })

  // Targets that wait for uploads are not due although their time has come.
  const markHeld = makeMark(
    "u.status <> 'ready' AND t.status = 'pending' AND t.due_since <= clock_timestamp() AND t.sent_at IS NULL",
    { tables: "post_target_uploads u JOIN post_targets t ON t.id = u.target_id" }
  )

  // Targets that were claimed in the snapshot may have been sent since. Targets with an intent are reconciled anyway.
  const markClaimed = makeMark("t.status = 'publishing' AND t.sent_at IS NULL")

  // Targets with an intent are reconciled anyway, but later parts of a thread may have been sent as well.
  const markThreads = makeMark(
    "t.status <> 'published' AND t.status <> 'failed' AND t.sent_at IS NOT NULL AND p.thread <> '[]'",
    { tables: "post_targets t JOIN posts p ON p.workspace_id = t.workspace_id AND p.id = t.post_id" }
  )

  const markAll = Effect.fnUntraced(function* (mark: typeof markDue, since: DateTime.Utc) {
    let count = 0
    for (;;) {
      const marked = yield* mark({ since }).pipe(
        withDatabaseTimeout("marking targets after a gap"),
        // After a deadlock, or while the database is not healthy yet.
        Effect.retry({ times: 3 })
      )
      if (marked.length === 0) return count
      count += marked.length
    }
  })

  const lookAfterGap: PublishingState["lookAfterGap"] = Effect.gen(function* () {
    const gap = yield* withDatabaseTimeout("reading the last renewal of a lease")(findGap(undefined))
    if (Option.isNone(gap)) return 0
    const { since } = gap.value
    const count =
      (yield* markAll(markDue, since)) +
      (yield* markAll(markHeld, since)) +
      (yield* markAll(markClaimed, since)) +
      (yield* markAll(markThreads, since))
    if (count > 0) {
      yield* Effect.logWarning(
        `No process ran on this database since ${DateTime.formatIso(since)}: ${count} due targets look on their platform before they are sent`
      )
    }
    return count
  }).pipe(Effect.withSpan("Repo.publishingState.lookAfterGap"))

  return { hold, lookAfterGap } satisfies PublishingState
})
