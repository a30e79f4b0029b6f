import { DateTime, Effect, Schema, Struct } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { ClaimLost } from "../../domain/errors.ts"
import { TargetError, TargetStatus } from "../../domain/post.ts"
import { rollUp } from "../../domain/rollUp.ts"
import { holdsWithoutClaim, mayBePublished, ordersResend, type Settlement } from "../../domain/settlement.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { NullableTimestamp, Timestamp } from "../postgres/rows.ts"
import { Claim, SettledPost, type Targets } from "./Targets.ts"

const {
  accountId,
  platform,
  postId,
  reconcileFrom,
  reconcileUntil,
  resendOrdered,
  sentAt,
  targetId,
  token,
  workspaceId
} = Claim.fields

/** What a settlement writes to its target. */
const TargetChange = Schema.Struct({
  status: TargetStatus,
  dueAt: NullableTimestamp,
  error: Schema.NullOr(TargetError),
  platformPostId: Schema.NullOr(Schema.String),
  url: Schema.NullOr(Schema.String)
})

const changeFor = (settlement: Settlement): typeof TargetChange.Type => {
  switch (settlement._tag) {
    case "Published":
      return { status: "published", dueAt: null, error: null, ...settlement.publication }
    case "Retry":
      return { status: "pending", dueAt: settlement.at, error: settlement.error, platformPostId: null, url: null }
    case "Failed":
      return { status: "failed", dueAt: null, error: settlement.error, platformPostId: null, url: null }
  }
}

