import { Duration, Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import { IntegrationId, WorkspaceId } from "../../domain/ids.ts"
import { isRenewedIdle, livePlatforms, renewsAccess } from "../../domain/plain/platforms.ts"
import { LivePlatform } from "../../domain/platform.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { duePeriod, inIndexOrder } from "../postgres/indexes.ts"

/** Access is renewed early if it ends before a post's time plus this margin. */
const margin = Duration.minutes(2)

/** The most posts that a search reads per platform. Other searches find the rest. */
const maxLookedAt = 5_000

/** Used if the platform returned no lifetime. X and Bluesky return two hours. */
const usualLifetime = Duration.hours(2)

/** The platforms whose access can be renewed. */
const renewing = livePlatforms.filter(renewsAccess)

/** The platforms whose access ends for good unless it is renewed, also if no post needs it. */
const renewedIdle = livePlatforms.filter(isRenewedIdle)

/** Passes that look at least this far ahead renew idle access too. */
const idleFrom = Duration.minutes(15)

const EndingAccess = Schema.Struct({
  id: IntegrationId,
  workspaceId: WorkspaceId,
  platform: LivePlatform,
  accountId: Schema.String,
  username: Schema.String,
  serviceUrl: Schema.NullOr(Schema.String),
  credentials: Schema.Uint8Array,
  version: Schema.String,
  /** True if the access ends before the account's next post; false if shortly after. */
  endsBefore: Schema.Boolean
})

export type EndingAccess = typeof EndingAccess.Type

/**
 * Uses the database's clock. Finds nothing while publishing is held, because a restored database has old tokens, or
 * while a process of the previous version runs, because that version ignores leases.
 */
export const makeEndingAccess = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const seconds = (duration: Duration.Duration) => sql.literal(`interval '${Duration.toSeconds(duration)} seconds'`)

  const find = SqlSchema.findAll({
    Request: Schema.Struct({ limit: Schema.Int, seed: Schema.Int, within: Schema.Duration }),
    Result: EndingAccess,
    // Accounts are ordered by hash within each period. Each search begins at another account and wraps around, so that
    // processes begin with different accounts.
    execute: ({ limit, seed, within }) => sql`
      WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS now), walk AS MATERIALIZED (
        SELECT q.period, leg.since, leg.until FROM clock
          CROSS JOIN generate_series(${sql.literal(duePeriod("clock.now"))}, clock.now + ${seconds(within)},
            interval '10 minutes') AS q (period)
          CROSS JOIN (SELECT (${seed}::bigint * 2 - 2147483648)::int AS hash) AS start
          CROSS JOIN LATERAL (VALUES (1, start.hash, 2147483647), (2, -2147483648, start.hash)) AS leg (n, since, until)
        ORDER BY q.period, leg.n
      ), next AS MATERIALIZED (
        SELECT t.integration_id AS id, min(t.due_at) AS due_at
        FROM unnest(${renewing}::text[]) AS p (platform) CROSS JOIN LATERAL (
          SELECT t.integration_id, t.due_at FROM clock CROSS JOIN walk CROSS JOIN LATERAL (
            SELECT integration_id, due_at FROM post_targets ${sql.literal(inIndexOrder)}
            WHERE status = 'pending' AND due_at IS NOT NULL AND platform = p.platform
              AND ${sql.literal(duePeriod("due_at"))} = walk.period
              AND uuid_hash(integration_id) BETWEEN walk.since AND walk.until
              -- IS TRUE keeps the planner from an index of due times alone.
              AND (due_at > clock.now AND due_at <= clock.now + ${seconds(within)}) IS TRUE
            ORDER BY ${sql.literal(duePeriod("due_at"))}, uuid_hash(integration_id), integration_id, due_at LIMIT ${sql.literal(String(maxLookedAt))}) t
          LIMIT ${sql.literal(String(maxLookedAt))}) t
        GROUP BY t.integration_id
      ), idle AS MATERIALIZED (
        -- Without a post. Not in the passes for imminent posts, which are frequent.
        SELECT i.id, clock.now AS due_at FROM clock CROSS JOIN integrations i
        WHERE ${seconds(within)} >= ${seconds(idleFrom)} AND i.platform = ANY(${renewedIdle}::text[])
          AND i.status = 'connected'
          AND coalesce(i.access_until, greatest(i.renewed_at, i.updated_at) + ${seconds(usualLifetime)}) < clock.now
          AND i.id NOT IN (SELECT id FROM next)
        LIMIT ${limit}::int
      )
      SELECT i.id, i.workspace_id AS "workspaceId", i.platform, i.account_id AS "accountId", i.username,
        i.service_url AS "serviceUrl", i.credentials, i.updated_at::text AS version, a.ends <= next.due_at AS "endsBefore"
      FROM clock CROSS JOIN (SELECT id, due_at FROM next UNION ALL SELECT id, due_at FROM idle) next
        -- LIMIT makes the planner look up each account, also if statistics are too old to know how few they are.
        CROSS JOIN LATERAL (SELECT * FROM integrations WHERE id = next.id LIMIT 1) i
        CROSS JOIN LATERAL (SELECT coalesce(i.access_until,
          greatest(i.renewed_at, i.updated_at) + ${seconds(usualLifetime)}) AS ends) a
      WHERE i.status = 'connected' AND a.ends < next.due_at + ${seconds(margin)}
        AND (i.renewal_until IS NULL OR i.renewal_until <= clock.now)
        AND NOT EXISTS (SELECT FROM publishing_state WHERE held_since IS NOT NULL)
        AND NOT EXISTS (SELECT FROM processes WHERE NOT leases_renewals AND lease_until > clock.now)
      ORDER BY uuid_hash_extended(i.id, ${seed}::bigint) LIMIT ${limit}::int`
  })

  return (
    within: Duration.Duration,
    limit: number,
    seed: number
  ): Effect.Effect<ReadonlyArray<EndingAccess>, DatabaseUnavailable> =>
    find({ within, limit, seed }).pipe(
      withDatabaseTimeout("finding access that ends"),
      Effect.withSpan("Repo.integrations.endingAccess")
    )
})
