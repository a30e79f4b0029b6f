import { type DateTime, Effect, Option, type Redacted, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import { IntegrationId, WorkspaceId } from "../../domain/ids.ts"
import { LivePlatform } from "../../domain/platform.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"
import { makeFormerAccess } from "./formerAccess.ts"
import { FormerAccountRow } from "./rows.ts"

export interface NoticedAccount {
  readonly id: IntegrationId
  readonly workspaceId: WorkspaceId
  readonly platform: LivePlatform
  readonly username: string
  readonly connectedAt: DateTime.Utc
}

export interface AccountNotices {
  /** None if the credentials can't be read. */
  readonly find: (
    workspaceId: WorkspaceId,
    platform: LivePlatform
  ) => Effect.Effect<
    Option.Option<{ readonly account: NoticedAccount; readonly credentials: Redacted.Redacted }>,
    DatabaseUnavailable
  >
  /**
   * True if the workspace was not yet notified for this reason; false if the account was connected again since. Other
   * claimants wait until the surrounding transaction ends.
   */
  readonly claimNotice: (account: NoticedAccount, reason: string) => Effect.Effect<boolean, DatabaseUnavailable>
}

const Row = Schema.Struct({ ...FormerAccountRow.fields, connectedAt: Timestamp })

const Noticed = Schema.Struct({
  id: IntegrationId,
  workspaceId: WorkspaceId,
  reason: Schema.String,
  connectedAt: Timestamp
})

export const makeAccountNotices = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const access = yield* makeFormerAccess

  const findRow = SqlSchema.findOneOption({
    Request: Schema.Struct({ workspaceId: WorkspaceId, platform: LivePlatform }),
    Result: Row,
    execute: ({ platform, workspaceId }) => sql`
      SELECT id, platform, account_id AS "accountId", username, service_url AS "serviceUrl", credentials,
        updated_at AS "connectedAt"
      FROM integrations
      WHERE workspace_id = ${workspaceId}::uuid AND platform = ${platform} AND status = 'connected'`
  })

  const find: AccountNotices["find"] = Effect.fn("Repo.accountNotices.find")(function* (workspaceId, platform) {
    const row = yield* withDatabaseTimeout("reading an account")(findRow({ workspaceId, platform }))
    if (Option.isNone(row)) return Option.none()
    const { connectedAt, id, username } = row.value
    const open = yield* access(row.value)
    return Option.map(Option.fromNullOr(open), ({ credentials }) => ({
      account: { id, workspaceId, platform, username, connectedAt },
      credentials
    }))
  })

  const lock = SqlSchema.findOneOption({
    Request: Noticed,
    Result: Schema.Struct({ id: IntegrationId }),
    execute: ({ connectedAt, id, workspaceId }) => sql`
      SELECT id FROM integrations
      WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid AND status = 'connected'
        AND date_trunc('milliseconds', updated_at) = ${connectedAt}::timestamptz FOR NO KEY UPDATE`
  })

  const findNotification = SqlSchema.findOneOption({
    Request: Noticed,
    Result: Schema.Struct({ id: Schema.String }),
    execute: ({ connectedAt, id, reason, workspaceId }) => sql`
      SELECT id FROM notifications
      WHERE workspace_id = ${workspaceId}::uuid AND created_at >= ${connectedAt}::timestamptz AND type = 'integration.disconnected'
        AND metadata ->> 'integration_id' = ${id} AND metadata ->> 'reason' = ${reason} LIMIT 1`
  })

  const claimNotice: AccountNotices["claimNotice"] = Effect.fn("Repo.accountNotices.claimNotice")(
    function* (account, reason) {
      const noticed = { ...account, reason }
      if (Option.isNone(yield* lock(noticed))) return false
      return Option.isNone(yield* findNotification(noticed))
    },
    (effect) => withDatabaseTimeout("claiming a notice of an account")(effect)
  )

  return { find, claimNotice } satisfies AccountNotices
})
