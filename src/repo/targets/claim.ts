import { DateTime, type Duration, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ClaimToken, IntegrationId, nextClaimToken, PostId, TargetId, WorkspaceId } from "../../domain/ids.ts"
import { LivePlatform } from "../../domain/platform.ts"
import { PlatformSettings } from "../../domain/platformSettings.ts"
import { orUnavailable } from "../postgres/query.ts"
import { NullableTimestamp, Timestamp } from "../postgres/rows.ts"
import type { Targets } from "./targets.ts"

const ClaimRow = Schema.Struct({
  targetId: TargetId,
  token: ClaimToken,
  leaseUntil: Timestamp,
  workspaceId: WorkspaceId,
  postId: PostId,
  platform: LivePlatform,
  text: Schema.String,
  settings: PlatformSettings,
  attempts: Schema.Int,
  reconcileAttempts: Schema.Int,
  dueSince: Timestamp,
  prepared: Schema.NullOr(Schema.Json),
  sentAt: NullableTimestamp,
  resendOrdered: Schema.Boolean,
  integration: Schema.Struct({
    id: IntegrationId,
    accountId: Schema.String,
    username: Schema.String,
    serviceUrl: Schema.NullOr(Schema.String),
    connected: Schema.Boolean,
    version: Schema.String
  })
})

/** How many of the oldest due targets are looked at before every account with an open target is asked for its next. */
const windowSize = 500

/**
 * The claim. `moment` is the caller's clock, but never ahead of the database's: a process whose clock runs fast neither
 * publishes early nor takes a lease that has not run out; one whose clock runs slow sets leases that end early, which
 * the lease's length makes up for.
 *
 * The text is read with the lock on its post: the rest of the statement sees posts as they were when it began, which may
 * be before a change that was waited for.
 *
 * An account with a long backlog fills the window of the oldest, so the accounts behind it are then found by skipping
 * through the index from one account to the next.
 */
export const makeClaim = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const decode = Schema.decodeUnknownEffect(Schema.Array(ClaimRow))

  const take = (limit: number, lease: Duration.Duration) =>
    Effect.gen(function* () {
      const now = yield* DateTime.now
      const token = yield* nextClaimToken
      const leaseUntil = DateTime.addDuration(now, lease)
      return yield* sql`
        WITH RECURSIVE moment AS MATERIALIZED (
          SELECT least(${DateTime.toDateUtc(now)}::timestamptz, clock_timestamp()) AS now
        ), expired AS (
          SELECT id, lease_until AS since FROM post_targets
          WHERE status = 'publishing' AND lease_until <= (SELECT now FROM moment)
          ORDER BY lease_until LIMIT ${limit}::int
        ), oldest AS MATERIALIZED (
          SELECT id, integration_id, due_at FROM post_targets
          WHERE status = 'pending' AND due_at <= (SELECT now FROM moment)
          ORDER BY due_at LIMIT ${windowSize}::int
        ), accounts AS (
          (SELECT integration_id FROM post_targets
            WHERE status = 'pending' AND due_at IS NOT NULL AND (SELECT count(*) FROM oldest) = ${windowSize}::int
            ORDER BY integration_id LIMIT 1)
          UNION ALL
          SELECT (SELECT t.integration_id FROM post_targets t
            WHERE t.status = 'pending' AND t.due_at IS NOT NULL AND t.integration_id > accounts.integration_id
            ORDER BY t.integration_id LIMIT 1)
          FROM accounts WHERE accounts.integration_id IS NOT NULL
        ), due AS (
          SELECT id, integration_id, due_at FROM oldest
          UNION ALL
          SELECT next.* FROM accounts CROSS JOIN LATERAL (
            SELECT t.id, t.integration_id, t.due_at FROM post_targets t
            WHERE t.integration_id = accounts.integration_id AND t.status = 'pending' AND t.due_at <= (SELECT now FROM moment)
            ORDER BY t.due_at LIMIT 1) next
        ), next AS (
          SELECT DISTINCT ON (integration_id) id, integration_id, due_at AS since FROM due
          ORDER BY integration_id, due_at, id
        ), chosen AS (
          SELECT id FROM (
            SELECT id, since FROM expired
            UNION ALL
            SELECT id, since FROM next WHERE NOT EXISTS (
              SELECT FROM post_targets busy WHERE busy.integration_id = next.integration_id AND busy.status = 'publishing')
          ) candidates ORDER BY since LIMIT ${limit}::int
        ), locked AS MATERIALIZED (
          SELECT t.id, p.content, p.platform_overrides, p.platform_settings FROM post_targets t
          JOIN posts p ON p.workspace_id = t.workspace_id AND p.id = t.post_id
          WHERE t.id IN (SELECT id FROM chosen) AND (
            t.status = 'pending' AND t.due_at <= (SELECT now FROM moment) OR
            t.status = 'publishing' AND t.lease_until <= (SELECT now FROM moment))
          FOR UPDATE OF p, t SKIP LOCKED
        ), claimed AS (
          UPDATE post_targets t SET status = 'publishing', attempts = t.attempts + 1,
            looks = CASE WHEN t.sent_at IS NULL THEN 0 ELSE t.looks + 1 END,
            claim_token = ${token}::uuid, lease_until = ${DateTime.toDateUtc(leaseUntil)}::timestamptz
          FROM locked WHERE t.id = locked.id
          RETURNING t.*
        ), started AS (
          UPDATE posts p SET status = 'publishing' FROM claimed
          WHERE p.workspace_id = claimed.workspace_id AND p.id = claimed.post_id AND p.status = 'scheduled'
        )
        SELECT c.id AS "targetId", c.claim_token AS token, c.lease_until AS "leaseUntil",
          c.workspace_id AS "workspaceId", c.post_id AS "postId", c.platform,
          coalesce(locked.platform_overrides ->> c.platform, locked.content) AS text, locked.platform_settings AS settings,
          c.attempts, c.looks AS "reconcileAttempts",
          c.due_since + (${DateTime.toDateUtc(now)}::timestamptz - (SELECT now FROM moment)) AS "dueSince", c.prepared, c.sent_at AS "sentAt", c.resend_ordered AS "resendOrdered",
          jsonb_build_object('id', i.id, 'accountId', i.account_id, 'username', i.username, 'serviceUrl', i.service_url,
            'connected', i.status = 'connected', 'version', i.updated_at::text) AS integration
        FROM claimed c
        JOIN locked ON locked.id = c.id
        JOIN integrations i ON i.workspace_id = c.workspace_id AND i.id = c.integration_id
        ORDER BY c.due_at`
    })

  const claim: Targets["claim"] = Effect.fn("Repo.targets.claim")((limit, lease) =>
    take(limit, lease).pipe(
      // Two processes chose different targets of one account in the same moment: the constraint lets one of them through.
      Effect.retry({ times: 3, while: (error) => error.reason._tag === "UniqueViolation" }),
      Effect.flatMap(decode),
      orUnavailable("claiming due targets")
    )
  )
  return claim
})
