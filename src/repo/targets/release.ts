import { Effect, Schema, type Semaphore, Struct } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { ClaimLost } from "../../domain/errors.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { looksBefore } from "./targetChange.ts"
import { Claim, type Targets } from "./Targets.ts"

const { targetId, token } = Claim.fields

/** The target's values before a send, which overwrites them. */
const Unsent = Claim.mapFields(
  Struct.pick(["sentAt", "resendOrdered", "reconcileAttempts", "reconcileFrom", "reconcileUntil"])
)

/**
 * A post is scheduled again, and can be changed and deleted, if none of its targets was sent or is in flight. Posts are
 * locked in order. Targets are locked too, so that the second of two concurrent releases sees the first.
 */
export const makeUnclaim = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const unclaim = SqlSchema.findAll({
    Request: Schema.Struct({
      targetIds: Schema.Array(targetId),
      token,
      /** Null if no send began. */
      before: Schema.NullOr(Unsent),
      postponesBy: Schema.Int,
      error: Schema.NullOr(Schema.Struct({ code: Schema.String, message: Schema.String }))
    }),
    Result: Schema.Struct({ id: targetId }),
    execute: ({ before, error, postponesBy, targetIds, token: claimToken }) =>
      sql`
      WITH held AS MATERIALIZED (
        SELECT p.workspace_id, p.id FROM posts p
        WHERE (p.workspace_id, p.id) IN (
          SELECT workspace_id, post_id FROM post_targets
          WHERE id = ANY(${targetIds}::uuid[]) AND claim_token = ${claimToken}::uuid)
        ORDER BY p.id FOR UPDATE
      ),
      targets AS MATERIALIZED (
        SELECT t.id, t.workspace_id, t.post_id, t.status, t.claim_token, t.sent_at, t.reconcile_from, t.part FROM held
        JOIN post_targets t ON t.workspace_id = held.workspace_id AND t.post_id = held.id
        FOR UPDATE OF t
      ),
      released AS (
        UPDATE post_targets t SET status = 'pending', claim_token = NULL, lease_until = NULL,
          error_code = coalesce(${error?.code ?? null}::text, t.error_code),
          error_message = coalesce(${error?.message ?? null}::text, t.error_message),
          error_retryable = CASE WHEN ${error !== null}::boolean THEN true ELSE t.error_retryable END,
          attempts = t.attempts - 1, looks = ${before === null ? sql`greatest(t.looks - 1, 0)` : sql`${looksBefore(before)}::int`},
          due_at = CASE WHEN ${postponesBy}::int > 0
            THEN greatest(t.due_at, clock_timestamp()) + ${postponesBy}::int * interval '1 second' ELSE t.due_at END,
          sent_at = CASE WHEN ${before !== null}::boolean THEN ${before?.sentAt ?? null}::timestamptz ELSE t.sent_at END,
          resend_ordered = coalesce(${before?.resendOrdered ?? null}::boolean, t.resend_ordered),
          reconcile_from = coalesce(t.reconcile_from, ${before?.reconcileFrom ?? null}::timestamptz),
          reconcile_until = coalesce(t.reconcile_until, ${before?.reconcileUntil ?? null}::timestamptz)
        FROM targets
        WHERE t.id = targets.id AND targets.id = ANY(${targetIds}::uuid[]) AND targets.claim_token = ${claimToken}::uuid
        RETURNING t.id, t.workspace_id, t.post_id, t.sent_at, t.reconcile_from
      ),
      rescheduled AS (
        UPDATE posts p SET status = 'scheduled' FROM held
        WHERE p.workspace_id = held.workspace_id AND p.id = held.id AND p.status = 'publishing' AND NOT EXISTS (
          SELECT FROM targets LEFT JOIN released USING (id) WHERE targets.post_id = held.id AND (targets.part > 1 OR CASE WHEN released.id IS NULL
            THEN targets.status <> 'pending' OR targets.sent_at IS NOT NULL OR targets.reconcile_from IS NOT NULL
            ELSE released.sent_at IS NOT NULL OR released.reconcile_from IS NOT NULL END))
      )
      SELECT id FROM released`
  })
  return unclaim
})

export const releaseOf = (claim: Claim) => ({
  targetIds: [claim.targetId],
  token: claim.token,
  before: claim,
  postponesBy: 0,
  error: null
})

export const makeRelease = Effect.fnUntraced(function* (lockWaits: Semaphore.Semaphore) {
  const sql = yield* SqlClient.SqlClient
  const unclaim = yield* makeUnclaim

  const release: Targets["release"] = Effect.fn("Repo.targets.release")(function* (claim) {
    const released = yield* unclaim(releaseOf(claim)).pipe(
      withDatabaseTimeout("releasing a claim"),
      lockWaits.withPermits(1)
    )
    if (released.length === 0) return yield* new ClaimLost()
  })

  const undoIntent = SqlSchema.void({
    Request: Schema.Struct({ targetId, token, ...Unsent.fields }),
    // Does nothing during another attempt, which depends on this intent: on Bluesky it may send the same record.
    execute: (claim) => sql`
      UPDATE post_targets SET sent_at = ${claim.sentAt}::timestamptz, send_token = NULL,
        resend_ordered = ${claim.resendOrdered}::boolean, looks = ${looksBefore(claim)}::int,
        reconcile_from = coalesce(reconcile_from, ${claim.reconcileFrom}::timestamptz),
        reconcile_until = coalesce(reconcile_until, ${claim.reconcileUntil}::timestamptz)
      WHERE id = ${claim.targetId}::uuid AND send_token = ${claim.token}::uuid AND sent_at IS NOT NULL
        AND status = 'pending'`
  })

  const withdraw: Targets["withdraw"] = Effect.fn("Repo.targets.withdraw")((claim) =>
    undoIntent(claim).pipe(withDatabaseTimeout("withdrawing the intent to send"), lockWaits.withPermits(1))
  )
  return { release, withdraw }
})
