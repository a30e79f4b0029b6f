import { Array as Arr, DateTime, type Duration, Effect, Exit, Schema, type Semaphore } from "effect"
import { SqlClient, SqlSchema, type Statement } from "effect/sql"
import { ClaimLost, ClaimUncertain } from "../../domain/errors.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Claim, type Send, type Targets } from "./Targets.ts"

const { targetId, token } = Claim.fields

interface Intent extends Pick<Claim, "targetId" | "token" | "accountId">, Pick<Send, "prepared"> {
  readonly now: string
  readonly leaseUntil: string
}

const timesAt = (now: DateTime.Utc, lease: Duration.Duration) => ({
  now: DateTime.formatIso(now),
  leaseUntil: DateTime.formatIso(DateTime.addDuration(now, lease))
})

const intentOf = ({ claim, prepared }: Send, times: Pick<Intent, "now" | "leaseUntil">): Intent => ({
  targetId: claim.targetId,
  token: claim.token,
  accountId: claim.accountId,
  prepared,
  ...times
})

export const makeBeginSend = Effect.fnUntraced(function* (lockWaits: Semaphore.Semaphore) {
  const sql = yield* SqlClient.SqlClient

  const makeMarkSending = (lock: Statement.Fragment) =>
    SqlSchema.findAll({
      Request: Schema.String,
      Result: Schema.Struct({ targetId, token, credentials: Schema.NullOr(Schema.Uint8Array) }),
      execute: (batch) =>
        sql`
      WITH batch AS MATERIALIZED (
        SELECT * FROM jsonb_to_recordset(${batch}::jsonb) AS intent ("targetId" uuid, token uuid, "accountId" text,
          prepared jsonb, now timestamptz, "leaseUntil" timestamptz)
        ORDER BY "targetId"
      ),
      -- One lookup for each in the order of the ids, so that batches of two processes never deadlock.
      locked AS MATERIALIZED (
        SELECT t.id, batch.* FROM batch CROSS JOIN LATERAL (
          SELECT id FROM post_targets WHERE id = batch."targetId" AND claim_token = batch.token ${lock}) t
      )
      UPDATE post_targets t SET prepared = locked.prepared, resend_ordered = false, looks = 0,
        -- What the post is published from is ready. How long the platform processes the post itself counts from its send.
        processing_since = NULL,
        send_token = locked.token, reconcile_from = NULL, reconcile_until = NULL,
        sent_at = least(locked.now, clock_timestamp()), lease_until = locked."leaseUntil"
      -- By their ids, however many the planner expects.
      FROM locked WHERE t.id = locked.id AND t.id = ANY(ARRAY(SELECT id FROM locked)) AND t.claim_token = locked.token
      RETURNING t.id AS "targetId", t.claim_token AS token, (
        SELECT credentials FROM integrations WHERE id = t.integration_id AND account_id = locked."accountId") AS credentials`
    })

  const markSending = makeMarkSending(sql.literal("FOR UPDATE"))
  const markUnlocked = makeMarkSending(sql.literal("FOR UPDATE SKIP LOCKED"))

  /** Skips locked targets, so that a wait for a lock delays no other post. */
  const storeUnlocked = Effect.fnUntraced(function* (batch: Arr.NonEmptyReadonlyArray<Intent>) {
    const begun = yield* markUnlocked(JSON.stringify(batch)).pipe(withDatabaseTimeout("beginning to send"))
    const byTarget = new Map(begun.map((each) => [each.targetId, each]))
    return batch.map((intent) => {
      const found = byTarget.get(intent.targetId)
      return found?.token === intent.token
        ? Exit.succeed(found.credentials ?? undefined)
        : Exit.fail(new ClaimUncertain())
    })
  })

  const beginSend: Targets["beginSend"] = Effect.fnUntraced(function* (claim, prepared, lease) {
    const intent = intentOf({ claim, prepared }, timesAt(yield* DateTime.now, lease))
    const [begun] = yield* markSending(JSON.stringify([intent])).pipe(
      withDatabaseTimeout("beginning to send"),
      lockWaits.withPermits(1)
    )
    return begun === undefined ? yield* new ClaimLost() : (begun.credentials ?? undefined)
  })

  const beginSends: Targets["beginSends"] = Effect.fnUntraced(function* (sends, lease) {
    const times = timesAt(yield* DateTime.now, lease)
    const intents = Arr.map(sends, (send) => intentOf(send, times))
    return yield* storeUnlocked(intents)
  })
  return { beginSend, beginSends }
})
