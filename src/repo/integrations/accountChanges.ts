import { DateTime, Duration, Effect, Option, Redacted, Schema } from "effect"
import { Hex } from "effect/encoding"
import { SqlClient, SqlSchema } from "effect/sql"
import type { CredentialsUnreadable, DatabaseUnavailable } from "../../domain/errors.ts"
import { ApiKeyId, WorkspaceId } from "../../domain/ids.ts"
import { LivePlatform } from "../../domain/platform.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"
import { readableRows } from "../readableRows.ts"
import { makeTokens } from "../sha256.ts"
import { CredentialCipher } from "./CredentialCipher.ts"
import type { NewIntegration } from "./Integrations.ts"

const lifetime = Duration.minutes(15)
/** The most expired changes per round: they are ended one by one. */
const maxExpired = 32

export interface AccountChange {
  readonly workspaceId: WorkspaceId
  readonly account: NewIntegration
}

export interface TakenChange extends AccountChange {
  /** True if a browser session began the change. Only that session can decide. */
  readonly isBegunInSession: boolean
  readonly isOtherSession: boolean
  readonly byKey: ApiKeyId | null
}

interface Beginning {
  readonly session?: Redacted.Redacted | undefined
  readonly byKey?: ApiKeyId | undefined
}

interface Decider {
  readonly workspaceId?: WorkspaceId
  readonly session?: Option.Option<Redacted.Redacted>
}

/** Consents to another account than the connected one, kept until a person decides about the waiting posts. */
export interface AccountChanges {
  /** The decision has to name the returned token. */
  readonly keep: (change: AccountChange, beginning: Beginning) => Effect.Effect<Redacted.Redacted, DatabaseUnavailable>
  /**
   * A decision works once. Returns none for a change that is unknown, decided, expired, or another workspace's. If the
   * surrounding transaction fails, the change is kept.
   */
  readonly take: (
    token: Redacted.Redacted,
    decider: Decider
  ) => Effect.Effect<Option.Option<TakenChange>, CredentialsUnreadable | DatabaseUnavailable>
  /** Returns the removed changes that can be decrypted. */
  readonly takeExpired: Effect.Effect<ReadonlyArray<AccountChange>, DatabaseUnavailable>
}

const SealedAccount = Schema.fromJsonString(
  Schema.Struct({
    accountId: Schema.String,
    username: Schema.String,
    displayName: Schema.NullOr(Schema.String),
    avatarUrl: Schema.NullOr(Schema.String),
    serviceUrl: Schema.NullOr(Schema.String),
    host: Schema.NullOr(Schema.String),
    credentials: Schema.RedactedFromValue(Schema.String),
    /** SHA-256, in hexadecimal. */
    session: Schema.optionalKey(Schema.String),
    byKey: Schema.optionalKey(ApiKeyId)
  })
)
const encodeAccount = Schema.encodeEffect(SealedAccount)
const decodeAccount = Schema.decodeUnknownEffect(SealedAccount)

const ChangeRow = Schema.Struct({
  hash: Schema.Uint8Array,
  workspaceId: WorkspaceId,
  platform: LivePlatform,
  account: Schema.Uint8Array
})

const accountCell = (hash: Uint8Array) => `account_changes/${Hex.encode(hash)}/account`

