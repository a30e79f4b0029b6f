import { DateTime, Effect, Option, Redacted, Schedule, Schema, Semaphore } from "effect"
import { SqlClient, SqlError, SqlSchema } from "effect/sql"
import { CredentialsUnreadable, DatabaseUnavailable, NotFound } from "../../domain/errors.ts"
import { type IntegrationId, nextIntegrationId, type WorkspaceId } from "../../domain/ids.ts"
import { Integration } from "../../domain/integration.ts"
import type { LivePlatform } from "../../domain/platform.ts"
import { Unavailable } from "../../domain/platformError.ts"
import { CredentialCipher } from "./CredentialCipher.ts"
import { orAway, orUnavailable } from "../postgres/query.ts"
import { Timestamp } from "../postgres/rows.ts"

export interface NewIntegration {
  readonly platform: LivePlatform
  readonly accountId: string
  readonly username: string
  readonly displayName: string | null
  readonly avatarUrl: string | null
  readonly serviceUrl: string | null
  readonly credentials: Redacted.Redacted
}

export interface Integrations {
  /** Newest first. */
  readonly list: (workspaceId: WorkspaceId) => Effect.Effect<ReadonlyArray<Integration>, DatabaseUnavailable>
  /** Connects an account, or connects it again under the id that the platform's integration had. */
  readonly connect: (
    workspaceId: WorkspaceId,
    account: NewIntegration
  ) => Effect.Effect<Integration, NotFound | DatabaseUnavailable>
  /** With `accountId`, only while that is the account that is connected. */
  readonly credentials: (
    id: IntegrationId,
    accountId?: string
  ) => Effect.Effect<Redacted.Redacted, CredentialsUnreadable | DatabaseUnavailable>
  /**
   * Replaces credentials that were found to have run out, holding the row: where they differ from `seen` by now, another
   * process has replaced them and its are the answer; else `renew` runs and what it answers is stored first. With
   * `accountId`, only while that is the account that is connected.
   */
  readonly refreshCredentials: <E>(
    id: IntegrationId,
    seen: Redacted.Redacted,
    renew: Effect.Effect<Redacted.Redacted, E>,
    accountId?: string
  ) => Effect.Effect<Redacted.Redacted, E | CredentialsUnreadable | DatabaseUnavailable | Unavailable>
  /**
   * Notes that the platform has refused the credentials, unless the account has been connected again since the given
   * version; answers whether that was not known before.
   */
  readonly markNeedsReconnect: (id: IntegrationId, version: string) => Effect.Effect<boolean, DatabaseUnavailable>
  /** Forgets an account's credentials; what is due for it from then on fails. */
  readonly disconnect: (id: IntegrationId) => Effect.Effect<Integration, NotFound | DatabaseUnavailable>
  /** Encrypts anew what an older key encrypted; answers how many accounts' credentials that was. */
  readonly reencrypt: Effect.Effect<number, CredentialsUnreadable | DatabaseUnavailable>
}

/** Each holds a connection while the platform answers, of which the API needs most. */
const mostRenewals = 3
const tooMany = new Unavailable({ message: "The credentials of too many other accounts are being renewed" })

const rowOf = (id: IntegrationId) => `integrations/${id}/credentials`

const IntegrationRow = Schema.Struct({ ...Integration.fields, created_at: Timestamp })

