import {
  type Array as Arr,
  DateTime,
  Duration,
  Effect,
  Exit,
  Option,
  Redacted,
  Schedule,
  Schema,
  Semaphore
} from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { type CredentialsUnreadable, DatabaseUnavailable } from "../../domain/errors.ts"
import { IntegrationId } from "../../domain/ids.ts"
import type { RenewedAccess } from "../../domain/accounts/integration.ts"
import { withGrace } from "../../domain/grace.ts"
import { Unavailable } from "../../domain/publishing/platformError.ts"
import { makeGroupCommit } from "../groupCommit.ts"
import { mapDatabaseErrors, withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"
import { CredentialCipher } from "./CredentialCipher.ts"
import { reencryptEach, type Reencrypted } from "./reencrypted.ts"

/** The credentials of connected accounts, encrypted at rest. */
export interface CredentialStore {
  /**
   * Reads credentials; with `accountId` only while that is the connected account. What is asked for at once is read by one statement. Not
   * within a transaction. Unavailable where that account is not connected any more, as in `refreshCredentials`.
   */
  readonly credentials: (
    id: IntegrationId,
    accountId?: string
  ) => Effect.Effect<Redacted.Redacted, CredentialsUnreadable | DatabaseUnavailable | Unavailable>
  /** Decrypts credentials of an account that were read with something else. */
  readonly openCredentials: (
    id: IntegrationId,
    sealed: Uint8Array
  ) => Effect.Effect<Redacted.Redacted, CredentialsUnreadable>
  /**
   * Replaces credentials that have expired, while holding a lock on the row. Where the stored ones differ from `expired`,
   * another process has replaced them, and they are returned. Otherwise `renew` runs, and the credentials that it returns are
   * stored before they are returned here, with the handle and the host where it says them. With `accountId`, only while that
   * is the connected account.
   */
  readonly refreshCredentials: <E>(
    id: IntegrationId,
    expired: Redacted.Redacted,
    renew: Effect.Effect<RenewedAccess, E>,
    accountId?: string
  ) => Effect.Effect<Redacted.Redacted, E | CredentialsUnreadable | DatabaseUnavailable | Unavailable>
  /** Encrypts with the current key what an older key encrypted. */
  readonly reencrypt: Effect.Effect<Reencrypted<IntegrationId>, DatabaseUnavailable>
}

/** How long a renewal goes on after an interruption: a platform that responds at all has responded by then. */
const renewalGrace = Duration.seconds(4)

/** Each renewal holds a connection until the platform responds, and the API needs most of the pool. */
const maxRenewals = 3
const tooManyRenewals = new Unavailable({ message: "The credentials of too many other accounts are being renewed" })

const Wanted = Schema.Struct({ id: IntegrationId, accountId: Schema.NullOr(Schema.String) })

/** The row and column that a stored value is authenticated with. */
export const credentialsCell = (id: IntegrationId) => `integrations/${id}/credentials`

export const makeCredentialStore = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const cipher = yield* CredentialCipher

  // Not prepared: a plan from when there were few accounts would read all of them.
  const findSealed = SqlSchema.findAll({
    Request: Schema.Struct({ wanted: Schema.fromJsonString(Schema.Array(Wanted)), locked: Schema.Boolean }),
    Result: Schema.Struct({ id: IntegrationId, accountId: Schema.String, credentials: Schema.Uint8Array }),
    execute: ({ locked, wanted }) =>
      sql`
      SELECT i.* FROM json_to_recordset(${wanted}::json) AS wanted (id uuid, "accountId" text) CROSS JOIN LATERAL (
        SELECT id, account_id AS "accountId", credentials FROM integrations
        WHERE id = wanted.id AND credentials IS NOT NULL AND account_id = coalesce(wanted."accountId", account_id)
        OFFSET 0 ${sql.literal(locked ? "FOR NO KEY UPDATE" : "")}) i`.unprepared
  })

  const openCredentials: CredentialStore["openCredentials"] = (id, sealed) => cipher.open(credentialsCell(id), sealed)

  const open = (
    id: IntegrationId,
    sealed: Uint8Array | undefined
  ): Effect.Effect<Redacted.Redacted, CredentialsUnreadable | Unavailable> =>
    sealed === undefined
      ? new Unavailable({ message: "The account is not connected any more" })
      : openCredentials(id, sealed)

  /** No other process locks them until the transaction ends. */
  const lockCredentials = (id: IntegrationId, accountId: string | undefined) =>
    Effect.flatMap(findSealed({ wanted: [{ id, accountId: accountId ?? null }], locked: true }), ([row]) =>
      open(id, row?.credentials)
    )

  const writeSealed = SqlSchema.void({
    Request: Schema.Struct({ id: IntegrationId, sealed: Schema.Uint8Array }),
    execute: ({ id, sealed }) => sql`UPDATE integrations SET credentials = ${sealed}::bytea WHERE id = ${id}::uuid`
  })

  const storeCredentials = (id: IntegrationId, secret: Redacted.Redacted) =>
    Effect.flatMap(cipher.seal(credentialsCell(id), secret), (sealed) => writeSealed({ id, sealed }))

  const writeRenewed = SqlSchema.void({
    Request: Schema.Struct({
      id: IntegrationId,
      sealed: Schema.Uint8Array,
      username: Schema.NullOr(Schema.String),
      saysHost: Schema.Boolean,
      host: Schema.NullOr(Schema.String),
      now: Timestamp
    }),
    execute: ({ host, id, now, saysHost, sealed, username }) => sql`
      UPDATE integrations SET credentials = ${sealed}::bytea, renewed_at = ${now}::timestamptz,
        username = coalesce(${username}::text, username),
        host = CASE WHEN ${saysHost}::boolean THEN ${host}::text ELSE host END
      WHERE id = ${id}::uuid`
  })

  const storeRenewed = Effect.fnUntraced(function* (id: IntegrationId, { credentials, host, username }: RenewedAccess) {
    yield* writeRenewed({
      id,
      sealed: yield* cipher.seal(credentialsCell(id), credentials),
      username: username ?? null,
      saysHost: host !== undefined,
      host: host ?? null,
      now: yield* DateTime.now
    })
  })

  const { writeOne: readSealed } = yield* makeGroupCommit(
    Effect.fnUntraced(function* (wanted: Arr.NonEmptyReadonlyArray<typeof Wanted.Type>) {
      const rows = yield* findSealed({ wanted, locked: false }).pipe(withDatabaseTimeout("reading credentials"))
      return wanted.map(({ accountId, id }) =>
        Exit.succeed(
          rows.find((row) => row.id === id && (accountId === null || row.accountId === accountId))?.credentials
        )
      )
    })
  )

  const credentials: CredentialStore["credentials"] = (id, accountId) =>
    Effect.flatMap(readSealed({ id, accountId: accountId ?? null }), (sealed) => open(id, sealed))

  const renewals = yield* Semaphore.make(maxRenewals)

  const refreshCredentials: CredentialStore["refreshCredentials"] = (id, expired, renew, accountId) =>
    Effect.suspend(() => {
      let renewed: RenewedAccess | undefined
      const refresh = sql.withTransaction(
        Effect.gen(function* () {
          const stored = yield* lockCredentials(id, accountId)
          if (Redacted.value(stored) !== Redacted.value(expired)) return stored
          renewed ??= yield* renew
          yield* storeRenewed(id, renewed)
          return renewed.credentials
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
      withGrace(renewalGrace),
      renewals.withPermitsIfAvailable(1),
      Effect.flatMap(Option.match({ onNone: () => Effect.fail(tooManyRenewals), onSome: Effect.succeed })),
      Effect.retry({ schedule: Schedule.spaced("250 millis"), times: 40, while: (error) => error === tooManyRenewals }),
      Effect.withSpan("Repo.integrations.refreshCredentials")
    )

  const findAllSealed = SqlSchema.findAll({
    Request: Schema.Struct({}),
    Result: Schema.Struct({ id: IntegrationId, credentials: Schema.Uint8Array }),
    execute: () => sql`SELECT id, credentials FROM integrations WHERE credentials IS NOT NULL`
  })

  const reencryptOne = (id: IntegrationId) =>
    sql.withTransaction(Effect.flatMap(lockCredentials(id, undefined), (secret) => storeCredentials(id, secret))).pipe(
      // Disconnected meanwhile, and nothing is stored of it.
      Effect.catchTag("Unavailable", () => Effect.void),
      withDatabaseTimeout("re-encrypting credentials")
    )

  const reencrypt: CredentialStore["reencrypt"] = Effect.gen(function* () {
    const rows = yield* findAllSealed({}).pipe(withDatabaseTimeout("finding credentials"))
    const outdated = rows.filter((row) => !cipher.isCurrent(row.credentials))
    return yield* reencryptEach("credentials", outdated, reencryptOne)
  }).pipe(Effect.withSpan("Repo.integrations.reencrypt"))

  return { credentials, openCredentials, refreshCredentials, reencrypt } satisfies CredentialStore
})
