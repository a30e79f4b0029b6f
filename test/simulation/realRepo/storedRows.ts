import { Effect } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { MemoryDatabase } from "../memoryDatabase.ts"
import type { IntegrationRow, PostRow } from "../rows.ts"

const byId = (left: { readonly id: string }, right: { readonly id: string }) => (left.id < right.id ? -1 : 1)

const withoutPlatforms = ({ platforms: _, ...row }: PostRow) => row

/** Other operations compare credentials, because PostgreSQL has them encrypted. */
const visibleAccount = ({ credentials: _, version: _version, ...row }: IntegrationRow) => row

/** Only unexpired leases count. */
export const memoryRows = ({ committed, processLeases }: MemoryDatabase, now: number): unknown => ({
  accounts: [...committed.integrations.values()].toSorted(byId).map(visibleAccount),
  posts: [...committed.posts.values()].toSorted(byId).map(withoutPlatforms),
  targets: [...committed.targets.values()].toSorted(byId),
  uploads: [...committed.uploads.values()].toSorted((left, right) => (left.targetId < right.targetId ? -1 : 1)),
  leases: [...processLeases].flatMap(([id, until]) => (until > now ? [{ id, until }] : [])).toSorted(byId)
})

/** The same in PostgreSQL, in one round trip. */
export const realRows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const millis = (column: string) => sql.literal(`(extract(epoch FROM ${column}) * 1000)::float8`)
  const all = (rows: Statement.Fragment) => sql`(SELECT coalesce(json_agg(each), '[]') FROM (${rows}) each)`
  const accounts = sql`
    SELECT id, workspace_id AS "workspaceId", platform, account_id AS "accountId", username, status
    FROM integrations ORDER BY id`
  const posts = sql`
    SELECT id, workspace_id AS "workspaceId", status, content, ${millis("scheduled_at")} AS "scheduledAt",
      ${millis("published_at")} AS "publishedAt", tags, platform_overrides AS overrides, platform_settings AS settings, media, thread,
      ${millis("created_at")} AS "createdAt", revision
    FROM posts ORDER BY id`
  const targets = sql`
    SELECT id, workspace_id AS "workspaceId", post_id AS "postId", integration_id AS "integrationId",
      account_id AS "accountId", platform, position, status, ${millis("due_since")} AS "dueSince", ${millis("due_at")} AS "dueAt",
      attempts, looks AS "reconcileAttempts", claim_token AS token, ${millis("lease_until")} AS "leaseUntil",
      owner_id AS "ownerId", owner_token AS "ownerToken",
      ${millis("processing_since")} AS "processingSince", prepared, ${millis("sent_at")} AS "sentAt",
      send_token AS "sendToken", resend_ordered AS "resendOrdered", platform_post_url AS url,
      platform_post_id AS "platformPostId", ${millis("published_at")} AS "publishedAt",
      ${millis("begun_at")} AS "begunAt",
      part, parts, part_ids AS "partIds", part_uploads AS "partUploads", CASE WHEN error_code IS NOT NULL THEN
        json_build_object('code', error_code, 'message', error_message, 'retryable', error_retryable) END AS error
    FROM post_targets ORDER BY id`
  const uploads = sql`
    SELECT target_id AS "targetId", status, attempts, ${millis("next_at")} AS "nextAt", claim_token AS token,
      owner_id AS "ownerId", ${millis("lease_until")} AS "leaseUntil", uploaded, error_code IS NOT NULL AS "hasError"
    FROM post_target_uploads ORDER BY target_id`
  const leases = sql`
    SELECT id, ${millis("lease_until")} AS until FROM processes WHERE lease_until > clock_timestamp() ORDER BY id`
  const [rows] = yield* sql`
    SELECT ${all(accounts)} AS accounts, ${all(posts)} AS posts, ${all(targets)} AS targets, ${all(uploads)} AS uploads,
      ${all(leases)} AS leases`
  return rows
}).pipe(Effect.orDie)