export const makeAccountChanges = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const cipher = yield* CredentialCipher
  const { hashToken, nextToken } = yield* makeTokens

  const insert = SqlSchema.void({
    Request: Schema.Struct({ ...ChangeRow.fields, expiresAt: Timestamp }),
    execute: ({ account, expiresAt, hash, platform, workspaceId }) => sql`
      INSERT INTO account_changes (hash, workspace_id, platform, account, expires_at)
      SELECT ${hash}::bytea, id, ${platform}, ${account}::bytea, ${expiresAt}::timestamptz
      FROM workspaces WHERE id = ${workspaceId}::uuid`
  })

  const sessionHash = (session: Redacted.Redacted) => Effect.map(hashToken(session), Hex.encode)

  const keep: AccountChanges["keep"] = Effect.fn("Repo.accountChanges.keep")(function* (
    { account, workspaceId },
    { byKey, session }
  ) {
    const token = yield* nextToken
    const hash = yield* hashToken(token)
    const begunIn = session === undefined ? {} : { session: yield* sessionHash(session) }
    const begunBy = byKey === undefined ? {} : { byKey }
    const plain = yield* Effect.orDie(encodeAccount({ ...account, ...begunIn, ...begunBy, host: account.host ?? null }))
    const sealed = yield* cipher.seal(accountCell(hash), Redacted.make(plain))
    const expiresAt = DateTime.addDuration(yield* DateTime.now, lifetime)
    yield* insert({ hash, workspaceId, platform: account.platform, account: sealed, expiresAt }).pipe(
      withDatabaseTimeout("keeping an account change")
    )
    return token
  })

  const open = ({ account, hash, platform, workspaceId }: typeof ChangeRow.Type) =>
    Effect.gen(function* () {
      const plain = yield* cipher.open(accountCell(hash), account)
      const { byKey = null, session, ...decoded } = yield* Effect.orDie(decodeAccount(Redacted.value(plain)))
      return { workspaceId, account: { platform, ...decoded }, byKey, session }
    })

  const columns = sql.literal(`hash, workspace_id AS "workspaceId", platform, account`)

  const remove = SqlSchema.findOneOption({
    Request: Schema.Struct({ hash: Schema.Uint8Array, workspaceId: Schema.NullOr(WorkspaceId), now: Timestamp }),
    Result: ChangeRow,
    execute: ({ hash, now, workspaceId }) => sql`
      DELETE FROM account_changes WHERE hash = ${hash}::bytea AND expires_at > ${now}::timestamptz
        AND workspace_id = coalesce(${workspaceId}::uuid, workspace_id)
      RETURNING ${columns}`
  })

  const take: AccountChanges["take"] = Effect.fn("Repo.accountChanges.take")(function* (
    token,
    { session = Option.none(), workspaceId = null }
  ) {
    const hash = yield* hashToken(token)
    const taken = yield* remove({ hash, workspaceId, now: yield* DateTime.now }).pipe(
      withDatabaseTimeout("deciding on an account change")
    )
    if (Option.isNone(taken)) return Option.none()
    const { session: begunIn, ...change } = yield* open(taken.value)
    const own = Option.isNone(session) ? undefined : yield* sessionHash(session.value)
    return Option.some({ ...change, isBegunInSession: begunIn !== undefined, isOtherSession: begunIn !== own })
  })

  const removeExpired = SqlSchema.findAll({
    Request: Timestamp,
    Result: Schema.Unknown,
    execute: (now) => sql`
      DELETE FROM account_changes WHERE hash IN (
        SELECT hash FROM account_changes WHERE expires_at <= ${now}::timestamptz
        LIMIT ${maxExpired}::int FOR UPDATE SKIP LOCKED)
      RETURNING ${columns}`
  })

  /** A change that can't be opened must not fail the others: all their rows are deleted. */
  const openExpired = (row: typeof ChangeRow.Type) =>
    Effect.catchDefect(Effect.option(open(row)), () =>
      Effect.as(Effect.logError("The access of an expired change that can't be read is not ended"), Option.none())
    )

  const takeExpired: AccountChanges["takeExpired"] = DateTime.now.pipe(
    Effect.flatMap(removeExpired),
    withDatabaseTimeout("ending expired account changes"),
    Effect.flatMap(readableRows(ChangeRow, "The access of an expired change that can't be read is not ended")),
    Effect.flatMap((rows) => Effect.forEach(rows, openExpired)),
    Effect.map((changes) => changes.flatMap(Option.toArray)),
    Effect.withSpan("Repo.accountChanges.takeExpired")
  )

  return { keep, take, takeExpired } satisfies AccountChanges
})
