import { DateTime, Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { ClaimLost } from "../../domain/errors.ts"
import { PostId, WorkspaceId } from "../../domain/ids.ts"
import { LivePlatform } from "../../domain/platform.ts"
import { PostStatus, TargetError, TargetStatus } from "../../domain/post.ts"
import { rollUp } from "../../domain/rollUp.ts"
import { mayBePublished, type Settlement } from "../../domain/settlement.ts"
import { orUnavailable } from "../postgres/query.ts"
import type { Claim, Targets } from "./targets.ts"

const TargetRow = Schema.Struct({
  platform: LivePlatform,
  status: TargetStatus,
  error: Schema.NullOr(TargetError)
})

const SettledRow = Schema.Struct({
  workspaceId: WorkspaceId,
  postId: PostId,
  status: PostStatus,
  content: Schema.String
})

interface TargetChange {
  readonly status: TargetStatus
  readonly dueAt: DateTime.Utc | null
  readonly error: TargetError | null
  readonly publication: { readonly platformPostId: string | null; readonly url: string | null } | null
}

const changeOf = (settlement: Settlement): TargetChange => {
  switch (settlement._tag) {
    case "Published":
      return { status: "published", dueAt: null, error: null, publication: settlement.publication }
    case "Retry":
      return {
        status: "pending",
        dueAt: settlement.at,
        error: settlement.error,
        publication: null
      }
    case "Failed":
      return {
        status: "failed",
        dueAt: null,
        error: settlement.error,
        publication: null
      }
  }
}

export const makeSettle = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  /**
   * The post is locked first, as everywhere, so that settlements of two targets of one post follow each other. A wait
   * was counted from this process's clock; where that runs ahead of the database's, the wait is not longer by as much.
   * When a rate limit ends is the platform's word.
   */
  const writeTarget = (claim: Claim, settlement: Settlement, now: Date) => {
    const change = changeOf(settlement)
    const sent = mayBePublished(settlement)
    return sql`WITH post AS MATERIALIZED (
        SELECT id FROM posts WHERE workspace_id = ${claim.workspaceId}::uuid AND id = ${claim.postId}::uuid FOR UPDATE
      )
      UPDATE post_targets t SET status = ${change.status}, claim_token = NULL, lease_until = NULL,
        due_at = ${change.dueAt === null ? null : DateTime.toDateUtc(change.dueAt)}::timestamptz
          - CASE WHEN ${change.error?.code === "rate_limited"}::boolean THEN interval '0'
            ELSE greatest(${now}::timestamptz - clock_timestamp(), interval '0') END,
        due_since = CASE WHEN ${change.dueAt !== null}::boolean THEN t.due_since END,
        published_at = ${change.status === "published" ? now : null}::timestamptz,
        platform_post_id = ${change.publication?.platformPostId ?? null}::text,
        platform_post_url = ${change.publication?.url ?? null}::text,
        sent_at = CASE WHEN ${sent}::boolean THEN t.sent_at
          ELSE ${claim.sentAt === null ? null : DateTime.toDateUtc(claim.sentAt)}::timestamptz END,
        resend_ordered = CASE WHEN ${sent}::boolean THEN t.resend_ordered ELSE ${claim.resendOrdered}::boolean END,
        error_code = ${change.error?.code ?? null}::text,
        error_message = ${change.error?.message ?? null}::text,
        error_retryable = ${change.error?.retryable ?? null}::boolean
      FROM post WHERE t.post_id = post.id AND t.id = ${claim.targetId}::uuid AND t.claim_token = ${claim.token}::uuid
      RETURNING t.id`
  }

  const readTargets = (claim: Claim) =>
    SqlSchema.findAll({
      Request: Schema.Void,
      Result: TargetRow,
      execute: () =>
        sql`SELECT platform, status, CASE WHEN error_code IS NOT NULL THEN jsonb_build_object(
            'code', error_code, 'message', error_message, 'retryable', error_retryable) END AS error
          FROM post_targets WHERE workspace_id = ${claim.workspaceId}::uuid AND post_id = ${claim.postId}::uuid ORDER BY position`
    })(undefined)

  const writePost = (claim: Claim, status: PostStatus, now: Date) =>
    SqlSchema.findOne({
      Request: Schema.Void,
      Result: SettledRow,
      execute: () =>
        sql`UPDATE posts SET status = ${status}, published_at = ${status === "published" ? now : null}::timestamptz
          WHERE workspace_id = ${claim.workspaceId}::uuid AND id = ${claim.postId}::uuid
          RETURNING workspace_id AS "workspaceId", id AS "postId", status, content`
    })(undefined).pipe(Effect.catchTag("NoSuchElementError", Effect.die))

  const settle: Targets["settle"] = Effect.fn("Repo.targets.settle")((claim, settlement) =>
    sql
      .withTransaction(
        Effect.gen(function* () {
          const now = DateTime.toDateUtc(yield* DateTime.now)
          const written = yield* writeTarget(claim, settlement, now)
          if (written.length === 0) return yield* new ClaimLost()
          const targets = yield* readTargets(claim)
          const post = yield* writePost(claim, rollUp(targets.map((target) => target.status)), now)
          return { ...post, targets }
        })
      )
      .pipe(orUnavailable("settling a target"))
  )
  return settle
})
