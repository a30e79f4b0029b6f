import { DateTime, Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { smallestIdAt, TargetId } from "../domain/ids.ts"
import { mailedWithin } from "../domain/mail/mailPolicy.ts"
import { type Progress, withProgress } from "../domain/progress.ts"
import { BackupError } from "./format.ts"
import { publishingHeld } from "../domain/publishing/publishingHeld.ts"
import { isoTime, Timestamp } from "../repo/postgres/rows.ts"

const batchSize = 5_000

const Restored = Schema.Struct({ takenAt: Timestamp, restoredAt: Timestamp })

/** Fails while a process holds a lease: its work in flight would not notice the restore. */
export const requireStopped = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const running = yield* sql`SELECT FROM processes WHERE lease_until > clock_timestamp() LIMIT 1`
  if (running.length > 0) {
    return yield* new BackupError({
      message: "The service runs on this database; stop it, and run this again after 30 seconds"
    })
  }
})

/**
 * Holds publishing, and notifies every workspace. If publishing is held already, the earlier unknown period stays, and
 * nobody is notified again.
 */
const hold = Effect.fnUntraced(function* (takenAt: DateTime.Utc) {
  const sql = yield* SqlClient.SqlClient
  const { actionUrl, message, title, type } = publishingHeld
  const now = yield* DateTime.now
  const smallestId = smallestIdAt(now)
  const mailedSince = smallestIdAt(DateTime.subtractDuration(now, mailedWithin))
  return yield* SqlSchema.findOne({
    Request: Timestamp,
    Result: Restored,
    execute: (time) => sql`
      WITH former AS MATERIALIZED (SELECT FROM publishing_state WHERE held_since IS NOT NULL), held AS (
        INSERT INTO publishing_state AS state (held_since, taken_at, restored_at)
        VALUES (clock_timestamp(), ${time}::timestamptz, clock_timestamp())
        ON CONFLICT (only_row) DO UPDATE SET held_since = coalesce(state.held_since, excluded.held_since),
          taken_at = CASE WHEN state.held_since IS NULL THEN excluded.taken_at
            ELSE least(state.taken_at, excluded.taken_at) END,
          restored_at = excluded.restored_at
        RETURNING *
      ), undelivered AS (
        -- What was not delivered yet at the backup may have been delivered since.
        UPDATE notifications SET awaits_delivery = NULL WHERE awaits_delivery AND id >= ${mailedSince}::uuid
      ), dropped AS (
        UPDATE notification_deliveries SET status = 'dropped', next_at = NULL, claim_token = NULL,
          ended_at = clock_timestamp(), error = 'The database was restored'
        WHERE status = 'pending'
      ), told AS (
        -- The time of this id, and the random bits of another one.
        INSERT INTO notifications (id, workspace_id, type, title, message, action_url, metadata, created_at)
        SELECT (left(${smallestId}, 15) || substr(gen_random_uuid()::text, 16))::uuid, w.id, ${type}, ${title}, ${message},
          ${actionUrl}, jsonb_build_object('held_since', ${sql.literal(isoTime("held_since"))}), held_since
        FROM workspaces w CROSS JOIN held WHERE NOT EXISTS (SELECT FROM former)
      )
      SELECT taken_at AS "takenAt", restored_at AS "restoredAt" FROM held`
  })(takenAt).pipe(Effect.catchTag("NoSuchElementError", Effect.die))
})

export interface Marked {
  /** The start of the period in which it is unknown what was published. */
  readonly takenAt: DateTime.Utc
  /** Unfinished targets, drafts included. */
  readonly openTargets: number
}

const markBatch = Effect.fnUntraced(function* (after: TargetId | null, restored: typeof Restored.Type) {
  const sql = yield* SqlClient.SqlClient
  return yield* SqlSchema.findOne({
    Request: Schema.Struct({ ...Restored.fields, after: Schema.NullOr(TargetId) }),
    Result: Schema.Struct({ last: Schema.NullOr(TargetId), size: Schema.Int, open: Schema.Int }),
    execute: (request) => sql`
      WITH batch AS MATERIALIZED (
        SELECT id FROM post_targets WHERE ${request.after}::uuid IS NULL OR id > ${request.after}::uuid
        ORDER BY id LIMIT ${batchSize}::int
      ),
      -- Failed targets too: a person may have had one sent again since. Claims end, so that whoever claims the target next
      -- looks first. An order to send again may have been carried out, so it is left to a person.
      marked AS (
        UPDATE post_targets t SET reconcile_from = least(t.reconcile_from, ${request.takenAt}::timestamptz),
          reconcile_until = ${request.restoredAt}::timestamptz, resend_ordered = false,
          looks = CASE WHEN t.resend_ordered THEN 0 ELSE t.looks END,
          status = CASE t.status WHEN 'publishing' THEN 'pending' ELSE t.status END,
          claim_token = NULL, lease_until = NULL, owner_id = NULL, owner_token = NULL
        FROM batch WHERE t.id = batch.id AND t.status <> 'published'
        RETURNING t.status
      )
      SELECT (SELECT id FROM batch ORDER BY id DESC LIMIT 1) AS last, (SELECT count(*)::int FROM batch) AS size,
        (SELECT count(*)::int FROM marked WHERE status <> 'failed') AS open`
  })({ ...restored, after }).pipe(Effect.catchTag("NoSuchElementError", Effect.die))
})

const countTargets = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { count } = yield* SqlSchema.findOne({
    Request: Schema.Void,
    Result: Schema.Struct({ count: Schema.Int }),
    execute: () => sql`SELECT count(*)::int AS count FROM post_targets`
  })(undefined).pipe(Effect.catchTag("NoSuchElementError", Effect.die))
  return count
})

const markTargets = Effect.fnUntraced(function* (restored: typeof Restored.Type, report: (progress: Progress) => void) {
  const total = yield* countTargets
  let done = 0
  let openTargets = 0
  let after: TargetId | null = null
  for (;;) {
    report({ _tag: "Amount", title: "Holding publishing", done, total, isTotalEstimated: false, unit: "targets" })
    const batch: Effect.Success<ReturnType<typeof markBatch>> = yield* markBatch(after, restored)
    if (batch.last === null) return openTargets
    done += batch.size
    openTargets += batch.open
    after = batch.last
  }
})

/**
 * Holds publishing, and marks every target that was unpublished at the backup, so that its next attempt looks on the
 * platform first. Runs in batches, and may be repeated after an interruption.
 */
export const markRestored = Effect.fn("markRestored")(function* (takenAt: DateTime.Utc) {
  const restored = yield* hold(takenAt)
  const openTargets = yield* withProgress((report) => markTargets(restored, report))
  const marked: Marked = { takenAt: restored.takenAt, openTargets }
  return marked
})
