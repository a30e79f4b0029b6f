import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { IntegrationId } from "../../domain/ids.ts"
import { Integration } from "../../domain/accounts/integration.ts"
import { LivePlatform } from "../../domain/platform.ts"
import { Timestamp } from "../postgres/rows.ts"

export const IntegrationRow = Schema.Struct({ ...Integration.fields, created_at: Timestamp })

export const integrationColumns = (sql: SqlClient.SqlClient) =>
  sql.literal("id, platform, account_id, username, display_name, avatar_url, status, created_at")

export const FormerAccountRow = Schema.Struct({
  id: IntegrationId,
  platform: LivePlatform,
  accountId: Schema.String,
  username: Schema.String,
  serviceUrl: Schema.NullOr(Schema.String),
  credentials: Schema.NullOr(Schema.Uint8Array)
})
export type FormerAccountRow = typeof FormerAccountRow.Type

/** Skips platforms without an adapter, which may come back. */
export const isOnKnownPlatform = (sql: SqlClient.SqlClient) => sql`platform = ANY(${LivePlatform.literals}::text[])`
