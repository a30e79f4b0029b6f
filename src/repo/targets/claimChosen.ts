import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { ClaimToken, ProcessId } from "../../domain/ids.ts"
import { Timestamp } from "../postgres/rows.ts"

/** What every claim statement is given. */
export const ClaimRequest = Schema.Struct({
  token: ClaimToken,
  now: Timestamp,
  leaseUntil: Timestamp,
  ownerId: Schema.NullOr(ProcessId),
  takesOver: Schema.Boolean,
  lost: Schema.Array(ClaimToken)
})

type Given = typeof ClaimRequest.Encoded

/** The bulkhead's key of an integration `i`. */
export const host = (sql: SqlClient.SqlClient) => sql.literal("coalesce(i.host, i.service_url, i.platform)")

/** Looked up for each row: OFFSET 0 keeps the planner from reading all integrations for a join. */
export const integrationOf = (sql: SqlClient.SqlClient, row: string) =>
  sql.literal(`(SELECT * FROM integrations WHERE id = ${row}.integration_id OFFSET 0) i`)

/** Whether a target's claim is one of this process that it was not told of. */
export const isLost = (sql: SqlClient.SqlClient, lost: Given["lost"]) =>
  sql`coalesce(t.claim_token = ANY(${lost}::uuid[]), false)`

/**
 * The caller's clock, but never ahead of the database's: a process whose clock is fast neither publishes early nor takes over a
 * lease that has not expired. One whose clock is slow sets leases that end early, which the length of the lease allows for.
 * Leases of processes go by the database's clock alone.
 */
export const moment = (sql: SqlClient.SqlClient, now: Given["now"]) => sql`
  moment AS MATERIALIZED (
    SELECT least(${now}::timestamptz, clock_timestamp()) AS now, clock_timestamp() AS database_now
  )`

/**
 * Whether the owner of a target `t` in flight stopped or lost the database before it settled the claim. An owner counts only where
 * it wrote this claim: the version before changes the token alone.
 */
export const isOwnerGone = (sql: SqlClient.SqlClient, { takesOver }: Pick<Given, "takesOver">) => sql`
  t.owner_token = t.claim_token AND (t.owner_id IN (
    SELECT id FROM processes WHERE NOT ${takesOver}::boolean OR lease_until > (SELECT database_now FROM moment)
  )) IS NOT TRUE`

/** Claims the targets of `chosen`: common table expressions, after `moment` and `chosen`, of which `claimed` has the rows. */
export const claimChosen = (sql: SqlClient.SqlClient, { leaseUntil, lost, ownerId, token }: Given) => sql`
    -- Locks each target with its post and checks it again, since another process may have claimed or changed it. What
    -- others have locked is left to the next claim. The content is read here, with the lock: the rest of the statement
    -- sees posts as they were when it began, which may be before a change that was committed meanwhile. An abandoned
    -- claim is checked by its token: who else took it over set another.
    locked AS MATERIALIZED (
      SELECT t.id, p.content, p.platform_overrides, p.platform_settings, p.media, p.card FROM post_targets t
      JOIN posts p ON p.workspace_id = t.workspace_id AND p.id = t.post_id
      WHERE t.id = ANY(ARRAY(SELECT id FROM chosen)) AND (t.status = 'pending' AND t.due_at <= (SELECT now FROM moment) OR
        t.status = 'publishing' AND (t.lease_until <= (SELECT now FROM moment) OR t.claim_token = ANY(ARRAY(SELECT abandoned_token FROM chosen)))
      ) IS TRUE
      FOR UPDATE OF p, t SKIP LOCKED
    ),
    -- A target that was sent before is reconciled by this attempt. A lost claim has counted it already.
    claimed AS (
      UPDATE post_targets t SET status = 'publishing', attempts = t.attempts + (NOT ${isLost(sql, lost)})::int,
        looks = CASE WHEN t.sent_at IS NULL THEN 0 ELSE t.looks + (NOT ${isLost(sql, lost)})::int END,
        claim_token = ${token}::uuid, lease_until = ${leaseUntil}::timestamptz,
        owner_id = ${ownerId}::uuid, owner_token = CASE WHEN ${ownerId}::uuid IS NOT NULL THEN ${token}::uuid END
      FROM locked WHERE t.id = locked.id
        AND NOT EXISTS (SELECT FROM publishing_state WHERE held_since IS NOT NULL)
        -- An owner without its lease runs on a database that was restored beneath it, or comes too late.
        AND (${ownerId}::uuid IS NULL OR EXISTS (SELECT FROM processes
          WHERE id = ${ownerId}::uuid AND lease_until > (SELECT database_now FROM moment)))
      RETURNING t.*, locked.content, locked.platform_overrides, locked.platform_settings, locked.media, locked.card
    ),
    -- The post starts with its first target.
    started AS (
      UPDATE posts p SET status = 'publishing' FROM claimed
      WHERE p.workspace_id = claimed.workspace_id AND p.id = claimed.post_id AND (p.status = 'scheduled') IS TRUE
    )`

/** Selects what was `claimed`, as rows that `readClaim` reads. */
export const selectClaimed = (sql: SqlClient.SqlClient, { now }: Pick<Given, "now">) => sql`
    SELECT c.id AS "targetId", c.claim_token AS token, c.lease_until AS "leaseUntil",
      c.owner_id AS "ownerId", ${host(sql)} AS host,
      c.workspace_id AS "workspaceId", c.post_id AS "postId", c.platform,
      c.content, c.platform_overrides AS overrides, c.platform_settings AS settings, c.media,
      c.card, (SELECT w.language FROM workspaces w WHERE w.id = c.workspace_id) AS language,
      c.attempts, c.looks AS "reconcileAttempts", c.prepared, c.sent_at AS "sentAt",
      c.resend_ordered AS "resendOrdered",
      c.reconcile_from AS "reconcileFrom", c.reconcile_until AS "reconcileUntil",
      c.reconcile_text AS "reconcileText",
      -- The version before stores no account; its targets belong to the connected one.
      coalesce(c.account_id, i.account_id) AS "accountId",
      c.due_since + (${now}::timestamptz - (SELECT now FROM moment)) AS "dueSince",
      jsonb_build_object('id', i.id, 'accountId', i.account_id, 'username', i.username, 'serviceUrl', i.service_url,
        'connected', i.status = 'connected', 'version', i.updated_at::text) AS integration
    FROM claimed c
    CROSS JOIN LATERAL ${integrationOf(sql, "c")}
    ORDER BY c.due_at`
