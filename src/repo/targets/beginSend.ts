import { type Array as Arr, DateTime, Effect, Exit, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { ClaimLost } from "../../domain/errors.ts"
import { makeGroupCommit } from "../groupCommit.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Claim, type Targets } from "./Targets.ts"

const { targetId, token } = Claim.fields

/** What is about to be sent. */
const Intent = Schema.Struct({
  targetId,
  token,
  prepared: Schema.Json,
  now: Schema.DateTimeUtcFromString,
  leaseUntil: Schema.DateTimeUtcFromString
})

export const makeBeginSend = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Not prepared: a plan from when there were few targets would read all of them.
  const markSending = SqlSchema.findAll({
    Request: Schema.fromJsonString(Schema.Array(Intent)),
    Result: Schema.Struct({ targetId, token }),
    execute: (batch) =>
      sql`
      WITH batch AS MATERIALIZED (
        SELECT * FROM json_to_recordset(${batch}::json) AS intent ("targetId" uuid, token uuid, prepared jsonb,
          now timestamptz, "leaseUntil" timestamptz)
        ORDER BY "targetId"
      ),
      -- One lookup for each in the order of the ids, so that batches of two processes never deadlock.
      locked AS MATERIALIZED (
        SELECT t.id, batch.* FROM batch CROSS JOIN LATERAL (
          SELECT id FROM post_targets WHERE id = batch."targetId" AND claim_token = batch.token FOR UPDATE) t
      )
      UPDATE post_targets t SET prepared = locked.prepared, resend_ordered = false, looks = 0,
        send_token = locked.token, reconcile_from = NULL, reconcile_until = NULL,
        sent_at = least(locked.now, clock_timestamp()), lease_until = locked."leaseUntil"
      FROM locked WHERE t.id = locked.id AND t.claim_token = locked.token
      RETURNING t.id AS "targetId", t.claim_token AS token`.unprepared
  })

  const beginSends = Effect.fnUntraced(function* (batch: Arr.NonEmptyReadonlyArray<typeof Intent.Type>) {
    const begun = yield* markSending(batch).pipe(withDatabaseTimeout("beginning to send"))
    return batch.map((intent) =>
      begun.some((each) => each.targetId === intent.targetId && each.token === intent.token)
        ? Exit.void
        : Exit.fail(new ClaimLost())
    )
  })

  const beginIntent = yield* makeGroupCommit(beginSends)

  const beginSend: Targets["beginSend"] = Effect.fnUntraced(function* (claim, prepared, lease) {
    const now = yield* DateTime.now
    const { targetId: id, token: held } = claim
    yield* beginIntent({ targetId: id, token: held, prepared, now, leaseUntil: DateTime.addDuration(now, lease) })
  })
  return beginSend
})
