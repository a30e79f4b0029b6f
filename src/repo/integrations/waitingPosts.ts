import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema, type Statement } from "effect/sql"
import { WaitingPosts } from "../../domain/accounts/accountChange.ts"
import { IntegrationId, WorkspaceId } from "../../domain/ids.ts"
import { LivePlatform } from "../../domain/platform.ts"

/** `from` and `to` are account ids on the platform. */
export const AccountMove = Schema.Struct({
  workspaceId: WorkspaceId,
  integrationId: IntegrationId,
  platform: LivePlatform,
  from: Schema.String,
  to: Schema.String
})
export type AccountMove = typeof AccountMove.Type

const OwnPosts = AccountMove.mapFields(({ integrationId, platform, workspaceId }) => ({
  workspaceId,
  integrationId,
  platform,
  accountId: Schema.String
}))
type OwnPosts = typeof OwnPosts.Type

/**
 * True if target `t` of post `p` was certainly not sent, and is for an account other than `to`. After a restore or a
 * gap between leases, an unknown process may have sent it, unless its post is a draft. A begun thread stays with its
 * account. Targets from the previous version belong to the connected account.
 */
export const waits = (sql: SqlClient.SqlClient, { from, to }: Pick<AccountMove, "from" | "to">) => sql`(
  t.status IN ('pending', 'failed') AND t.sent_at IS NULL AND t.part = 1 AND t.reply_to IS NULL
  AND (t.reconcile_from IS NULL OR p.status = 'draft')
  AND coalesce(t.account_id, ${from}::text) <> ${to}::text)`

/** True if target `t` is being sent from `from`, or its outcome is unknown. */
export const isPending = (sql: SqlClient.SqlClient, { from }: Pick<AccountMove, "from">) => sql`(
  (t.status = 'publishing' OR t.status = 'pending' AND t.sent_at IS NOT NULL)
  AND coalesce(t.account_id, ${from}::text) = ${from}::text)`

export const makeWaitingPosts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // `OFFSET 0` keeps each lookup by its key. Without statistics, a join may compare every post with every target.
  const targetOfPost = (platform: Statement.Fragment) => sql`(
    SELECT * FROM post_targets t
    WHERE t.workspace_id = p.workspace_id AND t.post_id = p.id AND t.platform = ${platform} OFFSET 0) t`

  const count = SqlSchema.findOne({
    Request: AccountMove,
    Result: WaitingPosts,
    // The partial index posts_by_status leaves out published posts.
    execute: (move) => sql`
      SELECT count(*) FILTER (WHERE t.status = 'pending' AND p.status = 'draft')::int AS drafts,
        count(*) FILTER (WHERE t.status = 'pending' AND p.status <> 'draft')::int AS scheduled,
        count(*) FILTER (WHERE t.status = 'failed')::int AS failed
      FROM posts p CROSS JOIN LATERAL ${targetOfPost(sql`${move.platform}`)}
      WHERE p.workspace_id = ${move.workspaceId}::uuid AND p.status <> 'published'
        AND t.integration_id = ${move.integrationId}::uuid AND ${waits(sql, move)}`
  })

  /** `alias` is a row with id, workspace_id, platform and account_id. */
  const ownOf = (alias: string) => {
    const i = sql.literal(alias)
    return sql`
      SELECT count(*) FILTER (WHERE t.status <> 'failed' AND p.status = 'draft')::int AS drafts,
        count(*) FILTER (WHERE t.status <> 'failed' AND p.status <> 'draft')::int AS scheduled,
        count(*) FILTER (WHERE t.status = 'failed')::int AS failed
      FROM posts p CROSS JOIN LATERAL ${targetOfPost(sql`${i}.platform`)}
      WHERE p.workspace_id = ${i}.workspace_id AND p.status <> 'published' AND t.status <> 'published'
        AND t.integration_id = ${i}.id AND coalesce(t.account_id, ${i}.account_id) = ${i}.account_id`
  }

  const countOwn = SqlSchema.findOne({
    Request: OwnPosts,
    Result: WaitingPosts,
    execute: ({ accountId, integrationId, platform, workspaceId }) => sql`
      SELECT w.* FROM (
        SELECT ${integrationId}::uuid AS id, ${workspaceId}::uuid AS workspace_id, ${platform} AS platform,
          ${accountId}::text AS account_id
      ) i CROSS JOIN LATERAL (${ownOf("i")}) w`
  })

  // Uses the indexes post_targets_one_in_flight and post_targets_maybe_sent.
  const findPending = SqlSchema.findOne({
    Request: AccountMove,
    Result: Schema.Struct({ pending: Schema.Boolean }),
    execute: (move) => sql`
      SELECT EXISTS (SELECT FROM post_targets t WHERE t.integration_id = ${move.integrationId}::uuid
          AND t.status = 'publishing' AND ${isPending(sql, move)})
        OR EXISTS (SELECT FROM post_targets t WHERE t.integration_id = ${move.integrationId}::uuid
          AND t.status = 'pending' AND t.sent_at IS NOT NULL
          AND (t.account_id = ${move.from} OR t.account_id IS NULL)) AS pending`
  })

  return {
    count: (move: AccountMove) => Effect.catchTag(count(move), "NoSuchElementError", Effect.die),
    ownOf,
    /** A post that is being sent counts as scheduled. */
    countOwn: (own: OwnPosts) => Effect.catchTag(countOwn(own), "NoSuchElementError", Effect.die),
    isOutcomePending: (move: AccountMove) =>
      Effect.map(Effect.catchTag(findPending(move), "NoSuchElementError", Effect.die), ({ pending }) => pending)
  }
})
