import { type DateTime, Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import { IntegrationId, WorkspaceId } from "../../domain/ids.ts"
import { livePlatforms, renewsAccess } from "../../domain/plain/platforms.ts"
import { LivePlatform } from "../../domain/platform.ts"
import { lockTold } from "../notifications/lockTold.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"

/** A person is told this many days before the end. */
const Days = Schema.Literals([7, 1])

const Expiring = Schema.Struct({
  id: IntegrationId,
  workspaceId: WorkspaceId,
  platform: LivePlatform,
  username: Schema.String,
  accessUntil: Timestamp,
  days: Days
})
export type ExpiringAccount = typeof Expiring.Type

export interface ExpiringAccess {
  /**
   * The accounts whose access ends soon, and whose workspaces were not notified for this access and threshold. Joins
   * the transaction that notifies them. Until it ends, no other process is given accounts. Skips locked accounts.
   */
  readonly take: (
    now: DateTime.Utc,
    limit: number
  ) => Effect.Effect<ReadonlyArray<ExpiringAccount>, DatabaseUnavailable>
}

/** Platforms whose access ends for good. Other access is renewed. */
const ending = livePlatforms.filter((platform) => !renewsAccess(platform))

export const makeExpiringAccess = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // The access began when the account was last connected (updated_at). Notifications from before are of other access.
  const find = SqlSchema.findAll({
    Request: Schema.Struct({ now: Timestamp, limit: Schema.Int }),
    Result: Expiring,
    execute: ({ limit, now }) => sql`
      SELECT i.id, i.workspace_id AS "workspaceId", i.platform, i.username, i.access_until AS "accessUntil", due.days
      FROM integrations i CROSS JOIN LATERAL (
        SELECT CASE WHEN i.access_until <= ${now}::timestamptz + interval '1 day' THEN 1 ELSE 7 END AS days) due
      WHERE i.platform = ANY(${ending}::text[]) AND i.status = 'connected'
        AND i.access_until > ${now}::timestamptz AND i.access_until <= ${now}::timestamptz + interval '7 days'
        AND NOT EXISTS (SELECT FROM notifications n
          WHERE n.workspace_id = i.workspace_id AND n.type = 'integration.expiring'
            AND n.created_at >= date_trunc('milliseconds', i.updated_at)
            AND n.metadata ->> 'integration_id' = i.id::text AND (n.metadata ->> 'days')::int <= due.days)
      ORDER BY i.access_until LIMIT ${limit}::int FOR NO KEY UPDATE OF i SKIP LOCKED`
  })

  return {
    take: (now, limit) =>
      Effect.andThen(lockTold(sql, "integration.expiring"), find({ now, limit })).pipe(
        withDatabaseTimeout("finding access that ends for good"),
        Effect.withSpan("Repo.expiringAccess.take")
      )
  } satisfies ExpiringAccess
})
