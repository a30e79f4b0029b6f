import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { ClaimToken, ProcessId, TargetId } from "../../domain/ids.ts"
import { boundedTime, lastTime } from "../postgres/boundedTime.ts"
import { JsonTime } from "../postgres/rows.ts"

/** Free slots by name. */
const Slots = Schema.Record(Schema.String, Schema.Int)

/** What a claim statement is given. */
const Given = Schema.Struct({
  token: ClaimToken,
  now: JsonTime,
  /** How long before a target is due it may be claimed, in milliseconds. */
  within: Schema.Int,
  leaseUntil: JsonTime,
  ownerId: Schema.NullOr(ProcessId),
  takesOver: Schema.Boolean,
  lost: Schema.Array(ClaimToken),
  abandoned: Schema.Record(TargetId, ClaimToken),
  limit: Schema.Int,
  perHost: Schema.Int,
  platforms: Slots,
  hosts: Slots
})
export type Given = typeof Given.Type

/**
 * The request as one parameter, of which the planner knows nothing: PostgreSQL keeps a plan only if it is estimated to cost no more than those for
 * the values of single parameters, and planning a claim takes as long as the claim itself.
 */
export const ClaimRequest = Schema.fromJsonString(Given)

/** The bulkhead's key of an integration `i`. */
export const host = (sql: SqlClient.SqlClient) => sql.literal("coalesce(i.host, i.service_url, i.platform)")

/** Looked up for each row: OFFSET 0 keeps the planner from reading all integrations for a join. */
export const integrationOf = (sql: SqlClient.SqlClient, row: string) =>
  sql.literal(`(SELECT * FROM integrations WHERE id = ${row}.integration_id OFFSET 0) i`)

/** A value that the claim was given. */
const valueOf = (name: string) => `(SELECT ${name} FROM given)`

/** Whether a target's claim is one of this process that it was not told of. */
export const isLost = (sql: SqlClient.SqlClient) =>
  sql.literal(`coalesce(t.claim_token = ANY(${valueOf("lost")}::uuid[]), false)`)

/**
 * What the claim was given, as a common table expression. `now` is the caller's clock, but never ahead of the database's: a process
 * whose clock is fast neither publishes early nor takes over a lease that has not expired. One whose clock is slow sets leases that
 * end early, which the length of the lease allows for. Leases of processes go by the database's clock alone.
 *
 * The claim's own commit does not wait for the disk, nor for a synchronous replica. The intent to send and the settlement do, and a
 * commit that waits makes all earlier ones durable. If a crash undoes a claim, its token matches no target, so that no intent can be
 * stored under it, and the target is claimed again. What an attempt does without an intent may overlap then with that of the
 * next claim, and may be done twice: it looks for a post, puts the identical record again or uploads a card's picture.
 */
export const givenTo = (sql: SqlClient.SqlClient, request: string) => sql`
  given AS MATERIALIZED (
    SELECT token, now AS caller_now, least(now, clock_timestamp()) AS now,
      least(now, clock_timestamp()) + within * interval '1 millisecond' AS due_until, clock_timestamp() AS database_now,
      "leaseUntil" AS lease_until, "ownerId" AS owner_id, "takesOver" AS takes_over, lost, abandoned, "limit" AS most, "perHost" AS per_host,
      platforms, hosts, set_config('synchronous_commit', 'off', true)
    FROM json_to_record(${request}::json) AS request (token uuid, now timestamptz, within int, "leaseUntil" timestamptz, "ownerId" uuid,
      "takesOver" boolean, lost uuid[], abandoned jsonb, "limit" int, "perHost" int, platforms jsonb, hosts jsonb)
  )`

/**
 * Whether the owner of a target `t` in flight is none of the processes of which `isThere` holds. An owner counts only where it wrote this
 * claim: the version before changes the token alone.
 */
export const lacksOwner = (isThere: string): string =>
  `t.owner_token = t.claim_token AND (t.owner_id IN (SELECT id FROM processes WHERE ${isThere})) IS NOT TRUE`

/**
 * Whether nobody works on a target `t` in flight: this process gave its claim up, or the owner stopped or lost the database before it
 * settled the claim.
 */
export const isOwnerGone = (sql: SqlClient.SqlClient) =>
  sql.literal(`(${lacksOwner(`NOT ${valueOf("takes_over")} OR lease_until > ${valueOf("database_now")}`)}
    OR coalesce(${valueOf("abandoned")} ->> t.id::text = t.claim_token::text, false))`)

