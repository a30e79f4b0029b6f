import { DateTime, Duration, Effect, Schema } from "effect"
import { Digest } from "effect/crypto"
import { SqlClient, SqlSchema } from "effect/sql"
import { type DatabaseUnavailable, IdempotencyInFlight, IdempotencyMismatch } from "../domain/errors.ts"
import type { WorkspaceId } from "../domain/ids.ts"
import { orUnavailable } from "./postgres/query.ts"

/** How long an answer is kept for a repeated request. */
const retention = Duration.hours(24)

/** Names a request: the key its caller chose, and what the key was used for. */
export interface IdempotentRequest {
  readonly workspaceId: WorkspaceId
  readonly key: string
  /** The whole request: method, path and body. A repetition has to be the same. */
  readonly request: string
}

export interface Idempotency {
  /**
   * Carries a request out and keeps its answer in the same transaction; for a repetition, answers what was kept instead.
   * A request that fails keeps nothing.
   */
  readonly once: <A, I extends Schema.Json, E, R>(
    request: IdempotentRequest,
    answer: Schema.Codec<A, I>,
    effect: Effect.Effect<A, E, R>
  ) => Effect.Effect<
    { readonly answer: A; readonly replayed: boolean },
    E | IdempotencyInFlight | IdempotencyMismatch | DatabaseUnavailable,
    R
  >
}

const KeptRow = Schema.Struct({ fingerprint: Schema.Uint8Array, answer: Schema.Json })

const sameBytes = (left: Uint8Array, right: Uint8Array) =>
  left.length === right.length && left.every((byte, index) => byte === right[index])

export const makeIdempotency = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const digest = yield* Digest.Digest

  const kept = SqlSchema.findOneOption({
    Request: Schema.Struct({ workspaceId: Schema.String, key: Schema.String, since: Schema.DateTimeUtcFromDate }),
    Result: KeptRow,
    execute: (request) =>
      sql`SELECT fingerprint, answer FROM idempotency_keys
        WHERE workspace_id = ${request.workspaceId}::uuid AND key = ${request.key} AND created_at > ${request.since}::timestamptz`
  })

  /** Held until the transaction ends, so that a second request finds either the lock or the answer. */
  const tryLock = (request: IdempotentRequest) =>
    SqlSchema.findOne({
      Request: Schema.String,
      Result: Schema.Struct({ locked: Schema.Boolean }),
      execute: (name) => sql`SELECT pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) AS locked`
    })(`idempotency/${request.workspaceId}/${request.key}`).pipe(Effect.catchTag("NoSuchElementError", Effect.die))

  const once: Idempotency["once"] = (request, answer, effect) =>
    sql
      .withTransaction(
        Effect.gen(function* () {
          const { locked } = yield* tryLock(request)
          if (!locked) return yield* new IdempotencyInFlight()
          const fingerprint = yield* digest.digest(Digest.sha256, new TextEncoder().encode(request.request))
          const now = yield* DateTime.now
          const found = yield* kept({ ...request, since: DateTime.subtractDuration(now, retention) })
          if (found._tag === "Some") {
            if (!sameBytes(found.value.fingerprint, fingerprint)) return yield* new IdempotencyMismatch()
            return {
              answer: yield* Effect.orDie(Schema.decodeUnknownEffect(answer)(found.value.answer)),
              replayed: true
            }
          }
          const made = yield* effect
          const encoded = yield* Effect.orDie(Schema.encodeEffect(answer)(made))
          yield* sql`
        WITH swept AS (
          DELETE FROM idempotency_keys WHERE ctid IN (
            SELECT ctid FROM idempotency_keys
            WHERE created_at <= ${DateTime.toDateUtc(DateTime.subtractDuration(now, retention))}::timestamptz
              AND NOT (workspace_id = ${request.workspaceId}::uuid AND key = ${request.key})
            ORDER BY created_at LIMIT 10 FOR UPDATE SKIP LOCKED)
        )
        INSERT INTO idempotency_keys (workspace_id, key, fingerprint, answer, created_at)
        VALUES (${request.workspaceId}::uuid, ${request.key}, ${fingerprint}::bytea, ${JSON.stringify(encoded)}::jsonb,
          ${DateTime.toDateUtc(now)}::timestamptz)
        ON CONFLICT (workspace_id, key) DO UPDATE
          SET fingerprint = excluded.fingerprint, answer = excluded.answer, created_at = excluded.created_at`
          return { answer: made, replayed: false }
        })
      )
      .pipe(orUnavailable("carrying a request out once"), Effect.withSpan("Repo.idempotency.once"))

  return { once } satisfies Idempotency
})
