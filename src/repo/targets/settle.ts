import { type Array as Arr, DateTime, Effect, Option, Schema } from "effect"
import { SqlClient, SqlSchema, type Statement } from "effect/sql"
import { ClaimLost } from "../../domain/errors.ts"
import { awaitsAddress, isRecognized, publicationOf } from "../../domain/publishing/settlement.ts"
import { onDatabaseClock } from "../postgres/databaseClock.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { isBegun, PipelinedConnection, PipelinedTransaction } from "../postgres/pipelinedTransaction.ts"
import { makeOrderAddress } from "./addresses.ts"
import { nextUploads, withPart } from "./publishedParts.ts"
import { isRecognizedAlone, makeLockRecognized, recognizingPlatforms } from "./recognized.ts"
import { makeRollUpPosts, rolledUp } from "./rollUpPosts.ts"
import { changeColumns, changeFor } from "./targetChange.ts"
import { Claim, type SettlementOfClaim, type Targets } from "./Targets.ts"

const { postId, targetId, token, workspaceId } = Claim.fields

export const makeSettle = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const orderAddress = yield* makeOrderAddress
  const lockRecognized = makeLockRecognized(sql)
  const { readPosts, rollUpPosts, writePosts } = yield* makeRollUpPosts
  const inPipelinedTransaction = yield* PipelinedTransaction
  const { open: openSettling } = yield* PipelinedConnection

  const toDatabaseClock = onDatabaseClock(sql, sql.literal('s."dueAt"'), sql.literal("s.now"))

  const makeWriteTargets = (onCondition: Statement.Fragment) =>
    SqlSchema.findAll({
      Request: Schema.String,
      Result: Schema.Struct({ targetId, token, workspaceId, postId }),
      execute: (batch) =>
        sql`
      WITH batch AS MATERIALIZED (
        SELECT * FROM jsonb_to_recordset(${batch}::jsonb) AS change (${sql.literal(changeColumns)})
      ),
      -- The posts are locked first, as in the other transactions: settlements of two targets of one post are
      -- serialized, and each rolls up what the other wrote. One lookup for each, in the order of the ids.
      held AS MATERIALIZED (
        SELECT p.id, p.status FROM (SELECT DISTINCT "workspaceId", "postId" FROM batch ORDER BY "postId") b
        CROSS JOIN LATERAL (
          SELECT id, status FROM posts WHERE workspace_id = b."workspaceId" AND id = b."postId" FOR UPDATE) p
      ),
      found AS MATERIALIZED (
        SELECT b.* FROM (
          SELECT batch.*, held.status AS post_status FROM batch JOIN held ON held.id = batch."postId" ORDER BY "targetId") b
        CROSS JOIN LATERAL (
          SELECT id FROM post_targets WHERE id = b."targetId" AND post_id = b."postId" FOR UPDATE) t
      )
      UPDATE post_targets t SET claim_token = NULL, lease_until = NULL,
        -- A thread that was given up in the interim does not go on by itself.
        status = CASE WHEN s."continues" AND t.status = 'failed' THEN 'failed' ELSE s.status END,
        -- Due when the target was, or after its pause. A target that was postponed or made a draft in the interim stays
        -- so.
        due_at = CASE WHEN s."continues" AND t.due_at IS NULL THEN NULL
          WHEN s."continues" AND s."dueAt" IS NULL
            THEN least(t.due_at, greatest(t.due_since, least(s.now, clock_timestamp())))
          WHEN s."continues" THEN greatest(t.due_since, ${toDatabaseClock})
          ELSE ${toDatabaseClock} END,
        -- Each part of a thread has a day of its own. After a restore, a part that was due before is looked for.
        due_since = CASE WHEN s."continues" AND t.due_since IS NOT NULL AND t.reconcile_from IS NULL
            THEN greatest(t.due_since, least(s.now, clock_timestamp()))
          WHEN s."continues" OR s."dueAt" IS NOT NULL THEN t.due_since END,
        published_at = s."publishedAt",
        platform_post_id = CASE WHEN s.status = 'published' AND t.part > 1 THEN t.parts -> 0 ->> 'id' ELSE s."platformPostId" END,
        platform_post_url = CASE WHEN s.status = 'published' AND t.part > 1 THEN t.parts -> 0 ->> 'url' ELSE s.url END,
        -- A thread begins with its first part, even if that part's outcome is unknown.
        begun_at = CASE WHEN s."isThread" AND (s."continues" OR s."mayBePublished" OR s."sentAt" IS NOT NULL)
          THEN coalesce(t.begun_at, clock_timestamp()) ELSE t.begun_at END,
        part = t.part + s."continues"::int,
        parts = CASE WHEN s."isOut" AND s."isThread"
          THEN ${withPart(sql, { id: 's."outId"', cid: 's."outCid"', url: 's."outUrl"', now: "s.now" })} ELSE t.parts END,
        part_ids = CASE WHEN s."isOut" AND s."isThread" AND s."outId" IS NOT NULL
            AND s.platform IN (${sql.literal(recognizingPlatforms)})
          THEN array_append(t.part_ids, s."outId") ELSE t.part_ids END,
        part_uploads = CASE WHEN s."continues" THEN t.part_uploads - (t.part + 1)::text
          WHEN s.status <> 'published' THEN t.part_uploads END,
        attempts = CASE WHEN s."continues" THEN 0 ELSE t.attempts - s."isUncounted"::int END,
        -- A post that the platform is processing was not missing.
        looks = CASE WHEN s."continues" THEN 0 WHEN s."mayBePublished" AND NOT s."isProcessing" THEN t.looks ELSE s.looks END,
        send_token = CASE WHEN NOT s."continues" THEN t.send_token END,
        -- If this send certainly did not happen, an earlier unknown outcome stays as the claim found it, or as it was
        -- marked since.
        sent_at = CASE WHEN s."continues" THEN NULL WHEN s."mayBePublished" THEN t.sent_at ELSE s."sentAt" END,
        reconcile_from = coalesce(t.reconcile_from, CASE WHEN NOT s."mayBePublished" THEN s."reconcileFrom" END),
        reconcile_until = coalesce(t.reconcile_until, CASE WHEN NOT s."mayBePublished" THEN s."reconcileUntil" END),
        resend_ordered = s."ordersResend" OR
          CASE WHEN s."continues" THEN false WHEN s."mayBePublished" THEN t.resend_ordered ELSE s."resendOrdered" END,
        -- A person who has the post sent again after this knows of the other version.
        other_version_at = coalesce(t.other_version_at,
          CASE WHEN s."otherVersion" THEN least(s.now, clock_timestamp()) END),
        -- Unused once a target is published, and it is most of the row.
        prepared = CASE WHEN s."continues" THEN ${nextUploads(sql)}
          WHEN s.begun IS NOT NULL THEN s.begun
          WHEN s.status = 'published' AND t.prepared IS NOT NULL THEN '{}' ELSE t.prepared END,
        processing_since = CASE WHEN s."isProcessing" THEN coalesce(t.processing_since, least(s.now, clock_timestamp()))
          WHEN s.status = 'pending' AND NOT s."continues" THEN t.processing_since END,
        reconcile_text = CASE WHEN NOT s."otherVersion" AND NOT s."continues" THEN t.reconcile_text END,
        error_code = CASE WHEN s."continues" AND t.status = 'failed' THEN s."restUnsent" ->> 'code' ELSE s."errorCode" END,
        error_message = CASE WHEN s."continues" AND t.status = 'failed'
          THEN s."restUnsent" ->> 'message' ELSE s."errorMessage" END,
        error_retryable = CASE WHEN s."continues" AND t.status = 'failed'
          THEN (s."restUnsent" ->> 'retryable')::boolean ELSE s."errorRetryable" END
      -- By their ids, however many the planner expects and however small the table was when it was last analyzed.
      FROM found s WHERE t.id = s."targetId" AND t.id = ANY(ARRAY(SELECT "targetId" FROM found))
        AND t.part = s.part AND (t.claim_token = s.token
          -- Without the claim, it may overwrite only what is less certain: a rejection is not written over a post that
          -- a person has changed, nor twice. Nor while another attempt holds the claim and may repeat the post under
          -- its key: that attempt does not check its claim again.
          OR s."holdsWithoutClaim" AND t.send_token = s.token AND t.status <> 'published'
            AND (s."isOut"
              OR s.post_status IN ('publishing', 'failed') AND t.error_code IS DISTINCT FROM 'rejected'
                AND (t.claim_token IS NULL OR s.platform IN (${sql.literal(recognizingPlatforms)}))))
        AND ${onCondition}
      RETURNING t.id AS "targetId", s.token, t.workspace_id AS "workspaceId", t.post_id AS "postId"`
    })

  /**
   * Separate statements without and with recognition. Its search costs more as the table grows, so PostgreSQL would
   * plan again while earlier plans look cheaper. The third statement follows a `BEGIN`.
   */
  const writeTargets = makeWriteTargets(sql.literal("true"))
  const writeRecognized = makeWriteTargets(isRecognizedAlone(sql))
  const writePipelined = makeWriteTargets(sql.literal(isBegun))

  /**
   * Joins a surrounding transaction without a savepoint, which would take two round trips. A failure here fails that
   * transaction.
   */
  const inTransaction = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.flatMap(Effect.serviceOption(sql.transactionService), (surrounding) =>
      Option.isSome(surrounding) ? effect : sql.withTransaction(effect)
    )

  const writeOne = Effect.fnUntraced(function* (settled: SettlementOfClaim) {
    const now = yield* DateTime.now
    const change = changeFor(settled, DateTime.formatIso(now))
    if (change.isRecognized) yield* lockRecognized(change.outId)
    // Must precede the write that clears what was sent.
    if (awaitsAddress(settled.settlement)) {
      const foundBy = publicationOf(settled.settlement)?.foundBy
      yield* orderAddress({ ...change, foundBy: foundBy === undefined ? null : JSON.stringify(foundBy) })
    }
    const written = yield* (change.isRecognized ? writeRecognized : writeTargets)(JSON.stringify([change]))
    if (written.length === 0) return yield* new ClaimLost()
    const [post] = yield* rollUpPosts(written, now)
    return post ?? (yield* new ClaimLost())
  })

  const settle: Targets["settle"] = Effect.fn("Repo.targets.settle")((claim, settlement) =>
    inTransaction(writeOne({ claim, settlement })).pipe(withDatabaseTimeout("settling a target"))
  )

  const writeAll = Effect.fnUntraced(function* (
    batch: Arr.NonEmptyReadonlyArray<SettlementOfClaim>,
    record: Parameters<Targets["settleAll"]>[1]
  ) {
    if (batch.some(({ settlement }) => isRecognized(settlement) || awaitsAddress(settlement)))
      return yield* Effect.die(new Error("A target that recognized its post, or awaits its address, is settled alone"))
    const now = yield* DateTime.now
    const time = DateTime.formatIso(now)
    // Includes posts of claims that may turn out to be lost.
    const keys = [...new Map(batch.map(({ claim }) => [claim.postId, claim])).values()]
    const [written, posts] = yield* Effect.all(
      [writePipelined(JSON.stringify(batch.map((each) => changeFor(each, time)))), readPosts(keys)],
      { concurrency: "unbounded" }
    )
    const tokens = new Map(written.map((each) => [each.targetId, each.token]))
    const lost = batch.flatMap(({ claim }) => (tokens.get(claim.targetId) === claim.token ? [] : [claim]))
    const changed = new Set(written.map((each) => each.postId))
    const settled = { lost, posts: posts.filter(({ postId: id }) => changed.has(id)).map(rolledUp) }
    if (written.length > 0) {
      yield* Effect.all([writePosts(settled.posts, now), record(settled)], { concurrency: "unbounded", discard: true })
    }
    return settled
  })

  const settleAll: Targets["settleAll"] = Effect.fn("Repo.targets.settleAll")((batch, record) =>
    inPipelinedTransaction(writeAll(batch, record)).pipe(withDatabaseTimeout("settling targets"))
  )

  // Locking a row is a write: its commit waits for the disk, and a read-only database refuses it. The lock delays no
  // renewal of the lease, and waits for nobody.
  const probeSettling = inPipelinedTransaction(
    sql`SELECT FROM processes ORDER BY lease_until DESC LIMIT 1 FOR KEY SHARE SKIP LOCKED`
  ).pipe(Effect.asVoid, withDatabaseTimeout("checking that outcomes can be stored"))

  return { openSettling, probeSettling, settle, settleAll }
})
