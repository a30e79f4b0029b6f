import { DateTime, Effect, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { type DatabaseUnavailable, NotFound } from "../../domain/errors.ts"
import { IntegrationId, nextIntegrationId, WorkspaceId } from "../../domain/ids.ts"
import { type ConnectedAccount, Integration } from "../../domain/integration.ts"
import { LivePlatform } from "../../domain/platform.ts"
import { isUniqueViolation, withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"
import { CredentialCipher } from "./CredentialCipher.ts"
import { credentialsCell, makeCredentialStore, type CredentialStore } from "./credentialStore.ts"

export interface NewIntegration extends ConnectedAccount {
  readonly platform: LivePlatform
}

export interface Integrations extends CredentialStore {
  /** Newest first. */
  readonly list: (workspaceId: WorkspaceId) => Effect.Effect<ReadonlyArray<Integration>, DatabaseUnavailable>
  /** Connects an account; a platform that the workspace connected before keeps its integration's id. */
  readonly connect: (
    workspaceId: WorkspaceId,
    account: NewIntegration
  ) => Effect.Effect<Integration, NotFound | DatabaseUnavailable>
  /**
   * Records that the platform has refused the credentials, unless the account was connected again after the given version;
   * returns whether that was not recorded before.
   */
  readonly markNeedsReconnect: (id: IntegrationId, version: string) => Effect.Effect<boolean, DatabaseUnavailable>
  /** Deletes an account's credentials; targets that fall due for it afterwards fail. */
  readonly disconnect: (id: IntegrationId) => Effect.Effect<Integration, NotFound | DatabaseUnavailable>
}

const IntegrationRow = Schema.Struct({ ...Integration.fields, created_at: Timestamp })

export const makeIntegrations = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const cipher = yield* CredentialCipher
  const columns = sql.literal("id, platform, username, display_name, avatar_url, status, created_at")

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

  const lockByPlatform = SqlSchema.findOneOption({
    Request: Schema.Struct({ workspaceId: WorkspaceId, platform: LivePlatform }),
    Result: Schema.Struct({ id: IntegrationId }),
    execute: ({ platform, workspaceId }) => sql`
      SELECT id FROM integrations WHERE workspace_id = ${workspaceId}::uuid AND platform = ${platform} FOR UPDATE`
  })

  const upsert = SqlSchema.findOne({
    Request: Schema.Struct({
      id: IntegrationId,
      workspaceId: WorkspaceId,
      platform: LivePlatform,
      accountId: Schema.String,
      username: Schema.String,
      displayName: Schema.NullOr(Schema.String),
      avatarUrl: Schema.NullOr(Schema.String),
      serviceUrl: Schema.NullOr(Schema.String),
      sealed: Schema.Uint8Array,
      now: Timestamp
    }),
    Result: IntegrationRow,
    execute: (account) => sql`
      INSERT INTO integrations (id, workspace_id, platform, account_id, username, display_name, avatar_url, service_url,
        status, credentials, created_at, updated_at)
      SELECT ${account.id}::uuid, w.id, ${account.platform}, ${account.accountId}, ${account.username},
        ${account.displayName}::text, ${account.avatarUrl}::text, ${account.serviceUrl}::text, 'connected',
        ${account.sealed}::bytea, ${account.now}::timestamptz, ${account.now}::timestamptz
      FROM workspaces w WHERE w.id = ${account.workspaceId}::uuid
      ON CONFLICT (id) DO UPDATE SET account_id = excluded.account_id, username = excluded.username,
        display_name = excluded.display_name, avatar_url = excluded.avatar_url, service_url = excluded.service_url,
        status = excluded.status, credentials = excluded.credentials, updated_at = excluded.updated_at
      RETURNING ${columns}`
  })

  const connect: Integrations["connect"] = Effect.fn("Repo.integrations.connect")((workspaceId, account) =>
    sql
      .withTransaction(
        Effect.gen(function* () {
          const now = yield* DateTime.now
          const known = yield* lockByPlatform({ workspaceId, platform: account.platform })
          const id = Option.isSome(known) ? known.value.id : yield* nextIntegrationId
          const sealed = yield* cipher.seal(credentialsCell(id), account.credentials)
          return yield* upsert({ ...account, id, workspaceId, sealed, now }).pipe(
            Effect.catchTag(
              "NoSuchElementError",
              () => new NotFound({ message: `There is no workspace ${workspaceId}` })
            )
          )
        })
      )
      .pipe(
        // Two first connections at once: the second one finds the row of the first when it is tried again.
        Effect.retry({ times: 1, while: isUniqueViolation }),
        withDatabaseTimeout("connecting an account")
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
    Result: IntegrationRow,
    execute: ({ id, now }) => sql`
      WITH known AS (
        SELECT ${columns} FROM integrations WHERE id = ${id}::uuid AND status <> 'disconnected' FOR UPDATE
      ), disconnected AS (
        UPDATE integrations SET status = 'disconnected', credentials = NULL, updated_at = ${now}::timestamptz
        WHERE id IN (SELECT id FROM known)
      )
      SELECT * FROM known`
  })

  const disconnect: Integrations["disconnect"] = Effect.fn("Repo.integrations.disconnect")(function* (id) {
    return yield* writeDisconnected({ id, now: yield* DateTime.now }).pipe(
      Effect.catchTag("NoSuchElementError", () => new NotFound({ message: `There is no connected integration ${id}` })),
      withDatabaseTimeout("disconnecting an account")
    )
  })

  return {
    ...(yield* makeCredentialStore),
    list,
    connect,
    markNeedsReconnect,
    disconnect
  } satisfies Integrations
})