export const makeSettle = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const writeTarget = SqlSchema.findOne({
    Request: Schema.Struct({
      ...TargetChange.fields,
      platform,
      workspaceId,
      postId,
      targetId,
      token,
      sentAt,
      resendOrdered,
      reconcileFrom,
      reconcileUntil,
      publishedAt: NullableTimestamp,
      mayBePublished: Schema.Boolean,
      ordersResend: Schema.Boolean,
      otherVersion: Schema.Boolean,
      holdsWithoutClaim: Schema.Boolean,
      isRecognized: Schema.Boolean,
      accountId,
      now: Timestamp
    }),
    Result: Schema.Struct({ id: targetId }),
    execute: ({ error, ...target }) => sql`
      -- The post is locked first, as in the other transactions, so that settlements of two targets of one post
      -- are serialized and each rolls up what the other wrote.
      WITH post AS MATERIALIZED (
        SELECT id, status FROM posts WHERE workspace_id = ${target.workspaceId}::uuid AND id = ${target.postId}::uuid FOR UPDATE
      )
      UPDATE post_targets t SET status = ${target.status}, claim_token = NULL, lease_until = NULL,
        -- A delay was counted from this process's clock: where that is ahead of the database's, the difference would be
        -- added to the delay. The end of a rate limit is a time that the platform set.
        due_at = ${target.dueAt}::timestamptz - CASE WHEN ${error?.code === "rate_limited"}::boolean THEN interval '0'
          ELSE greatest(${target.now}::timestamptz - clock_timestamp(), interval '0') END,
        due_since = CASE WHEN ${target.dueAt !== null}::boolean THEN t.due_since END,
        published_at = ${target.publishedAt}::timestamptz,
        platform_post_id = ${target.platformPostId}::text, platform_post_url = ${target.url}::text,
        -- What was certainly not sent leaves an earlier unknown outcome as the claim found it, or as it was marked since.
        sent_at = CASE WHEN ${target.mayBePublished}::boolean THEN t.sent_at ELSE ${target.sentAt}::timestamptz END,
        reconcile_from = coalesce(t.reconcile_from,
          CASE WHEN NOT ${target.mayBePublished}::boolean THEN ${target.reconcileFrom}::timestamptz END),
        reconcile_until = coalesce(t.reconcile_until,
          CASE WHEN NOT ${target.mayBePublished}::boolean THEN ${target.reconcileUntil}::timestamptz END),
        resend_ordered = ${target.ordersResend}::boolean OR
          CASE WHEN ${target.mayBePublished}::boolean THEN t.resend_ordered ELSE ${target.resendOrdered}::boolean END,
        -- Whoever has the post sent again after this knows of the other version.
        other_version_at = coalesce(t.other_version_at,
          CASE WHEN ${target.otherVersion}::boolean THEN least(${target.now}::timestamptz, clock_timestamp()) END),
        -- Nobody reads it of a published target, and it is most of the row.
        prepared = CASE WHEN ${target.status} = 'published' AND t.prepared IS NOT NULL THEN '{}' ELSE t.prepared END,
        reconcile_text = CASE WHEN NOT ${target.otherVersion}::boolean THEN t.reconcile_text END,
        error_code = ${error?.code ?? null}::text, error_message = ${error?.message ?? null}::text,
        error_retryable = ${error?.retryable ?? null}::boolean
      FROM post WHERE t.post_id = post.id AND t.id = ${target.targetId}::uuid
        AND (t.claim_token = ${target.token}::uuid
          -- Without the claim, only over what is less certain: a rejection not over a post that a person has changed, nor twice.
          OR ${target.holdsWithoutClaim}::boolean AND t.send_token = ${target.token}::uuid AND t.status <> 'published'
            AND (${target.status === "published"}::boolean
              OR post.status IN ('publishing', 'failed') AND t.error_code IS DISTINCT FROM 'rejected'))
        AND NOT (${target.isRecognized}::boolean AND (
          EXISTS (SELECT FROM post_targets other JOIN integrations i ON i.id = other.integration_id
            WHERE other.platform = ${target.platform} AND other.platform_post_id = ${target.platformPostId}::text
              AND coalesce(other.account_id, i.account_id) = ${target.accountId} AND other.id <> t.id)
          OR EXISTS (SELECT FROM deleted_targets d WHERE d.platform = ${target.platform}
            AND d.account_id = ${target.accountId} AND d.platform_post_id = ${target.platformPostId}::text)))
      RETURNING t.id`
  })

  const lockPlatformPost = (platformPostId: string) =>
    sql`SELECT pg_advisory_xact_lock(hashtextextended(${platformPostId}::text, 0))`

  const findTargets = SqlSchema.findAll({
    Request: Schema.Struct({ workspaceId, postId }),
    Result: Schema.Struct({ platform, status: TargetStatus, error: Schema.NullOr(TargetError) }),
    execute: (post) => sql`
      SELECT platform, status, CASE WHEN error_code IS NOT NULL THEN jsonb_build_object(
          'code', error_code, 'message', error_message, 'retryable', error_retryable) END AS error
      FROM post_targets WHERE workspace_id = ${post.workspaceId}::uuid AND post_id = ${post.postId}::uuid
      ORDER BY position`
  })

  const writePost = SqlSchema.findOne({
    Request: Schema.Struct({
      workspaceId,
      postId,
      status: SettledPost.fields.status,
      publishedAt: NullableTimestamp
    }),
    Result: SettledPost.mapFields(Struct.omit(["targets"])),
    execute: (post) => sql`
      -- The outcome of a lost claim can find a post that was made a draft or scheduled again, and waits for its other targets.
      UPDATE posts SET
        status = CASE WHEN ${post.status === "publishing"}::boolean AND status IN ('draft', 'scheduled') THEN status
          ELSE ${post.status} END,
        scheduled_at = CASE WHEN ${post.publishedAt !== null}::boolean
          THEN coalesce(scheduled_at, ${post.publishedAt}::timestamptz) ELSE scheduled_at END,
        published_at = ${post.publishedAt}::timestamptz
      WHERE workspace_id = ${post.workspaceId}::uuid AND id = ${post.postId}::uuid
      RETURNING workspace_id AS "workspaceId", id AS "postId", status, content`
  })

  const settle: Targets["settle"] = Effect.fn("Repo.targets.settle")((claim, settlement) =>
    sql
      .withTransaction(
        Effect.gen(function* () {
          const now = yield* DateTime.now
          const change = changeFor(settlement)
          const recognized = settlement._tag === "Published" && settlement.publication.recognized === true
          // Of two targets that recognize one post at once, the second sees what the first has written.
          if (recognized) yield* lockPlatformPost(change.platformPostId ?? "")
          const publishedAt = change.status === "published" ? now : null
          yield* writeTarget({
            ...claim,
            ...change,
            publishedAt,
            mayBePublished: mayBePublished(settlement),
            ordersResend: ordersResend(settlement),
            otherVersion: settlement._tag === "Failed" && settlement.otherVersion === true,
            holdsWithoutClaim: holdsWithoutClaim(settlement, claim.sentAt !== null),
            isRecognized: recognized,
            now
          }).pipe(Effect.catchTag("NoSuchElementError", () => new ClaimLost()))
          const targets = yield* findTargets(claim)
          const status = rollUp(targets.map((target) => target.status))
          const post = yield* writePost({
            ...claim,
            status,
            publishedAt: status === "published" ? now : null
          }).pipe(Effect.catchTag("NoSuchElementError", Effect.die))
          return { ...post, targets }
        })
      )
      .pipe(withDatabaseTimeout("settling a target"))
  )
  return settle
})
