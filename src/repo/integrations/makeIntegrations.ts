import { DateTime, Effect, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { NotFound } from "../../domain/errors.ts"
import { IntegrationId, WorkspaceId } from "../../domain/ids.ts"
import { LivePlatform } from "../../domain/platform.ts"
import { makeRecord } from "../events/record.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"
import { makeConnect } from "./connect.ts"
import { makeCredentialStore } from "./credentialStore.ts"
import { makeFormerAccess } from "./formerAccess.ts"
import type { Integrations } from "./Integrations.ts"
import { FormerAccountRow, IntegrationRow, integrationColumns } from "./rows.ts"

export const makeIntegrations = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = integrationColumns(sql)
  const formerAccess = yield* makeFormerAccess
  const record = yield* makeRecord

  const findConnected = SqlSchema.findAll({
    Request: WorkspaceId,
    Result: IntegrationRow,
    execute: (workspaceId) => sql`
      SELECT ${columns} FROM integrations
      WHERE workspace_id = ${workspaceId}::uuid AND status <> 'disconnected' ORDER BY id DESC`
  })

  const list: Integrations["list"] = Effect.fn("Repo.integrations.list")((workspaceId) =>
    findConnected(workspaceId).pipe(withDatabaseTimeout("listing integrations"))
  )

  const findByAccount = SqlSchema.findOneOption({
    Request: Schema.Struct({ platform: LivePlatform, accountId: Schema.String }),
    Result: Schema.Struct({ id: IntegrationId }),
    execute: ({ accountId, platform }) => sql`
      SELECT id FROM integrations
      WHERE platform = ${platform} AND account_id = ${accountId} AND status <> 'disconnected' LIMIT 1`
  })

  const isConnected: Integrations["isConnected"] = Effect.fn("Repo.integrations.isConnected")((platform, accountId) =>
    findByAccount({ platform, accountId }).pipe(
      Effect.map(Option.isSome),
      withDatabaseTimeout("finding a connected account")
    )
  )

  const writeNeedsReconnect = SqlSchema.findOneOption({
    Request: Schema.Struct({ id: IntegrationId, version: Schema.String }),
    Result: Schema.Struct({ id: IntegrationId }),
    execute: ({ id, version }) => sql`
      UPDATE integrations SET status = 'needs_reconnect'
      WHERE id = ${id}::uuid AND status = 'connected' AND updated_at::text = ${version} RETURNING id`
  })

  const markNeedsReconnect: Integrations["markNeedsReconnect"] = Effect.fn("Repo.integrations.markNeedsReconnect")(
    (id, version) =>
      writeNeedsReconnect({ id, version }).pipe(
        Effect.map(Option.isSome),
        withDatabaseTimeout("marking an integration")
      )
  )

  const writeDisconnected = SqlSchema.findOne({
    Request: Schema.Struct({ id: IntegrationId, now: Timestamp }),
    Result: Schema.Struct({ ...IntegrationRow.fields, ...FormerAccountRow.fields, workspaceId: WorkspaceId }),
    execute: ({ id, now }) => sql`
      WITH known AS (
        SELECT ${columns}, workspace_id AS "workspaceId", account_id AS "accountId", service_url AS "serviceUrl", credentials
        FROM integrations WHERE id = ${id}::uuid AND status <> 'disconnected' FOR UPDATE
      ), disconnected AS (
        UPDATE integrations SET status = 'disconnected', credentials = NULL, updated_at = ${now}::timestamptz
        WHERE id IN (SELECT id FROM known)
      )
      SELECT * FROM known`
  })

  const disconnect: Integrations["disconnect"] = Effect.fn("Repo.integrations.disconnect")(function* (id) {
    const writeAndRecord = Effect.gen(function* () {
      const { workspaceId, ...known } = yield* writeDisconnected({ id, now: yield* DateTime.now })
      const data = { integration_id: id, platform: known.platform, status: "disconnected" } as const
      yield* record({ events: [{ workspaceId, event: { type: "integration.disconnected", data } }], notifications: [] })
      return known
    })
    const { accountId, credentials, serviceUrl, ...integration } = yield* sql.withTransaction(writeAndRecord).pipe(
      Effect.catchTag("NoSuchElementError", () => new NotFound({ message: `There is no connected integration ${id}` })),
      withDatabaseTimeout("disconnecting an account")
    )
    const former = yield* formerAccess({
      id,
      platform: integration.platform,
      accountId,
      username: integration.username,
      serviceUrl,
      credentials
    })
    return { integration, former }
  })

  return {
    ...(yield* makeCredentialStore),
    ...(yield* makeConnect),
    list,
    isConnected,
    markNeedsReconnect,
    disconnect
  } satisfies Integrations
})
