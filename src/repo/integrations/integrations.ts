import { DateTime, Effect, Option, Redacted, Schedule, Schema, Semaphore } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { CredentialsUnreadable, DatabaseUnavailable, NotFound } from "../../domain/errors.ts"
import { IntegrationId, nextIntegrationId, WorkspaceId } from "../../domain/ids.ts"
import { type ConnectedAccount, Integration } from "../../domain/integration.ts"
import { LivePlatform } from "../../domain/platform.ts"
import { Unavailable } from "../../domain/platformError.ts"
import { isUniqueViolation, mapDatabaseErrors, withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"
import { CredentialCipher } from "./CredentialCipher.ts"

export interface NewIntegration extends ConnectedAccount {
  readonly platform: LivePlatform
}

export interface Integrations {
  /** Newest first. */
  readonly list: (workspaceId: WorkspaceId) => Effect.Effect<ReadonlyArray<Integration>, DatabaseUnavailable>
  /** Connects an account; a platform that the workspace connected before keeps its integration's id. */
  readonly connect: (
    workspaceId: WorkspaceId,
    account: NewIntegration
  ) => Effect.Effect<Integration, NotFound | DatabaseUnavailable>
  /** With `accountId`, only while that is the connected account. */
  readonly credentials: (
    id: IntegrationId,
    accountId?: string
  ) => Effect.Effect<Redacted.Redacted, CredentialsUnreadable | DatabaseUnavailable>
  /**
   * Replaces credentials that have expired, while holding a lock on the row. Where the stored ones differ from `expired`,
   * another process has replaced them, and they are returned. Otherwise `renew` runs, and its result is stored before it is
   * returned. With `accountId`, only while that is the connected account.
   */
  readonly refreshCredentials: <E>(
    id: IntegrationId,
    expired: Redacted.Redacted,
    renew: Effect.Effect<Redacted.Redacted, E>,
    accountId?: string
  ) => Effect.Effect<Redacted.Redacted, E | CredentialsUnreadable | DatabaseUnavailable | Unavailable>
  /**
   * Records that the platform has refused the credentials, unless the account was connected again after the given version;
   * returns whether that was not recorded before.
   */
  readonly markNeedsReconnect: (id: IntegrationId, version: string) => Effect.Effect<boolean, DatabaseUnavailable>
  /** Deletes an account's credentials; targets that fall due for it afterwards fail. */
  readonly disconnect: (id: IntegrationId) => Effect.Effect<Integration, NotFound | DatabaseUnavailable>
  /** Encrypts with the current key what an older key encrypted; returns how many accounts' credentials that was. */
  readonly reencrypt: Effect.Effect<number, CredentialsUnreadable | DatabaseUnavailable>
}

/** Each renewal holds a connection until the platform responds, and the API needs most of the pool. */
const maxRenewals = 3
const tooManyRenewals = new Unavailable({ message: "The credentials of too many other accounts are being renewed" })

const credentialsCell = (id: IntegrationId) => `integrations/${id}/credentials`

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

  const findSealed = SqlSchema.findOne({
    Request: Schema.Struct({ id: IntegrationId, accountId: Schema.NullOr(Schema.String), locked: Schema.Boolean }),
    Result: Schema.Struct({ credentials: Schema.Uint8Array }),
    execute: ({ accountId, id, locked }) => sql`
      SELECT credentials FROM integrations WHERE id = ${id}::uuid AND credentials IS NOT NULL
        AND account_id = coalesce(${accountId}::text, account_id)
      ${sql.literal(locked ? "FOR NO KEY UPDATE" : "")}`
  })

  /** With `locked`, no other process locks them until the transaction ends. */
  const openCredentials = (id: IntegrationId, accountId: string | undefined, locked: boolean) =>
    findSealed({ id, accountId: accountId ?? null, locked }).pipe(
      Effect.catchTag(
        "NoSuchElementError",
        () => new CredentialsUnreadable({ message: "The account is not connected any more" })
      ),
      Effect.flatMap((row) => cipher.open(credentialsCell(id), row.credentials))
    )

  const writeSealed = SqlSchema.void({
    Request: Schema.Struct({ id: IntegrationId, sealed: Schema.Uint8Array }),
    execute: ({ id, sealed }) => sql`UPDATE integrations SET credentials = ${sealed}::bytea WHERE id = ${id}::uuid`
  })

  const storeCredentials = (id: IntegrationId, secret: Redacted.Redacted) =>
    Effect.flatMap(cipher.seal(credentialsCell(id), secret), (sealed) => writeSealed({ id, sealed }))

  const credentials: Integrations["credentials"] = Effect.fn("Repo.integrations.credentials")((id, accountId) =>
    openCredentials(id, accountId, false).pipe(withDatabaseTimeout("reading credentials"))
  )

  const renewals = yield* Semaphore.make(maxRenewals)

  const refreshCredentials: Integrations["refreshCredentials"] = (id, expired, renew, accountId) =>
    Effect.suspend(() => {
      let renewed: Redacted.Redacted | undefined
      const refresh = sql.withTransaction(
        Effect.gen(function* () {
          const stored = yield* openCredentials(id, accountId, true)
          if (Redacted.value(stored) !== Redacted.value(expired)) return stored
          renewed ??= yield* renew
          yield* storeCredentials(id, renewed)
          return renewed
        })
      )
      // The platform may not accept the old credentials any more, so the renewed ones must not be lost with a connection.
      return Effect.retry(mapDatabaseErrors("refreshing credentials")(refresh), {
        schedule: Schedule.spaced("1 second"),
        times: 60,
        while: (error) => renewed !== undefined && Schema.is(DatabaseUnavailable)(error)
      })
    }).pipe(
      // An interruption between the platform and the database would lose the only credentials that the platform accepts.
      Effect.uninterruptible,
      renewals.withPermitsIfAvailable(1),
      Effect.flatMap(Option.match({ onNone: () => Effect.fail(tooManyRenewals), onSome: Effect.succeed })),
      Effect.retry({ schedule: Schedule.spaced("250 millis"), times: 40, while: (error) => error === tooManyRenewals }),
      Effect.withSpan("Repo.integrations.refreshCredentials")
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

  const findAllSealed = SqlSchema.findAll({
    Request: Schema.Struct({}),
    Result: Schema.Struct({ id: IntegrationId, credentials: Schema.Uint8Array }),
    execute: () => sql`SELECT id, credentials FROM integrations WHERE credentials IS NOT NULL`
  })

  const reencryptOne = (id: IntegrationId) =>
    sql.withTransaction(Effect.flatMap(openCredentials(id, undefined, true), (secret) => storeCredentials(id, secret)))

  const reencrypt: Integrations["reencrypt"] = Effect.gen(function* () {
    const rows = yield* findAllSealed({})
    const outdated = rows.filter((row) => !cipher.isCurrent(row.credentials))
    yield* Effect.forEach(outdated, ({ id }) => reencryptOne(id), { discard: true })
    return outdated.length
  }).pipe(withDatabaseTimeout("re-encrypting credentials"), Effect.withSpan("Repo.integrations.reencrypt"))

  return {
    list,
    connect,
    credentials,
    refreshCredentials,
    markNeedsReconnect,
    disconnect,
    reencrypt
  } satisfies Integrations
})
