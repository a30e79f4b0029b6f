import { Array as Arr, DateTime, Duration, Effect, Option, Redacted, Schema } from "effect"
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

/** The accounts to which one consent gave access, kept until a person chooses one. */
export interface AccountChoice {
  readonly workspaceId: WorkspaceId
  readonly platform: LivePlatform
  readonly accounts: ReadonlyArray<NewIntegration>
  readonly further?: { readonly consent: string; readonly label: string } | undefined
  /** The path to go on to; null if no browser session began the connection. */
  readonly returnTo: string | null
}

export interface TakenChoice extends AccountChoice {
  readonly isOtherSession: boolean
  readonly byKey: ApiKeyId | null
}

/**
 * Consents that wait for a person: to another account than the connected one, until the person decides about the
 * waiting posts, or to several accounts, until the person chooses one.
 */
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
  /** A choice has to name the returned token. */
  readonly keepChoice: (
    choice: AccountChoice,
    beginning: Beginning
  ) => Effect.Effect<Redacted.Redacted, DatabaseUnavailable>
  /** Works once. Returns none for a choice that is unknown, made or expired. */
  readonly takeChoice: (
    token: Redacted.Redacted,
    session: Option.Option<Redacted.Redacted>
  ) => Effect.Effect<Option.Option<TakenChoice>, CredentialsUnreadable | DatabaseUnavailable>
  /** Returns the removed changes that can be decrypted, and the first account of each removed choice. */
  readonly takeExpired: Effect.Effect<ReadonlyArray<AccountChange>, DatabaseUnavailable>
}

const Account = Schema.Struct({
  accountId: Schema.String,
  username: Schema.String,
  displayName: Schema.NullOr(Schema.String),
  avatarUrl: Schema.NullOr(Schema.String),
  serviceUrl: Schema.NullOr(Schema.String),
  host: Schema.NullOr(Schema.String),
  credentials: Schema.RedactedFromValue(Schema.String),
  accessUntil: Schema.optionalKey(Schema.DateTimeUtcFromString)
})

const begunBy = {
  /** SHA-256, in hexadecimal. */
  session: Schema.optionalKey(Schema.String),
  byKey: Schema.optionalKey(ApiKeyId)
}

const SealedChange = Schema.Struct({ ...Account.fields, ...begunBy })
type SealedChange = typeof SealedChange.Type

const SealedChoice = Schema.Struct({
  accounts: Schema.NonEmptyArray(Account),
  further: Schema.optionalKey(Schema.Struct({ consent: Schema.String, label: Schema.String })),
  returnTo: Schema.NullOr(Schema.String),
  ...begunBy
})
type SealedChoice = typeof SealedChoice.Type

const Sealed = Schema.fromJsonString(Schema.Union([SealedChoice, SealedChange]))
const encodeSealed = Schema.encodeEffect(Sealed)
const decodeSealed = Schema.decodeUnknownEffect(Sealed)

const accountFields = ({ accessUntil, host = null, platform: _, ...account }: NewIntegration): typeof Account.Type => ({
  ...account,
  host,
  ...(accessUntil === undefined ? {} : { accessUntil })
})

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

  const keepSealed = Effect.fnUntraced(function* (
    { platform, workspaceId }: Pick<AccountChoice, "platform" | "workspaceId">,
    content: SealedChange | SealedChoice,
    { byKey, session }: Beginning
  ) {
    const token = yield* nextToken
    const hash = yield* hashToken(token)
    const begunIn = session === undefined ? {} : { session: yield* sessionHash(session) }
    const plain = yield* Effect.orDie(
      encodeSealed({ ...content, ...begunIn, ...(byKey === undefined ? {} : { byKey }) })
    )
    const sealed = yield* cipher.seal(accountCell(hash), Redacted.make(plain))
    const expiresAt = DateTime.addDuration(yield* DateTime.now, lifetime)
    yield* insert({ hash, workspaceId, platform, account: sealed, expiresAt }).pipe(
      withDatabaseTimeout("keeping an account change")
    )
    return token
  })

  const keep: AccountChanges["keep"] = Effect.fn("Repo.accountChanges.keep")(({ account, workspaceId }, beginning) =>
    keepSealed({ workspaceId, platform: account.platform }, accountFields(account), beginning)
  )

  const keepChoice: AccountChanges["keepChoice"] = Effect.fn("Repo.accountChanges.keepChoice")(function* (
    { accounts, further, returnTo, ...of },
    beginning
  ) {
    const fields = accounts.map(accountFields)
    if (!Arr.isReadonlyArrayNonEmpty(fields)) return yield* Effect.die("There is no account to choose")
    return yield* keepSealed(
      of,
      { accounts: fields, returnTo, ...(further === undefined ? {} : { further }) },
      beginning
    )
  })

  const open = Effect.fnUntraced(function* ({ account, hash }: typeof ChangeRow.Type) {
    const plain = yield* cipher.open(accountCell(hash), account)
    return yield* Effect.orDie(decodeSealed(Redacted.value(plain)))
  })

  const isOther = Effect.fnUntraced(function* (begunIn: string | undefined, session: Option.Option<Redacted.Redacted>) {
    return begunIn !== (Option.isNone(session) ? undefined : yield* sessionHash(session.value))
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
    const opened = yield* open(taken.value)
    if ("accounts" in opened) return Option.none()
    const { byKey = null, session: begunIn, ...account } = opened
    return Option.some({
      workspaceId: taken.value.workspaceId,
      account: { platform: taken.value.platform, ...account },
      byKey,
      isBegunInSession: begunIn !== undefined,
      isOtherSession: yield* isOther(begunIn, session)
    })
  })

  const takeChoice: AccountChanges["takeChoice"] = Effect.fn("Repo.accountChanges.takeChoice")(
    function* (token, session) {
      const hash = yield* hashToken(token)
      const taken = yield* remove({ hash, workspaceId: null, now: yield* DateTime.now }).pipe(
        withDatabaseTimeout("choosing an account")
      )
      if (Option.isNone(taken)) return Option.none()
      const opened = yield* open(taken.value)
      if (!("accounts" in opened)) return Option.none()
      const { accounts, byKey = null, further, returnTo, session: begunIn } = opened
      const { platform, workspaceId } = taken.value
      return Option.some({
        workspaceId,
        platform,
        accounts: accounts.map((account) => ({ platform, ...account })),
        further,
        returnTo,
        byKey,
        isOtherSession: yield* isOther(begunIn, session)
      })
    }
  )

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
    Effect.catchDefect(
      Effect.option(
        Effect.map(open(row), (opened): AccountChange => {
          const account = "accounts" in opened ? opened.accounts[0] : opened
          return { workspaceId: row.workspaceId, account: { platform: row.platform, ...account } }
        })
      ),
      () => Effect.as(Effect.logError("The access of an expired change that can't be read is not ended"), Option.none())
    )

  const takeExpired: AccountChanges["takeExpired"] = DateTime.now.pipe(
    Effect.flatMap(removeExpired),
    withDatabaseTimeout("ending expired account changes"),
    Effect.flatMap(readableRows(ChangeRow, "The access of an expired change that can't be read is not ended")),
    Effect.flatMap((rows) => Effect.forEach(rows, openExpired)),
    Effect.map((changes) => changes.flatMap(Option.toArray)),
    Effect.withSpan("Repo.accountChanges.takeExpired")
  )

  return { keep, keepChoice, take, takeChoice, takeExpired } satisfies AccountChanges
})
