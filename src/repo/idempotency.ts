import { DateTime, Duration, Effect, Option, Schema } from "effect"
import { Mac } from "effect/crypto"
import { SqlClient, SqlSchema } from "effect/sql"
import { type DatabaseUnavailable, IdempotencyInFlight, IdempotencyMismatch } from "../domain/errors.ts"
import { WorkspaceId } from "../domain/ids.ts"
import { maxPredecessors } from "./apiKeys/lookup.ts"
import { withDatabaseTimeout } from "./postgres/databaseErrors.ts"
import { Timestamp } from "./postgres/rows.ts"
import { makeSha256 } from "./sha256.ts"

export const keyRetention = Duration.hours(24)

/**
 * True if nobody else uses the key. The lock is held until the transaction ends, so that a concurrent repetition finds
 * the lock or the result. Every version must use this lock's name.
 */
export const tryLockKey = (workspaceIdSql: string, keySql: string) =>
  `pg_try_advisory_xact_lock(hashtextextended('idempotency/' || ${workspaceIdSql} || '/' || ${keySql}, 0))`

export const KeyUse = Schema.Struct({
  key: Schema.String,
  authorId: Schema.String,
  fingerprint: Schema.Uint8ArrayFromHex,
  answer: Schema.Json
})
export type KeyUse = typeof KeyUse.Type

interface KeyedRequest<A> {
  readonly workspaceId: WorkspaceId
  readonly key: string
  /** The key or the user. */
  readonly authorId: string
  /** Keys that rotation replaced by the author's. A repetition may come after the rotation. */
  readonly formerIds: ReadonlyArray<string>
  /** Method, path and body. A repetition must match. */
  readonly request: string
  readonly answer: Schema.Codec<A, Schema.Json>
}

export type IdempotencyKey<A> = KeyedRequest<A> | undefined

/** `replayed` is true if an earlier request with the same key stored the result. */
export interface Once<A> {
  readonly result: A
  readonly replayed: boolean
}

export type IdempotencyError = IdempotencyInFlight | IdempotencyMismatch | DatabaseUnavailable

export interface Idempotency {
  /**
   * Stores the result in the effect's transaction. A repetition gets the stored result. A failure stores nothing.
   * Without a key the effect runs alone.
   */
  readonly once: <A, E, R>(
    key: IdempotencyKey<A>,
    effect: Effect.Effect<A, E, R>
  ) => Effect.Effect<Once<A>, E | IdempotencyError, R>
  /** In all workspaces. Returns the number deleted. */
  readonly removeBefore: (time: DateTime.Utc, limit: number) => Effect.Effect<number, DatabaseUnavailable>
}

const Key = Schema.Struct({ workspaceId: WorkspaceId, key: Schema.String })

