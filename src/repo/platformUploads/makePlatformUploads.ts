import { DateTime, Duration, Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { ClaimLost } from "../../domain/errors.ts"
import { pollInterval } from "../../domain/pollInterval.ts"
import { TargetError } from "../../domain/posts/post.ts"
import { shownFrom, type UploadSettlement } from "../../domain/publishing/uploadPolicy.ts"
import { storeFailure, storeUploads } from "../../domain/publishing/storedUploads.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { heldUntil } from "../posts/postMedia.ts"
import { Timestamp } from "../postgres/rows.ts"
import { storable } from "../postgres/storable.ts"
import { dueChannel } from "../targets/dueChannel.ts"
import { makeUnclaim, releaseOf } from "../targets/release.ts"
import { makeClaimUploads } from "./claimUploads.ts"
import { makePostponeUpload } from "./postponeUpload.ts"
import { UploadClaim, type PlatformUploads } from "./PlatformUploads.ts"

const { part, postId, targetId, token, workspaceId } = UploadClaim.fields

const Key = { targetId, token, workspaceId, postId }

const Ended = Schema.Struct({ targetId })

const orLost = <E, R>(written: Effect.Effect<ReadonlyArray<unknown>, E, R>) =>
  Effect.flatMap(written, (rows) => (rows.length === 0 ? Effect.fail(new ClaimLost()) : Effect.void))

export const makePlatformUploads = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const unclaim = yield* makeUnclaim
  const postpone = yield* makePostponeUpload

  const holds = SqlSchema.findAll({
    Request: Schema.Struct({ targetId, token }),
    Result: Ended,
    execute: (claim) => sql`
      SELECT target_id AS "targetId" FROM post_target_uploads
      WHERE target_id = ${claim.targetId}::uuid AND claim_token = ${claim.token}::uuid`
  })

  // Posts are locked before targets.
  const end = SqlSchema.findAll({
    Request: Schema.Struct({
      ...Key,
      part,
      status: Schema.Literals(["ready", "failed"]),
      stored: Schema.NullOr(Schema.fromJsonString(Schema.Json)),
      later: Schema.NullOr(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Json))),
      error: Schema.NullOr(TargetError),
      now: Timestamp
    }),
    Result: Ended,
    execute: (ended) => sql`
      WITH held AS MATERIALIZED (
        SELECT id FROM posts WHERE workspace_id = ${ended.workspaceId}::uuid AND id = ${ended.postId}::uuid FOR UPDATE
      ), before AS MATERIALIZED (
        SELECT error_code IS NOT NULL AS failed FROM post_target_uploads WHERE target_id = ${ended.targetId}::uuid
      ), ended AS (
        UPDATE post_target_uploads SET status = ${ended.status}, claim_token = NULL, owner_id = NULL, lease_until = NULL, next_at = NULL,
          uploaded = NULL, error_code = ${ended.error?.code ?? null}, error_message = ${ended.error?.message ?? null}
        WHERE target_id = ${ended.targetId}::uuid AND claim_token = ${ended.token}::uuid AND EXISTS (SELECT FROM held)
        RETURNING target_id
      ), due AS (
        UPDATE post_targets t SET prepared = ${ended.stored}::jsonb, part_uploads = ${ended.later}::jsonb, due_at = t.due_since,
          -- Clears errors of earlier uploads. A platform's reason for refusing an upload stays until it accepts it.
          error_code = CASE WHEN NOT before.failed THEN t.error_code END,
          error_message = CASE WHEN NOT before.failed THEN t.error_message END,
          error_retryable = CASE WHEN NOT before.failed THEN t.error_retryable END
        FROM ended CROSS JOIN before
        -- The thread may have gone on in the interim: the next part has other files.
        WHERE t.id = ended.target_id AND t.status = 'pending' AND t.due_since IS NOT NULL AND t.sent_at IS NULL
          AND t.part = ${ended.part}::int
        RETURNING t.due_since
      )
      SELECT target_id AS "targetId", (SELECT pg_notify(${dueChannel}, '') FROM due
        WHERE due_since <= ${ended.now}::timestamptz + ${Duration.toSeconds(pollInterval)}::int * interval '1 second') AS woken
      FROM ended`
  })

  // Each repeated upload waits longer, because accepted media were refused afterward. An upload that has not begun may
  // have a time other than the post's, because the previous version moves only the post.
  const insertOrder = SqlSchema.void({
    Request: Schema.Struct({ targetId, now: Timestamp, reason: Schema.NullOr(Schema.String) }),
    execute: ({ now, reason, targetId: target }) => sql`
      WITH moment AS MATERIALIZED (
        SELECT least(${now}::timestamptz, clock_timestamp()) AS now
      ), repeated AS MATERIALIZED (
        SELECT ${reason}::text AS reason FROM post_target_uploads
        WHERE target_id = ${target}::uuid AND attempts >= ${shownFrom}::int AND ${reason}::text IS NOT NULL
      ), held AS (
        UPDATE post_targets t SET prepared = NULL, part_uploads = NULL, processing_since = NULL, due_at = ${heldUntil(sql, sql.literal("t.due_since"))},
          error_code = CASE WHEN EXISTS (SELECT FROM repeated) THEN 'unavailable' ELSE t.error_code END,
          error_message = coalesce((SELECT reason FROM repeated), t.error_message),
          error_retryable = CASE WHEN EXISTS (SELECT FROM repeated) THEN true ELSE t.error_retryable END
        WHERE t.id = ${target}::uuid AND t.status = 'pending' AND t.due_since IS NOT NULL
        RETURNING t.id, t.workspace_id, t.post_id, t.due_since
      )
      INSERT INTO post_target_uploads (workspace_id, target_id, status, start_at, next_at, revision)
      SELECT held.workspace_id, held.id, 'waiting', moment.now, moment.now, p.revision
      FROM moment, held JOIN posts p ON p.workspace_id = held.workspace_id AND p.id = held.post_id
      ON CONFLICT (target_id) DO UPDATE SET status = 'waiting', claim_token = NULL, owner_id = NULL, lease_until = NULL,
        next_at = excluded.next_at + least(greatest(post_target_uploads.attempts - 1, 0), 15) * interval '1 minute',
        uploaded = NULL, error_code = NULL, error_message = NULL
      WHERE post_target_uploads.status IN ('ready', 'failed')
        OR post_target_uploads.status = 'waiting' AND post_target_uploads.attempts = 0`
  })

  const order: PlatformUploads["order"] = Effect.fn("Repo.platformUploads.order")(function* (claim, reason) {
    yield* sql
      .withTransaction(
        Effect.gen(function* () {
          const released = yield* unclaim(releaseOf(claim))
          if (released.length === 0) return yield* new ClaimLost()
          yield* insertOrder({
            targetId: claim.targetId,
            now: yield* DateTime.now,
            reason: reason === null ? null : storable(reason)
          })
          yield* sql`SELECT pg_notify(${dueChannel}, '')`
        })
      )
      .pipe(withDatabaseTimeout("ordering the upload of a target"))
  })

  const write = (claim: UploadClaim, settlement: UploadSettlement, now: DateTime.Utc) => {
    switch (settlement._tag) {
      case "Uploaded": {
        const { later, uploads } = settlement
        const stored = uploads === null ? null : storeUploads(uploads)
        return end({ ...claim, status: "ready", stored, later, error: null, now })
      }
      case "Failed": {
        const error = { ...settlement.error, message: storable(settlement.error.message) }
        return end({ ...claim, status: "failed", stored: storeFailure(error), later: null, error, now })
      }
      case "Processing": {
        const begun = { _tag: "Replaced", begun: settlement.begun } as const
        return postpone({ ...claim, at: settlement.at, now, givesBack: 1, error: null, isShown: false, begun })
      }
      case "Retry": {
        const { at, beginsAnew, isShown } = settlement
        const error = { ...settlement.error, message: storable(settlement.error.message) }
        const begun = beginsAnew ? ({ _tag: "Replaced", begun: null } as const) : ({ _tag: "Kept" } as const)
        return postpone({ ...claim, at, now, givesBack: 0, error, isShown, begun })
      }
    }
  }

  const settle: PlatformUploads["settle"] = Effect.fn("Repo.platformUploads.settle")(function* (claim, settlement) {
    const written = write(claim, settlement, yield* DateTime.now)
    yield* written.pipe(orLost, withDatabaseTimeout("storing what became of an upload"))
  })

  const release: PlatformUploads["release"] = Effect.fn("Repo.platformUploads.release")(function* (claim) {
    const now = yield* DateTime.now
    yield* postpone({
      ...claim,
      at: now,
      now,
      error: null,
      isShown: false,
      givesBack: 1,
      begun: { _tag: "Kept" }
    }).pipe(orLost, withDatabaseTimeout("releasing an upload"))
  })

  const isHeld: PlatformUploads["isHeld"] = Effect.fn("Repo.platformUploads.isHeld")((claim) =>
    holds(claim).pipe(
      Effect.map((rows) => rows.length > 0),
      withDatabaseTimeout("checking the claim of an upload")
    )
  )

  return { ...(yield* makeClaimUploads), isHeld, settle, release, order } satisfies PlatformUploads
})