/** Claims the targets of `chosen`: common table expressions, after `given` and `chosen`, of which `claimed` has the rows. */
export const claimChosen = (sql: SqlClient.SqlClient) => sql`
    -- Locks each target with its post and checks it again, since another process may have claimed or changed it. What
    -- others have locked is left to the next claim. The content is read here, with the lock: the rest of the statement
    -- sees posts as they were when it began, which may be before a change that was committed meanwhile. An abandoned
    -- claim is checked by its token: who else took it over set another.
    locked AS MATERIALIZED (
      SELECT t.id, p.content, p.platform_overrides, p.platform_settings, p.media, p.card, p.thread FROM post_targets t
      JOIN posts p ON p.workspace_id = t.workspace_id AND p.id = t.post_id
      WHERE t.id = ANY(ARRAY(SELECT id FROM chosen)) AND (t.status = 'pending' AND t.due_at <= (SELECT due_until FROM given) OR
        t.status = 'publishing' AND (t.lease_until <= (SELECT now FROM given) OR t.claim_token = ANY(ARRAY(SELECT abandoned_token FROM chosen)))
      ) IS TRUE
      FOR UPDATE OF p, t SKIP LOCKED
    ),
    -- A target that was sent before is reconciled by this attempt. A lost claim has counted it already. A number beyond the
    -- range of its column would fail the claim for all.
    claimed AS (
      UPDATE post_targets t SET status = 'publishing', attempts = least(t.attempts, 1000000) + (NOT ${isLost(sql)})::int,
        -- A claim that is taken over has not looked, so that this one looks in its place.
        looks = CASE WHEN t.sent_at IS NULL THEN 0 WHEN t.status = 'pending' THEN least(t.looks, 1000000) + 1 ELSE greatest(t.looks, 1) END,
        claim_token = (SELECT token FROM given), lease_until = (SELECT lease_until FROM given),
        owner_id = (SELECT owner_id FROM given),
        owner_token = (SELECT token FROM given WHERE owner_id IS NOT NULL), part_token = (SELECT token FROM given)
      FROM locked WHERE t.id = locked.id
        AND NOT EXISTS (SELECT FROM publishing_state WHERE held_since IS NOT NULL)
        -- An owner without its lease runs on a database that was restored beneath it, or comes too late.
        AND EXISTS (SELECT FROM given WHERE owner_id IS NULL OR EXISTS (
          SELECT FROM processes p WHERE p.id = given.owner_id AND p.lease_until > given.database_now))
      RETURNING t.*, locked.content, locked.platform_overrides, locked.platform_settings, locked.media, locked.card, locked.thread
    ),
    -- The post starts with its first target.
    started AS (
      UPDATE posts p SET status = 'publishing' FROM claimed
      WHERE p.workspace_id = claimed.workspace_id AND p.id = claimed.post_id AND (p.status = 'scheduled') IS TRUE
    )`

/** Selects what was `claimed`, as rows that `readClaim` reads. */
export const selectClaimed = (sql: SqlClient.SqlClient) => sql`
    SELECT c.id AS "targetId", c.claim_token AS token, c.lease_until AS "leaseUntil",
      c.owner_id AS "ownerId", ${host(sql)} AS host,
      c.workspace_id AS "workspaceId", c.post_id AS "postId", c.platform,
      c.content, c.platform_overrides AS overrides, c.platform_settings AS settings, c.media,
      c.card, c.thread, c.part, coalesce(c.parts, '[]') AS published, c.reply_to AS "replyTo", (SELECT w.language FROM workspaces w WHERE w.id = c.workspace_id) AS language,
      c.attempts, coalesce(c.error_code = 'rate_limited', false) AS "lastRateLimited", c.looks AS "reconcileAttempts", c.prepared, c.sent_at AS "sentAt",
      c.resend_ordered AS "resendOrdered", c.processing_since AS "processingSince",
      c.reconcile_from AS "reconcileFrom", c.reconcile_until AS "reconcileUntil",
      c.reconcile_text AS "reconcileText",
      -- The version before stores no account; its targets belong to the connected one.
      coalesce(c.account_id, i.account_id) AS "accountId",
      (SELECT now FROM given) AS "claimedAt",
      -- Read last, so that the process has the answer soon after.
      greatest(0, extract(epoch FROM ${sql.literal(boundedTime("c.due_at"))} - clock_timestamp()) * 1000)::float8 AS "dueIn",
      (extract(epoch FROM ${sql.literal(boundedTime("c.due_at"))} - (SELECT caller_now FROM given)) * 1000)::float8 AS "dueInOwn",
      -- Out of range, it is a time that can't be read, so that this row alone is set aside.
      CASE WHEN c.due_since < ${sql.literal(lastTime)} THEN c.due_since + (SELECT caller_now - now FROM given) ELSE 'infinity' END AS "dueSince",
      jsonb_build_object('id', i.id, 'accountId', i.account_id, 'username', i.username, 'serviceUrl', i.service_url,
        'connected', i.status = 'connected', 'version', i.updated_at::text) AS integration
    FROM claimed c
    CROSS JOIN LATERAL ${integrationOf(sql, "c")}
    ORDER BY c.due_at`