export const makeIdempotency = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const sha256 = yield* makeSha256

  const findStored = SqlSchema.findOneOption({
    Request: Schema.Struct({ ...Key.fields, expired: Timestamp }),
    Result: Schema.Struct({
      authorId: Schema.NullOr(Schema.String),
      fingerprint: Schema.Uint8Array,
      answer: Schema.Json
    }),
    execute: ({ expired, key, workspaceId }) => sql`
      SELECT author_id AS "authorId", fingerprint, answer FROM idempotency_keys
      WHERE workspace_id = ${workspaceId}::uuid AND key = ${key} AND created_at > ${expired}::timestamptz`
  })

  /** True if rotation put the first key in the place of the second, perhaps with others in between. */
  const replaces = SqlSchema.findOne({
    Request: Schema.Struct({ workspaceId: WorkspaceId, key: Schema.String, former: Schema.String }),
    Result: Schema.Struct({ found: Schema.Boolean }),
    execute: ({ former, key, workspaceId }) => sql`
      WITH RECURSIVE formers AS (
        SELECT rotated_from AS id, 1 AS distance FROM api_keys
        WHERE id = ${key}::uuid AND workspace_id = ${workspaceId}::uuid
        UNION ALL
        SELECT k.rotated_from, distance + 1 FROM formers JOIN api_keys k ON k.id = formers.id
        WHERE distance < ${maxPredecessors}::int
      )
      SELECT EXISTS (SELECT FROM formers WHERE id = ${former}::uuid) AS found`
  })

  /** The keys before and after a rotation are one author, because both are valid for a time. */
  const isAuthor = Effect.fnUntraced(function* <A>(stored: string | null, use: KeyedRequest<A>) {
    // The previous version stored no author.
    if (stored === null || stored === use.authorId || use.formerIds.includes(stored)) return true
    const later = { workspaceId: use.workspaceId, key: stored, former: use.authorId }
    const { found } = yield* Effect.catchTag(replaces(later), "NoSuchElementError", Effect.die)
    return found
  })

  const tryLock = SqlSchema.findOne({
    Request: Key,
    Result: Schema.Struct({ locked: Schema.Boolean }),
    execute: ({ key, workspaceId }) =>
      sql.unsafe(`SELECT ${tryLockKey("$1::uuid", "$2::text")} AS locked`, [workspaceId, key])
  })

  const store = SqlSchema.void({
    Request: Schema.Struct({
      ...Key.fields,
      authorId: Schema.String,
      fingerprint: Schema.Uint8Array,
      answer: Schema.fromJsonString(Schema.Json),
      now: Timestamp
    }),
    execute: ({ answer, authorId, fingerprint, key, now, workspaceId }) => sql`
      INSERT INTO idempotency_keys (workspace_id, key, author_id, fingerprint, answer, created_at)
      VALUES (${workspaceId}::uuid, ${key}, ${authorId}::uuid, ${fingerprint}::bytea, ${answer}::jsonb, ${now}::timestamptz)
      ON CONFLICT (workspace_id, key) DO UPDATE
        SET author_id = excluded.author_id, fingerprint = excluded.fingerprint, answer = excluded.answer, created_at = excluded.created_at`
  })

  const deleteBefore = SqlSchema.findAll({
    Request: Schema.Struct({ time: Timestamp, limit: Schema.Int }),
    Result: Schema.Struct({}),
    execute: ({ limit, time }) => sql`
      DELETE FROM idempotency_keys WHERE ctid IN (
        SELECT ctid FROM idempotency_keys WHERE created_at <= ${time}::timestamptz
        ORDER BY created_at LIMIT ${limit}::int FOR UPDATE SKIP LOCKED)
      RETURNING true`
  })

  const useOf = <A>({ answer, authorId, key, request }: KeyedRequest<A>, result: A): Effect.Effect<KeyUse> =>
    Effect.map(sha256(request), (fingerprint) => ({
      key,
      authorId,
      fingerprint,
      answer: Schema.encodeSync(answer)(result)
    }))

  const onceInTransaction = Effect.fnUntraced(
    function* <A, E, R>(use: KeyedRequest<A>, effect: Effect.Effect<A, E, R>) {
      const { key, workspaceId } = use
      const { locked } = yield* Effect.catchTag(tryLock(use), "NoSuchElementError", Effect.die)
      if (!locked) return yield* new IdempotencyInFlight()
      const now = yield* DateTime.now
      const expired = DateTime.subtractDuration(now, keyRetention)
      const stored = yield* findStored({ workspaceId, key, expired })
      if (Option.isSome(stored)) {
        const isSame = Mac.timingSafeEqual(stored.value.fingerprint, yield* sha256(use.request))
        if (!isSame || !(yield* isAuthor(stored.value.authorId, use))) return yield* new IdempotencyMismatch()
        const result = yield* Effect.orDie(Schema.decodeEffect(use.answer)(stored.value.answer))
        return { result, replayed: true }
      }
      const result = yield* effect
      yield* store({ workspaceId, now, ...(yield* useOf(use, result)) })
      return { result, replayed: false }
    },
    sql.withTransaction,
    withDatabaseTimeout("an idempotent request"),
    Effect.withSpan("Repo.idempotency.once")
  )

  const once: Idempotency["once"] = (key, effect) =>
    key === undefined ? Effect.map(effect, (result) => ({ result, replayed: false })) : onceInTransaction(key, effect)

  const removeBefore: Idempotency["removeBefore"] = Effect.fn("Repo.idempotency.removeBefore")((time, limit) =>
    deleteBefore({ time, limit }).pipe(
      Effect.map((removed) => removed.length),
      withDatabaseTimeout("deleting old idempotency keys")
    )
  )

  return { once, removeBefore, useOf }
})
