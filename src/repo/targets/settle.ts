import { type Array as Arr, DateTime, Effect, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { ClaimLost } from "../../domain/errors.ts"
import { TargetError, TargetStatus } from "../../domain/posts/post.ts"
import {
  holdsWithoutClaim,
  isRecognized,
  mayBePublished,
  ordersResend,
  type Settlement
} from "../../domain/publishing/settlement.ts"
import { onDatabaseClock } from "../postgres/databaseClock.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { JsonTime, NullableJsonTime } from "../postgres/rows.ts"
import { storable } from "../postgres/storable.ts"
import { recognizedByText } from "./deletedTargets.ts"
import { makeRollUpPosts } from "./rollUpPosts.ts"
import { Claim, type SettlementOfClaim, type Targets } from "./Targets.ts"

const { accountId, platform, postId, resendOrdered, targetId, token, workspaceId } = Claim.fields

/** What a settlement writes to its target, and on what conditions. */
const TargetChange = Schema.Struct({
  workspaceId,
  postId,
  targetId,
  token,
  platform,
  accountId,
  now: JsonTime,
  status: TargetStatus,
  dueAt: NullableJsonTime,
  publishedAt: NullableJsonTime,
  platformPostId: Schema.NullOr(Schema.String),
  url: Schema.NullOr(Schema.String),
  errorCode: Schema.NullOr(TargetError.fields.code),
  errorMessage: Schema.NullOr(Schema.String),
  errorRetryable: Schema.NullOr(Schema.Boolean),
  // What the claim found.
  sentAt: NullableJsonTime,
  resendOrdered,
  reconcileFrom: NullableJsonTime,
  reconcileUntil: NullableJsonTime,
  mayBePublished: Schema.Boolean,
  ordersResend: Schema.Boolean,
  otherVersion: Schema.Boolean,
  holdsWithoutClaim: Schema.Boolean,
  isRecognized: Schema.Boolean
})

/** The columns of a target that say what it came to. */
export const outcomeOf = (settlement: Settlement) => {
  switch (settlement._tag) {
    case "Published":
      return { status: "published", dueAt: null, error: null, ...settlement.publication } as const
    case "Retry":
      return {
        status: "pending",
        dueAt: settlement.at,
        error: settlement.error,
        platformPostId: null,
        url: null
      } as const
    case "Failed":
      return { status: "failed", dueAt: null, error: settlement.error, platformPostId: null, url: null } as const
  }
}

const changeFor = ({ claim, settlement }: SettlementOfClaim, now: DateTime.Utc): typeof TargetChange.Type => {
  const { error, platformPostId, url, ...outcome } = outcomeOf(settlement)
  return {
    ...claim,
    ...outcome,
    now,
    publishedAt: outcome.status === "published" ? now : null,
    // What a platform says has no rules, and its outcome has to be stored.
    platformPostId: platformPostId === null ? null : storable(platformPostId),
    url: url === null ? null : storable(url),
    errorCode: error?.code ?? null,
    errorMessage: error === null ? null : storable(error.message),
    errorRetryable: error?.retryable ?? null,
    mayBePublished: mayBePublished(settlement),
    ordersResend: ordersResend(settlement),
    otherVersion: settlement._tag === "Failed" && settlement.otherVersion === true,
    holdsWithoutClaim: holdsWithoutClaim(settlement, claim.sentAt !== null),
    isRecognized: isRecognized(settlement)
  }
}

const literals = (values: ReadonlyArray<string>): string => values.map((value) => `'${value}'`).join(", ")

/** The columns of TargetChange as `json_to_recordset` reads them. */
const changeColumns = `"workspaceId" uuid, "postId" uuid, "targetId" uuid, token uuid, platform text, "accountId" text,
  now timestamptz, status text, "dueAt" timestamptz, "publishedAt" timestamptz, "platformPostId" text, url text,
  "errorCode" text, "errorMessage" text, "errorRetryable" boolean, "sentAt" timestamptz, "resendOrdered" boolean,
  "reconcileFrom" timestamptz, "reconcileUntil" timestamptz, "mayBePublished" boolean, "ordersResend" boolean,
  "otherVersion" boolean, "holdsWithoutClaim" boolean, "isRecognized" boolean`

export const makeSettle = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rollUpPosts = yield* makeRollUpPosts

  const writeTargets = SqlSchema.findAll({
    Request: Schema.fromJsonString(Schema.Array(TargetChange)),
    Result: Schema.Struct({ targetId, token, workspaceId, postId }),
    execute: (batch) =>
      sql`
      WITH batch AS MATERIALIZED (
        SELECT * FROM json_to_recordset(${batch}::json) AS change (${sql.literal(changeColumns)})
      ),
      -- The posts are locked first, as in the other transactions, so that settlements of two targets of one post
      -- are serialized and each rolls up what the other wrote; and in the order of their ids, one lookup for each.
      held AS MATERIALIZED (
        SELECT p.id, p.status FROM (SELECT DISTINCT "workspaceId", "postId" FROM batch ORDER BY "postId") b
        CROSS JOIN LATERAL (
          SELECT id, status FROM posts WHERE workspace_id = b."workspaceId" AND id = b."postId" FOR UPDATE) p
      ),
      -- Then the targets in theirs, as where sending begins.
      found AS MATERIALIZED (
        SELECT b.* FROM (
          SELECT batch.*, held.status AS post_status FROM batch JOIN held ON held.id = batch."postId" ORDER BY "targetId") b
        CROSS JOIN LATERAL (
          SELECT id FROM post_targets WHERE id = b."targetId" AND post_id = b."postId" FOR UPDATE) t
      )
      UPDATE post_targets t SET status = s.status, claim_token = NULL, lease_until = NULL,
        due_at = ${onDatabaseClock(sql, sql.literal('s."dueAt"'), sql.literal("s.now"))},
        due_since = CASE WHEN s."dueAt" IS NOT NULL THEN t.due_since END,
        published_at = s."publishedAt", platform_post_id = s."platformPostId", platform_post_url = s.url,
        -- What was certainly not sent leaves an earlier unknown outcome as the claim found it, or as it was marked since.
        sent_at = CASE WHEN s."mayBePublished" THEN t.sent_at ELSE s."sentAt" END,
        reconcile_from = coalesce(t.reconcile_from, CASE WHEN NOT s."mayBePublished" THEN s."reconcileFrom" END),
        reconcile_until = coalesce(t.reconcile_until, CASE WHEN NOT s."mayBePublished" THEN s."reconcileUntil" END),
        resend_ordered = s."ordersResend" OR
          CASE WHEN s."mayBePublished" THEN t.resend_ordered ELSE s."resendOrdered" END,
        -- Whoever has the post sent again after this knows of the other version.
        other_version_at = coalesce(t.other_version_at,
          CASE WHEN s."otherVersion" THEN least(s.now, clock_timestamp()) END),
        -- Nobody reads it of a published target, and it is most of the row.
        prepared = CASE WHEN s.status = 'published' AND t.prepared IS NOT NULL THEN '{}' ELSE t.prepared END,
        reconcile_text = CASE WHEN NOT s."otherVersion" THEN t.reconcile_text END,
        error_code = s."errorCode", error_message = s."errorMessage", error_retryable = s."errorRetryable"
      -- By their ids, however many the planner expects and however small the table was when it was last analyzed.
      FROM found s WHERE t.id = s."targetId" AND t.id = ANY(ARRAY(SELECT "targetId" FROM found))
        AND (t.claim_token = s.token
          -- Without the claim, only over what is less certain: a rejection not over a post that a person has changed, nor twice.
          OR s."holdsWithoutClaim" AND t.send_token = s.token AND t.status <> 'published'
            AND (s.status = 'published'
              OR s.post_status IN ('publishing', 'failed') AND t.error_code IS DISTINCT FROM 'rejected'))
        AND NOT (s."isRecognized" AND (
          -- OFFSET 0 has them looked up by their indexes, instead of hashed in full. The first one is X's alone, which a kept
          -- plan knows of a literal only.
          EXISTS (SELECT FROM post_targets other JOIN integrations i ON i.id = other.integration_id
            WHERE other.platform IN (${sql.literal(literals(recognizedByText))}) AND other.platform = s.platform
              AND other.platform_post_id = s."platformPostId"
              AND coalesce(other.account_id, i.account_id) = s."accountId" AND other.id <> t.id OFFSET 0)
          OR EXISTS (SELECT FROM deleted_targets d WHERE d.platform = s.platform
            AND d.account_id = s."accountId" AND d.platform_post_id = s."platformPostId" OFFSET 0)))
      RETURNING t.id AS "targetId", s.token, t.workspace_id AS "workspaceId", t.post_id AS "postId"`
  })

  const lockPlatformPost = (platformPostId: string) =>
    sql`SELECT pg_advisory_xact_lock(hashtextextended(${platformPostId}::text, 0))`

  const writeBatch = Effect.fnUntraced(function* (batch: Arr.NonEmptyReadonlyArray<SettlementOfClaim>) {
    const now = yield* DateTime.now
    const changes = batch.map((each) => changeFor(each, now))
    // The second of two targets that recognize one post at once sees what the first has written.
    const recognized = changes.flatMap((change) => (change.isRecognized ? [change.platformPostId ?? ""] : []))
    yield* Effect.forEach(recognized.toSorted(), lockPlatformPost, { discard: true })
    const written = yield* writeTargets(changes)
    const lost = batch.flatMap(({ claim }) =>
      written.some((each) => each.targetId === claim.targetId && each.token === claim.token) ? [] : [claim]
    )
    if (written.length === 0) return { lost, posts: [] }

    const keys = [...new Map(written.map((each) => [each.postId, each])).values()]
    return { lost, posts: yield* rollUpPosts(keys, now) }
  })

  /** Joins a surrounding transaction without a savepoint, which would take two round trips: what fails here fails that one. */
  const inTransaction = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.flatMap(Effect.serviceOption(sql.transactionService), (surrounding) =>
      Option.isSome(surrounding) ? effect : sql.withTransaction(effect)
    )

  const settleAll: Targets["settleAll"] = Effect.fn("Repo.targets.settleAll")((batch) =>
    inTransaction(writeBatch(batch)).pipe(withDatabaseTimeout("settling targets"))
  )

  const settle: Targets["settle"] = Effect.fnUntraced(function* (claim, settlement) {
    const { posts } = yield* settleAll([{ claim, settlement }])
    const [post] = posts
    return post ?? (yield* new ClaimLost())
  })
  return { settle, settleAll }
})
