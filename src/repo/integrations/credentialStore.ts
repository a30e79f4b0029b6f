import { type Array as Arr, Effect, Exit, type Redacted, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { CredentialsUnreadable, DatabaseUnavailable } from "../../domain/errors.ts"
import { IntegrationId } from "../../domain/ids.ts"
import type { Unavailable } from "../../domain/publishing/platformError.ts"
import { batchBounds } from "../batchBounds.ts"
import { makeBatch } from "../makeBatch.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { CredentialCipher } from "./CredentialCipher.ts"
import type { FormerAccess } from "./Integrations.ts"
import { reencryptEach, type Reencrypted } from "./reencrypted.ts"
import { makeRenewalLeases } from "./renewalLease.ts"
import { type CredentialRefresh, makeRenewals } from "./renewals.ts"

export interface CredentialStore {
  /**
   * With `accountId`, only that account's credentials. Fails with Unavailable if the account is no longer connected.
   * Not for transactions: concurrent calls share a statement.
   */
  readonly credentials: (
    id: IntegrationId,
    accountId?: string
  ) => Effect.Effect<Redacted.Redacted, CredentialsUnreadable | DatabaseUnavailable | Unavailable>
  readonly openCredentials: (
    id: IntegrationId,
    sealed: Uint8Array
  ) => Effect.Effect<Redacted.Redacted, CredentialsUnreadable>
  /**
   * If another process has replaced `expired`, returns the stored credentials. Otherwise one process runs `renew`
   * without a database connection, and stores its result, which all callers get. With `accountId`, works only while
   * that account is connected.
   */
  readonly refreshCredentials: CredentialRefresh
  /** Takes the access of accounts that were disconnected or replaced during its renewal. It is not stored. */
  readonly takeUnwanted: Effect.Effect<ReadonlyArray<FormerAccess>>
  readonly reencrypt: Effect.Effect<Reencrypted<IntegrationId>, DatabaseUnavailable>
}

const Wanted = Schema.Struct({ id: IntegrationId, accountId: Schema.NullOr(Schema.String) })

export const credentialsCell = (id: IntegrationId) => `integrations/${id}/credentials`

export const makeCredentialStore = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const cipher = yield* CredentialCipher

  // Not prepared: a plan from when there were few accounts would read all of them.
  const findSealed = SqlSchema.findAll({
    Request: Schema.fromJsonString(Schema.Array(Wanted)),
    Result: Schema.Struct({ id: IntegrationId, accountId: Schema.String, credentials: Schema.Uint8Array }),
    execute: (wanted) =>
      sql`
      SELECT i.* FROM json_to_recordset(${wanted}::json) AS wanted (id uuid, "accountId" text) CROSS JOIN LATERAL (
        SELECT id, account_id AS "accountId", credentials FROM integrations
        WHERE id = wanted.id AND credentials IS NOT NULL AND account_id = coalesce(wanted."accountId", account_id)
        OFFSET 0) i`.unprepared
  })

  const open = (id: IntegrationId, sealed: Uint8Array) => cipher.open(credentialsCell(id), sealed)
  const seal = (id: IntegrationId, secret: Redacted.Redacted) => cipher.seal(credentialsCell(id), secret)

  const { call: readSealed } = makeBatch(
    batchBounds.readCredentials,
    Effect.fnUntraced(function* (wanted: Arr.NonEmptyReadonlyArray<typeof Wanted.Type>) {
      const rows = yield* findSealed(wanted).pipe(withDatabaseTimeout("reading credentials"))
      return wanted.map(({ accountId, id }) =>
        Exit.succeed(
          rows.find((row) => row.id === id && (accountId === null || row.accountId === accountId))?.credentials
        )
      )
    })
  )

  const read = (id: IntegrationId, accountId?: string) => readSealed({ id, accountId: accountId ?? null })

  const renewals = makeRenewals({ read, open, seal }, yield* makeRenewalLeases)
  yield* Effect.addFinalizer(() => renewals.awaitStored)

  const openCredentials: CredentialStore["openCredentials"] = renewals.open

  const credentials: CredentialStore["credentials"] = (id, accountId) =>
    Effect.map(renewals.current(id, accountId), (found) => found.credentials)

  const refreshCredentials: CredentialStore["refreshCredentials"] = (...args) =>
    Effect.withSpan(renewals.refreshCredentials(...args), "Repo.integrations.refreshCredentials")

  const findAllSealed = SqlSchema.findAll({
    Request: Schema.Struct({}),
    Result: Schema.Struct({ id: IntegrationId, credentials: Schema.Uint8Array }),
    execute: () => sql`SELECT id, credentials FROM integrations WHERE credentials IS NOT NULL`
  })

  const lock = SqlSchema.findAll({
    Request: IntegrationId,
    Result: Schema.Struct({ credentials: Schema.Uint8Array }),
    execute: (id) => sql`
      SELECT credentials FROM integrations WHERE id = ${id}::uuid AND credentials IS NOT NULL FOR NO KEY UPDATE`
  })

  const write = SqlSchema.void({
    Request: Schema.Struct({ id: IntegrationId, sealed: Schema.Uint8Array }),
    execute: ({ id, sealed }) => sql`UPDATE integrations SET credentials = ${sealed}::bytea WHERE id = ${id}::uuid`
  })

  /** A renewal that is running recognizes the re-encrypted credentials. */
  const reencryptOne = (id: IntegrationId) =>
    lock(id).pipe(
      Effect.flatMap((rows) =>
        Effect.forEach(rows, ({ credentials: sealed }) =>
          Effect.flatMap(open(id, sealed), (secret) =>
            Effect.flatMap(seal(id, secret), (again) => write({ id, sealed: again }))
          )
        )
      ),
      sql.withTransaction,
      Effect.asVoid,
      withDatabaseTimeout("re-encrypting credentials")
    )

  const reencrypt: CredentialStore["reencrypt"] = Effect.gen(function* () {
    const rows = yield* findAllSealed({}).pipe(withDatabaseTimeout("finding credentials"))
    const outdated = rows.filter((row) => !cipher.isCurrent(row.credentials))
    return yield* reencryptEach("credentials", outdated, reencryptOne)
  }).pipe(Effect.withSpan("Repo.integrations.reencrypt"))

  return {
    credentials,
    openCredentials,
    refreshCredentials,
    takeUnwanted: renewals.takeUnwanted,
    reencrypt
  } satisfies CredentialStore
})
