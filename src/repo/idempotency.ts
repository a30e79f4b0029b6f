import { DateTime, Duration, Effect, Option, Schema } from "effect"
import { Mac } from "effect/crypto"
import { SqlClient, SqlSchema } from "effect/sql"
import { type DatabaseUnavailable, IdempotencyInFlight, IdempotencyMismatch } from "../domain/errors.ts"
import { WorkspaceId } from "../domain/ids.ts"
import { withDatabaseTimeout } from "./postgres/databaseErrors.ts"
import { Timestamp } from "./postgres/rows.ts"
import { makeSha256 } from "./sha256.ts"

/** How long a result is kept for repetitions of its request. */
export const keyRetention = Duration.hours(24)

/**
 * Whether nobody else is using a key, as SQL of SQL expressions. If so, it is held until the transaction ends, so that a concurrent
 * repetition finds either the lock or the result. Every version has to name the lock so.
 */
export const tryLockKey = (workspaceIdSql: string, keySql: string) =>
  `pg_try_advisory_xact_lock(hashtextextended('idempotency/' || ${workspaceIdSql} || '/' || ${keySql}, 0))`

/** A key with what its repetitions get. */
export const KeyUse = Schema.Struct({
  key: Schema.String,
  fingerprint: Schema.Uint8ArrayFromHex,
  answer: Schema.Json
})
export type KeyUse = typeof KeyUse.Type

/**
 * Does what an idempotent request asks for by one statement, which stores the use of its key as well. None where it can't, and then
 * has changed nothing: the key may be used already, and what keeps the request from being carried out is for others to say.
 */
export type AtOnce<A> = (useOf: (result: A) => KeyUse) => Effect.Effect<Option.Option<A>, DatabaseUnavailable>

/** Identifies a request by the idempotency key that its caller chose, and holds what the key was used for. */
export interface IdempotentRequest {
  readonly workspaceId: WorkspaceId
  readonly key: string
  /** The whole request: method, path and body. A repetition has to be equal. */
  readonly request: string
}

export interface Idempotency {
  /**
   * Runs an effect and stores its result, encoded by `schema`, in the same transaction; for a repetition, returns the stored
   * result instead. A failure stores nothing. `atOnce` is tried before, which takes one round trip in place of six.
   */
  readonly once: <A, I extends Schema.Json, E, R>(
    request: IdempotentRequest,
    schema: Schema.Codec<A, I>,
    effect: Effect.Effect<A, E, R>,
    atOnce?: AtOnce<A>
  ) => Effect.Effect<
    { readonly result: A; readonly replayed: boolean },
    E | IdempotencyInFlight | IdempotencyMismatch | DatabaseUnavailable,
    R
  >
  /** Deletes at most `limit` keys that were used until a time, in any workspace, and returns how many those were. */
  readonly removeBefore: (time: DateTime.Utc, limit: number) => Effect.Effect<number, DatabaseUnavailable>
}

const useBy = <A, I extends Schema.Json>(key: string, fingerprint: Uint8Array, schema: Schema.Codec<A, I>) => {
  const encode = Schema.encodeSync(schema)
  return (result: A): KeyUse => ({ key, fingerprint, answer: encode(result) })
}

const Key = Schema.Struct({ workspaceId: WorkspaceId, key: Schema.String })

export const makeIdempotency = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const sha256 = yield* makeSha256

  const findStored = SqlSchema.findOneOption({
    Request: Schema.Struct({ ...Key.fields, expired: Timestamp }),
    Result: Schema.Struct({ fingerprint: Schema.Uint8Array, answer: Schema.Json }),
    execute: ({ expired, key, workspaceId }) => sql`
      SELECT fingerprint, answer FROM idempotency_keys
      WHERE workspace_id = ${workspaceId}::uuid AND key = ${key} AND created_at > ${expired}::timestamptz`
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
      fingerprint: Schema.Uint8Array,
      answer: Schema.fromJsonString(Schema.Json),
      now: Timestamp
    }),
    execute: ({ answer, fingerprint, key, now, workspaceId }) => sql`
      INSERT INTO idempotency_keys (workspace_id, key, fingerprint, answer, created_at)
      VALUES (${workspaceId}::uuid, ${key}, ${fingerprint}::bytea, ${answer}::jsonb, ${now}::timestamptz)
      ON CONFLICT (workspace_id, key) DO UPDATE
        SET fingerprint = excluded.fingerprint, answer = excluded.answer, created_at = excluded.created_at`
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

  const onceInTransaction = <A, I extends Schema.Json, E, R>(
    { key, workspaceId }: IdempotentRequest,
    fingerprint: Uint8Array,
    schema: Schema.Codec<A, I>,
    effect: Effect.Effect<A, E, R>
  ) =>
    sql.withTransaction(
      Effect.gen(function* () {
        const { locked } = yield* tryLock({ workspaceId, key }).pipe(Effect.catchTag("NoSuchElementError", Effect.die))
        if (!locked) return yield* new IdempotencyInFlight()
        const now = yield* DateTime.now
        const expired = DateTime.subtractDuration(now, keyRetention)
        const stored = yield* findStored({ workspaceId, key, expired })
        if (Option.isSome(stored)) {
          if (!Mac.timingSafeEqual(stored.value.fingerprint, fingerprint)) return yield* new IdempotencyMismatch()
          const result = yield* Effect.orDie(Schema.decodeUnknownEffect(schema)(stored.value.answer))
          return { result, replayed: true }
        }
        const result = yield* effect
        const answer = yield* Effect.orDie(Schema.encodeEffect(schema)(result))
        yield* store({ workspaceId, key, fingerprint, answer, now })
        return { result, replayed: false }
      })
    )

  const onceSpan = Effect.withSpan("Repo.idempotency.once")
  const withOnceTimeout = withDatabaseTimeout("an idempotent request")
  const once: Idempotency["once"] = Effect.fnUntraced(
    function* (request, schema, effect, atOnce) {
      const fingerprint = yield* sha256(request.request)
      if (atOnce !== undefined) {
        const done = yield* atOnce(useBy(request.key, fingerprint, schema))
        if (Option.isSome(done)) return { result: done.value, replayed: false }
      }
      return yield* onceInTransaction(request, fingerprint, schema, effect)
    },
    withOnceTimeout,
    onceSpan
  )

  const removeBefore: Idempotency["removeBefore"] = Effect.fn("Repo.idempotency.removeBefore")((time, limit) =>
    deleteBefore({ time, limit }).pipe(
      Effect.map((removed) => removed.length),
      withDatabaseTimeout("deleting old idempotency keys")
    )
  )

  return { once, removeBefore } satisfies Idempotency
})