export const makeIntegrations = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const cipher = yield* CredentialCipher
  const columns = sql.literal("id, platform, username, display_name, avatar_url, status, created_at")

  const list: Integrations["list"] = Effect.fn("Repo.integrations.list")((workspaceId) =>
    sql`SELECT ${columns} FROM integrations
      WHERE workspace_id = ${workspaceId}::uuid AND status <> 'disconnected' ORDER BY id DESC`.pipe(
      Effect.flatMap(Schema.decodeUnknownEffect(Schema.Array(IntegrationRow))),
      orUnavailable("listing integrations")
    )
  )

  const connect: Integrations["connect"] = Effect.fn("Repo.integrations.connect")((workspaceId, account) =>
    sql
      .withTransaction(
        Effect.gen(function* () {
          const now = DateTime.toDateUtc(yield* DateTime.now)
          const [known] = yield* sql`SELECT id FROM integrations
        WHERE workspace_id = ${workspaceId}::uuid AND platform = ${account.platform} FOR UPDATE`.pipe(
            Effect.flatMap(Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Integration.fields.id }))))
          )
          const id = known?.id ?? (yield* nextIntegrationId)
          const sealed = yield* cipher.seal(rowOf(id), account.credentials)
          const [stored] = yield* sql`
        INSERT INTO integrations (id, workspace_id, platform, account_id, username, display_name, avatar_url, service_url,
          status, credentials, created_at, updated_at)
        SELECT ${id}::uuid, w.id, ${account.platform}, ${account.accountId}, ${account.username},
          ${account.displayName}::text, ${account.avatarUrl}::text, ${account.serviceUrl}::text, 'connected',
          ${sealed}::bytea, ${now}::timestamptz, ${now}::timestamptz
        FROM workspaces w WHERE w.id = ${workspaceId}::uuid
        ON CONFLICT (id) DO UPDATE SET account_id = excluded.account_id, username = excluded.username,
          display_name = excluded.display_name, avatar_url = excluded.avatar_url, service_url = excluded.service_url,
          status = excluded.status, credentials = excluded.credentials, updated_at = excluded.updated_at
        RETURNING ${columns}`.pipe(Effect.flatMap(Schema.decodeUnknownEffect(Schema.Array(IntegrationRow))))
          return stored ?? (yield* new NotFound({ message: `There is no workspace ${workspaceId}` }))
        })
      )
      .pipe(
        // Two first connections at once: the one that comes second finds the row of the other.
        Effect.retry({
          times: 1,
          while: (error) => SqlError.isSqlError(error) && error.reason._tag === "UniqueViolation"
        }),
        orUnavailable("connecting an account")
      )
  )

  /** The sealed credentials; with `locked`, no other process reads them so until the transaction ends. */
  const sealedCredentials = (id: IntegrationId, locked: boolean, accountId: string | null = null) =>
    SqlSchema.findOne({
      Request: Schema.Void,
      Result: Schema.Struct({ credentials: Schema.Uint8Array }),
      execute: () =>
        sql`SELECT credentials FROM integrations WHERE id = ${id}::uuid AND credentials IS NOT NULL AND account_id = coalesce(${accountId}::text, account_id)
          ${sql.literal(locked ? "FOR NO KEY UPDATE" : "")}`
    })(undefined).pipe(
      Effect.catchTag(
        "NoSuchElementError",
        () => new CredentialsUnreadable({ message: "The account is not connected any more" })
      ),
      Effect.flatMap((row) => cipher.open(rowOf(id), row.credentials))
    )

  const credentials: Integrations["credentials"] = Effect.fn("Repo.integrations.credentials")((id, accountId) =>
    sealedCredentials(id, false, accountId).pipe(orUnavailable("reading credentials"))
  )

  const renewals = yield* Semaphore.make(mostRenewals)

  const refreshCredentials: Integrations["refreshCredentials"] = (id, seen, renew, accountId) =>
    Effect.suspend(() => {
      let renewed: Redacted.Redacted | undefined
      const once = sql.withTransaction(
        Effect.gen(function* () {
          const stored = yield* sealedCredentials(id, true, accountId)
          if (Redacted.value(stored) !== Redacted.value(seen)) return stored
          renewed ??= yield* renew
          yield* sql`UPDATE integrations SET credentials = ${yield* cipher.seal(rowOf(id), renewed)}::bytea
        WHERE id = ${id}::uuid`
          return renewed
        })
      )
      // The old ones may be spent now, so what was renewed must not be lost with the connection.
      return Effect.retry(orAway("refreshing credentials")(once), {
        schedule: Schedule.spaced("1 second"),
        times: 60,
        while: (error) => renewed !== undefined && Schema.is(DatabaseUnavailable)(error)
      })
    }).pipe(
      // Interrupted between the platform and the database, the only credentials that the platform still takes would be lost.
      Effect.uninterruptible,
      renewals.withPermitsIfAvailable(1),
      Effect.flatMap(Option.match({ onNone: () => Effect.fail(tooMany), onSome: Effect.succeed })),
      Effect.retry({ schedule: Schedule.spaced("250 millis"), times: 40, while: (error) => error === tooMany }),
      Effect.withSpan("Repo.integrations.refreshCredentials")
    )

  const markNeedsReconnect: Integrations["markNeedsReconnect"] = Effect.fn("Repo.integrations.markNeedsReconnect")(
    function* (id, version) {
      const marked = yield* sql`UPDATE integrations SET status = 'needs_reconnect'
        WHERE id = ${id}::uuid AND status = 'connected' AND updated_at::text = ${version} RETURNING id`.pipe(
        orUnavailable("marking an integration")
      )
      return marked.length > 0
    }
  )

  const disconnect: Integrations["disconnect"] = Effect.fn("Repo.integrations.disconnect")(function* (id) {
    const now = DateTime.toDateUtc(yield* DateTime.now)
    const [gone] = yield* sql`
      WITH known AS (
        SELECT ${columns} FROM integrations WHERE id = ${id}::uuid AND status <> 'disconnected' FOR UPDATE
      ), gone AS (
        UPDATE integrations SET status = 'disconnected', credentials = NULL, updated_at = ${now}::timestamptz
        WHERE id IN (SELECT id FROM known)
      )
      SELECT * FROM known`.pipe(
      Effect.flatMap(Schema.decodeUnknownEffect(Schema.Array(IntegrationRow))),
      orUnavailable("disconnecting an account")
    )
    return gone ?? (yield* new NotFound({ message: `There is no connected integration ${id}` }))
  })

  const reencryptOne = (id: IntegrationId) =>
    sql.withTransaction(
      Effect.gen(function* () {
        const opened = yield* sealedCredentials(id, true)
        yield* sql`UPDATE integrations SET credentials = ${yield* cipher.seal(rowOf(id), opened)}::bytea WHERE id = ${id}::uuid`
      })
    )

  const reencrypt: Integrations["reencrypt"] = Effect.gen(function* () {
    const rows = yield* sql`SELECT id, credentials FROM integrations WHERE credentials IS NOT NULL`.pipe(
      Effect.flatMap(
        Schema.decodeUnknownEffect(
          Schema.Array(Schema.Struct({ id: Integration.fields.id, credentials: Schema.Uint8Array }))
        )
      )
    )
    const outdated = rows.filter((row) => !cipher.isCurrent(row.credentials))
    yield* Effect.forEach(outdated, ({ id }) => reencryptOne(id), { discard: true })
    return outdated.length
  }).pipe(orUnavailable("encrypting credentials anew"), Effect.withSpan("Repo.integrations.reencrypt"))

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
