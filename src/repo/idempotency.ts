import { DateTime, Duration, Effect, Option, Schema } from "effect"
import { Mac } from "effect/crypto"
import { SqlClient, SqlSchema } from "effect/sql"
import { type DatabaseUnavailable, IdempotencyInFlight, IdempotencyMismatch } from "../domain/errors.ts"
import { WorkspaceId } from "../domain/ids.ts"
import { withDatabaseTimeout } from "./postgres/databaseErrors.ts"
import { Timestamp } from "./postgres/rows.ts"
import { makeSha256 } from "./sha256.ts"

/** How long a result is kept for repetitions of its request. */
const retention = Duration.hours(24)

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
   * result instead. A failure stores nothing.
   */
  readonly once: <A, I extends Schema.Json, E, R>(
    request: IdempotentRequest,
    schema: Schema.Codec<A, I>,
    effect: Effect.Effect<A, E, R>
  ) => Effect.Effect<
    { readonly result: A; readonly replayed: boolean },
    E | IdempotencyInFlight | IdempotencyMismatch | DatabaseUnavailable,
    R
  >
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

  /** Held until the transaction ends, so that a concurrent repetition finds either the lock or the result. */
  const tryLock = SqlSchema.findOne({
    Request: Schema.String,
    Result: Schema.Struct({ locked: Schema.Boolean }),
    execute: (name) => sql`SELECT pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) AS locked`
  })

  // Each insert also sweeps expired rows: a few, and not the one that it replaces.
  const store = SqlSchema.void({
    Request: Schema.Struct({
      ...Key.fields,
      fingerprint: Schema.Uint8Array,
      answer: Schema.fromJsonString(Schema.Json),
      now: Timestamp,
      expired: Timestamp
    }),
    execute: ({ answer, expired, fingerprint, key, now, workspaceId }) => sql`
      WITH swept AS (
        DELETE FROM idempotency_keys WHERE ctid IN (
          SELECT ctid FROM idempotency_keys
          WHERE created_at <= ${expired}::timestamptz AND NOT (workspace_id = ${workspaceId}::uuid AND key = ${key})
          ORDER BY created_at LIMIT 10 FOR UPDATE SKIP LOCKED)
      )
      INSERT INTO idempotency_keys (workspace_id, key, fingerprint, answer, created_at)
      VALUES (${workspaceId}::uuid, ${key}, ${fingerprint}::bytea, ${answer}::jsonb, ${now}::timestamptz)
      ON CONFLICT (workspace_id, key) DO UPDATE
        SET fingerprint = excluded.fingerprint, answer = excluded.answer, created_at = excluded.created_at`
  })

  const once: Idempotency["once"] = ({ key, request, workspaceId }, schema, effect) =>
    sql
      .withTransaction(
        Effect.gen(function* () {
          const { locked } = yield* tryLock(`idempotency/${workspaceId}/${key}`).pipe(
            Effect.catchTag("NoSuchElementError", Effect.die)
          )
          if (!locked) return yield* new IdempotencyInFlight()
          const fingerprint = yield* sha256(request)
          const now = yield* DateTime.now
          const expired = DateTime.subtractDuration(now, retention)
          const stored = yield* findStored({ workspaceId, key, expired })
          if (Option.isSome(stored)) {
            if (!Mac.timingSafeEqual(stored.value.fingerprint, fingerprint)) return yield* new IdempotencyMismatch()
            const result = yield* Effect.orDie(Schema.decodeUnknownEffect(schema)(stored.value.answer))
            return { result, replayed: true }
          }
          const result = yield* effect
          const answer = yield* Effect.orDie(Schema.encodeEffect(schema)(result))
          yield* store({ workspaceId, key, fingerprint, answer, now, expired })
          return { result, replayed: false }
        })
      )
      .pipe(withDatabaseTimeout("an idempotent request"), Effect.withSpan("Repo.idempotency.once"))

  return { once } satisfies Idempotency
})
