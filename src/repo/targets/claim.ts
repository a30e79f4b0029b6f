import { DateTime, Effect, Schema, Struct } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { ClaimToken, nextClaimToken } from "../../domain/ids.ts"
import { textFor } from "../../domain/postPlan.ts"
import { isUniqueViolation, withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"
import { Claim, type Targets } from "./Targets.ts"

const ClaimRow = Schema.Struct({
  ...Struct.omit(Claim.fields, ["text"]),
  content: Schema.String,
  // Not checked again here: a text that a later rule refuses must not fail the whole claim.
  overrides: Schema.Record(Schema.String, Schema.String)
})

const toClaim = ({ content, overrides, ...row }: typeof ClaimRow.Type): Claim => ({
  ...row,
  text: textFor(row.platform, { content, overrides })
})

/** How many of the oldest due targets are searched before the claim walks the accounts. */
const windowSize = 500

/**
 * The claim is fair between accounts and keeps at most one target of each in flight. Two simpler plans were rejected:
 *
 * - `ORDER BY due_at LIMIT n FOR UPDATE SKIP LOCKED`, the usual queue: one account's backlog fills the limit and starves
 *   every other account, and several targets of one account are taken, of which only one may be in flight.
 * - Walking every account for its earliest target in every claim: the cost grows with each account that has an open target,
 *   future ones included. A claim of at most 32 targets that walks takes 10 ms with 400 accounts, 48 ms with 4,000, and 85
 *   to 223 ms with 20,000 (2 cores, PostgreSQL 18).
 *
 * So a window of the oldest due targets is searched first. While fewer than `windowSize` are due it holds them all. Only
 * when it is full can it miss an account, behind the backlogs of others, and only then does the claim walk: a skip scan of
 * the index post_targets_next_of_integration, from one account to the next. test/bench/claim.ts measures both cases.
 */
export const makeClaim = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const claimDue = SqlSchema.findAll({
    Request: Schema.Struct({ limit: Schema.Int, token: ClaimToken, now: Timestamp, leaseUntil: Timestamp }),
    Result: ClaimRow,
    execute: ({ leaseUntil, limit, now, token }) => sql`
      WITH RECURSIVE
      -- The caller's clock, but never ahead of the database's: a process whose clock is fast neither publishes early nor
      -- takes over a lease that has not expired. One whose clock is slow sets leases that end early, which the length of
      -- the lease allows for.
      moment AS MATERIALIZED (
        SELECT least(${now}::timestamptz, clock_timestamp()) AS now
      ),
      -- Targets whose process stopped or lost the database before it settled them.
      expired AS (
        SELECT id, lease_until AS since FROM post_targets
        WHERE status = 'publishing' AND lease_until <= (SELECT now FROM moment)
        ORDER BY lease_until LIMIT ${limit}::int
      ),
      -- The window: the oldest due targets, of whatever account.
      oldest AS MATERIALIZED (
        SELECT id, integration_id, due_at FROM post_targets
        WHERE status = 'pending' AND due_at <= (SELECT now FROM moment)
        ORDER BY due_at LIMIT ${windowSize}::int
      ),
      -- Only where the window is full: every account with an open target, by one index lookup for each.
      accounts AS (
        (SELECT integration_id FROM post_targets
          WHERE status = 'pending' AND due_at IS NOT NULL AND (SELECT count(*) FROM oldest) = ${windowSize}::int
          ORDER BY integration_id LIMIT 1)
        UNION ALL
        SELECT (SELECT t.integration_id FROM post_targets t
          WHERE t.status = 'pending' AND t.due_at IS NOT NULL AND t.integration_id > accounts.integration_id
          ORDER BY t.integration_id LIMIT 1)
        FROM accounts WHERE accounts.integration_id IS NOT NULL
      ),
      -- The window, and the earliest due target of each account that was walked.
      due AS (
        SELECT id, integration_id, due_at FROM oldest
        UNION ALL
        SELECT next.* FROM accounts CROSS JOIN LATERAL (
          SELECT t.id, t.integration_id, t.due_at FROM post_targets t
          WHERE t.integration_id = accounts.integration_id AND t.status = 'pending'
            AND t.due_at <= (SELECT now FROM moment)
          ORDER BY t.due_at LIMIT 1) next
      ),
      -- The earliest one of each account.
      next AS (
        SELECT DISTINCT ON (integration_id) id, integration_id, due_at AS since FROM due
        ORDER BY integration_id, due_at, id
      ),
      -- The candidates that have waited longest. An account that has a target in flight is skipped; an expired target is
      -- itself the one in flight.
      chosen AS (
        SELECT id FROM (
          SELECT id, since FROM expired
          UNION ALL
          SELECT id, since FROM next WHERE NOT EXISTS (
            SELECT FROM post_targets busy WHERE busy.integration_id = next.integration_id AND busy.status = 'publishing')
        ) candidates ORDER BY since LIMIT ${limit}::int
      ),
      -- Locks each target with its post and checks it again, since another process may have claimed or changed it. What
      -- others have locked is left to the next claim. The content is read here, with the lock: the rest of the statement
      -- sees posts as they were when it began, which may be before a change that was committed meanwhile.
      locked AS MATERIALIZED (
        SELECT t.id, p.content, p.platform_overrides, p.platform_settings FROM post_targets t
        JOIN posts p ON p.workspace_id = t.workspace_id AND p.id = t.post_id
        WHERE t.id IN (SELECT id FROM chosen) AND (
          t.status = 'pending' AND t.due_at <= (SELECT now FROM moment) OR
          t.status = 'publishing' AND t.lease_until <= (SELECT now FROM moment))
        FOR UPDATE OF p, t SKIP LOCKED
      ),
      -- A target that was sent before is reconciled by this attempt.
      claimed AS (
        UPDATE post_targets t SET status = 'publishing', attempts = t.attempts + 1,
          looks = CASE WHEN t.sent_at IS NULL THEN 0 ELSE t.looks + 1 END,
          claim_token = ${token}::uuid, lease_until = ${leaseUntil}::timestamptz
        FROM locked WHERE t.id = locked.id
          AND NOT EXISTS (SELECT FROM publishing_state WHERE held_since IS NOT NULL)
        RETURNING t.*
      ),
      -- The post starts with its first target.
      started AS (
        UPDATE posts p SET status = 'publishing' FROM claimed
        WHERE p.workspace_id = claimed.workspace_id AND p.id = claimed.post_id AND p.status = 'scheduled'
      )
      SELECT c.id AS "targetId", c.claim_token AS token, c.lease_until AS "leaseUntil",
        c.workspace_id AS "workspaceId", c.post_id AS "postId", c.platform,
        locked.content, locked.platform_overrides AS overrides, locked.platform_settings AS settings,
        c.attempts, c.looks AS "reconcileAttempts", c.prepared, c.sent_at AS "sentAt",
        c.resend_ordered AS "resendOrdered",
        c.reconcile_from AS "reconcileFrom", c.reconcile_until AS "reconcileUntil",
        -- The version before stores no account; its targets belong to the connected one.
        coalesce(c.account_id, i.account_id) AS "accountId",
        c.due_since + (${now}::timestamptz - (SELECT now FROM moment)) AS "dueSince",
        jsonb_build_object('id', i.id, 'accountId', i.account_id, 'username', i.username, 'serviceUrl', i.service_url,
          'connected', i.status = 'connected', 'version', i.updated_at::text) AS integration
      FROM claimed c
      JOIN locked ON locked.id = c.id
      JOIN integrations i ON i.workspace_id = c.workspace_id AND i.id = c.integration_id
      ORDER BY c.due_at`
  })

  const claim: Targets["claim"] = Effect.fn("Repo.targets.claim")((limit, lease) =>
    Effect.gen(function* () {
      const now = yield* DateTime.now
      const token = yield* nextClaimToken
      const rows = yield* claimDue({ limit, token, now, leaseUntil: DateTime.addDuration(now, lease) })
      return rows.map(toClaim)
    }).pipe(
      // Two processes that choose different targets of one account at once: the unique index
      // post_targets_one_in_flight lets only one of them through, and the other chooses again.
      Effect.retry({ times: 3, while: isUniqueViolation }),
      withDatabaseTimeout("claiming due targets")
    )
  )
  return claim
})
