import { DateTime, Effect, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { WaitingPosts } from "../../domain/accounts/accountChange.ts"
import { NotFound } from "../../domain/errors.ts"
import { IntegrationId, WorkspaceId } from "../../domain/ids.ts"
import { LivePlatform } from "../../domain/platform.ts"
import { makeRecord } from "../events/record.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"
import { makeConnect } from "./connect.ts"
import { makeCredentialStore } from "./credentialStore.ts"
import { makeEndingAccess } from "./endingAccess.ts"
import { makeFormerAccess } from "./formerAccess.ts"
import type { Integrations } from "./Integrations.ts"
import { FormerAccountRow, IntegrationRow, integrationColumns, isOnKnownPlatform } from "./rows.ts"
import { makeUnreadableCredentials } from "./unreadableCredentials.ts"
import { makeWaitingPosts } from "./waitingPosts.ts"

const noSuchIntegration = new NotFound({ message: "There is no such connected account in this workspace" })

export const makeIntegrations = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = integrationColumns(sql)
  const isKnown = isOnKnownPlatform(sql)
  const formerAccess = yield* makeFormerAccess
  const record = yield* makeRecord
  const waitingPosts = yield* makeWaitingPosts

  const findConnected = SqlSchema.findAll({
    Request: WorkspaceId,
    Result: IntegrationRow,
    execute: (workspaceId) => sql`
      SELECT ${columns} FROM integrations
      WHERE workspace_id = ${workspaceId}::uuid AND status <> 'disconnected' AND ${isKnown}
      ORDER BY id DESC`
  })

  const list: Integrations["list"] = Effect.fn("Repo.integrations.list")((workspaceId) =>
    findConnected(workspaceId).pipe(withDatabaseTimeout("listing integrations"))
  )

  const findDetails = SqlSchema.findOne({
    Request: Schema.Struct({ workspaceId: WorkspaceId, id: IntegrationId }),
    Result: Schema.Struct({
      ...IntegrationRow.fields,
      ...WaitingPosts.fields,
      lastPublishedAt: Schema.NullOr(Timestamp)
    }),
    execute: ({ id, workspaceId }) => sql`
      SELECT i.*, w.*, (
          -- What an earlier account published last is not this account's. Newer posts can't be the earlier account's.
          SELECT CASE WHEN t.account_id IS NULL OR t.account_id = i.account_id THEN t.published_at END
          FROM post_targets t
          WHERE t.integration_id = i.id AND t.status = 'published' AND t.published_at IS NOT NULL
          ORDER BY t.published_at DESC LIMIT 1
        ) AS "lastPublishedAt"
      FROM (
        SELECT ${columns}, workspace_id FROM integrations
        WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid AND status <> 'disconnected' AND ${isKnown}
      ) i CROSS JOIN LATERAL (${waitingPosts.ownOf("i")}) w`
  })

  const get: Integrations["get"] = Effect.fn("Repo.integrations.get")((workspaceId, id) =>
    findDetails({ workspaceId, id }).pipe(
      Effect.map(({ drafts, failed, lastPublishedAt, scheduled, ...integration }) => ({
        ...integration,
        waiting: { drafts, scheduled, failed },
        last_published_at: lastPublishedAt
      })),
      Effect.catchTag("NoSuchElementError", () => noSuchIntegration),
      withDatabaseTimeout("reading an integration")
    )
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
    Request: Schema.Struct({ id: IntegrationId, workspaceId: Schema.NullOr(WorkspaceId), now: Timestamp }),
    Result: Schema.Struct({ ...IntegrationRow.fields, ...FormerAccountRow.fields, workspaceId: WorkspaceId }),
    execute: ({ id, now, workspaceId }) => sql`
      WITH known AS (
        SELECT ${columns}, workspace_id AS "workspaceId", account_id AS "accountId", service_url AS "serviceUrl", credentials
        FROM integrations
        WHERE id = ${id}::uuid AND workspace_id = coalesce(${workspaceId}::uuid, workspace_id) AND status <> 'disconnected'
          AND ${isKnown}
        FOR UPDATE
      ), disconnected AS (
        UPDATE integrations SET status = 'disconnected', credentials = NULL, updated_at = ${now}::timestamptz
        WHERE id IN (SELECT id FROM known)
      ), forgotten AS (
        DELETE FROM avatars WHERE integration_id IN (SELECT id FROM known)
      )
      SELECT * FROM known`
  })

  const disconnect: Integrations["disconnect"] = Effect.fn("Repo.integrations.disconnect")(function* (id, inWorkspace) {
    const writeAndRecord = Effect.gen(function* () {
      const now = yield* DateTime.now
      const { workspaceId, ...known } = yield* writeDisconnected({ id, workspaceId: inWorkspace ?? null, now })
      const data = { integration_id: id, platform: known.platform, status: "disconnected" } as const
      yield* record({ events: [{ workspaceId, event: { type: "integration.disconnected", data } }], notifications: [] })
      return known
    })
    const { accountId, credentials, serviceUrl, ...integration } = yield* sql.withTransaction(writeAndRecord).pipe(
      Effect.catchTag("NoSuchElementError", () =>
        inWorkspace === undefined
          ? new NotFound({ message: `There is no connected integration ${id}` })
          : noSuchIntegration
      ),
      withDatabaseTimeout("disconnecting an account")
    )
    return { integration, former: yield* formerAccess({ ...integration, accountId, serviceUrl, credentials }) }
  })

  return {
    ...(yield* makeCredentialStore),
    ...(yield* makeUnreadableCredentials),
    ...(yield* makeConnect),
    endingAccess: yield* makeEndingAccess,
    list,
    get,
    isConnected,
    markNeedsReconnect,
    disconnect
  } satisfies Integrations
})
