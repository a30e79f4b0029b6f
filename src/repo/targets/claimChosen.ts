import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { ClaimToken, ProcessId, TargetId } from "../../domain/ids.ts"
import { abilities } from "../postgres/abilities.ts"
import { boundedTime, lastTime } from "../postgres/boundedTime.ts"
import { JsonTime } from "../postgres/rows.ts"

const Slots = Schema.Record(Schema.String, Schema.Int)

const Given = Schema.Struct({
  token: ClaimToken,
  now: JsonTime,
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

/** One parameter, which hides the values from the planner (see Plans in README.md). */
export const ClaimRequest = Schema.fromJsonString(Given)

/** The host whose slots account `i` uses. */
export const host = (sql: SqlClient.SqlClient) => sql.literal("coalesce(i.host, i.service_url, i.platform)")

/** Looked up for each row: OFFSET 0 keeps the planner from reading all integrations. */
export const integrationOf = (sql: SqlClient.SqlClient, row: string) =>
  sql.literal(`(SELECT * FROM integrations WHERE id = ${row}.integration_id OFFSET 0) i`)

const valueOf = (name: string) => `(SELECT ${name} FROM given)`

export const isLost = (sql: SqlClient.SqlClient) =>
  sql.literal(`coalesce(t.claim_token = ANY(${valueOf("lost")}::uuid[]), false)`)

/**
 * The claim's arguments. `now` is the caller's clock, but never ahead of the database's (see Clocks in the publisher's
 * README.md). Process leases use only the database's clock.
 *
 * The claim's commit waits for neither the disk nor a synchronous replica. If a crash undoes a claim, its token stores
 * no intent, and the target is claimed again. Work without an intent may be done twice: a look, putting the identical
 * record, or uploading a card's picture.
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
 * True if no process that meets `isThere` owns target `t`. An owner counts only if it wrote this claim, because the
 * version before changes only the token.
 */
export const lacksOwner = (isThere: string): string =>
  `t.owner_token = t.claim_token AND (t.owner_id IN (SELECT id FROM processes WHERE ${isThere})) IS NOT TRUE`

/** True if this process gave the claim up, or its owner stopped or lost the database. */
export const isOwnerGone = (sql: SqlClient.SqlClient) =>
  sql.literal(`(${lacksOwner(`NOT ${valueOf("takes_over")} OR lease_until > ${valueOf("database_now")}`)}
    OR coalesce(${valueOf("abandoned")} ->> t.id::text = t.claim_token::text, false))`)

export const claimChosen = (sql: SqlClient.SqlClient) => sql`
    -- Checks each target again under its lock, since another process may have claimed or changed it. Locked rows are
    -- left to the next claim. The content is read here: the rest of the statement sees posts as of its start, perhaps
    -- before a committed change. An abandoned claim is checked by its token, which another process would have changed.
    locked AS MATERIALIZED (
      SELECT t.id, p.content, p.platform_overrides, p.platform_settings, p.media, p.card, p.thread FROM post_targets t
      JOIN posts p ON p.workspace_id = t.workspace_id AND p.id = t.post_id
      WHERE t.id = ANY(ARRAY(SELECT id FROM chosen)) AND (t.status = 'pending' AND t.due_at <= (SELECT due_until FROM given) OR
        t.status = 'publishing' AND (t.lease_until <= (SELECT now FROM given) OR t.claim_token = ANY(ARRAY(SELECT abandoned_token FROM chosen)))
      ) IS TRUE
      FOR UPDATE OF p, t SKIP LOCKED
    ),
    -- A target that was sent before is reconciled. A lost claim has counted already. A number out of range would fail
    -- the claim for all.
    claimed AS (
      UPDATE post_targets t SET status = 'publishing', attempts = least(t.attempts, 1000000) + (NOT ${isLost(sql)})::int,
        -- A claim that is taken over has not looked, so this one does.
        looks = CASE WHEN t.sent_at IS NULL THEN 0 WHEN t.status = 'pending' THEN least(t.looks, 1000000) + 1 ELSE greatest(t.looks, 1) END,
        claim_token = (SELECT token FROM given), lease_until = (SELECT lease_until FROM given),
        owner_id = (SELECT owner_id FROM given),
        owner_token = (SELECT token FROM given WHERE owner_id IS NOT NULL), part_token = (SELECT token FROM given),
        able_token = (SELECT token FROM given), abilities = ${sql.literal(String(abilities))}
      FROM locked WHERE t.id = locked.id
        AND NOT EXISTS (SELECT FROM publishing_state WHERE held_since IS NOT NULL)
        -- An owner without its lease runs on a database that was restored beneath it, or comes too late.
        AND EXISTS (SELECT FROM given WHERE owner_id IS NULL OR EXISTS (
          SELECT FROM processes p WHERE p.id = given.owner_id AND p.lease_until > given.database_now))
      RETURNING t.*, locked.content, locked.platform_overrides, locked.platform_settings, locked.media, locked.card, locked.thread
    ),
    started AS (
      UPDATE posts p SET status = 'publishing' FROM claimed
      WHERE p.workspace_id = claimed.workspace_id AND p.id = claimed.post_id AND (p.status = 'scheduled') IS TRUE
    )`

/** The account `i` in a claim's form. */
export const claimedIntegration = `jsonb_build_object('id', i.id, 'accountId', i.account_id, 'username', i.username,
        'serviceUrl', i.service_url, 'connected', i.status = 'connected', 'version', i.updated_at::text) AS integration`

export const selectClaimed = (sql: SqlClient.SqlClient) => sql`
    SELECT c.id AS "targetId", c.claim_token AS token, c.lease_until AS "leaseUntil",
      c.owner_id AS "ownerId", ${host(sql)} AS host,
      c.workspace_id AS "workspaceId", c.post_id AS "postId", c.platform,
      c.content, c.platform_overrides AS overrides, c.platform_settings AS settings, c.media,
      c.card, c.thread, c.part, coalesce(c.parts, '[]') AS published, c.reply_to AS "replyTo", (SELECT w.language FROM workspaces w WHERE w.id = c.workspace_id) AS language,
      c.attempts, coalesce(c.error_code = 'rate_limited', false) AS "lastRateLimited", c.looks AS "reconcileAttempts", c.prepared, c.sent_at AS "sentAt",
      c.resend_ordered AS "resendOrdered", c.processing_since + (SELECT caller_now - now FROM given) AS "processingSince",
      c.reconcile_from AS "reconcileFrom", c.reconcile_until AS "reconcileUntil",
      c.reconcile_text AS "reconcileText",
      -- The version before stores no account; its targets belong to the connected one.
      coalesce(c.account_id, i.account_id) AS "accountId",
      (SELECT now FROM given) AS "claimedAt",
      -- Read last, so that the process has the answer soon.
      greatest(0, extract(epoch FROM ${sql.literal(boundedTime("c.due_at"))} - clock_timestamp()) * 1000)::float8 AS "dueIn",
      (extract(epoch FROM ${sql.literal(boundedTime("c.due_at"))} - (SELECT caller_now FROM given)) * 1000)::float8 AS "dueInOwn",
      -- A value out of range becomes unreadable, so that only this row is set aside.
      CASE WHEN c.due_since < ${sql.literal(lastTime)} THEN c.due_since + (SELECT caller_now - now FROM given) ELSE 'infinity' END AS "dueSince",
      ${sql.literal(claimedIntegration)}
    FROM claimed c
    CROSS JOIN LATERAL ${integrationOf(sql, "c")}
    ORDER BY c.due_at`
