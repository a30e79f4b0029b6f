import { Clock, DateTime, Duration, Effect, Schedule, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { ApiKeyId } from "../../domain/ids.ts"
import { bestEffort } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"

/** The precision of `last_used_at`. */
const writeInterval = Duration.minutes(1)

/** Writes `last_used_at` in batches, not once per request. */
export const makeLastUses = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const clock = yield* Clock.Clock
  /** In milliseconds. */
  const pending = new Map<ApiKeyId, number>()

  // Rows that another process is writing are skipped, so that processes never wait for each other.
  const update = SqlSchema.void({
    Request: Schema.Struct({ ids: Schema.Array(ApiKeyId), times: Schema.Array(Timestamp) }),
    execute: ({ ids, times }) => sql`
      UPDATE api_keys k SET last_used_at = used.at
      FROM unnest(${ids}::uuid[], ${times}::timestamptz[]) used (id, at)
      WHERE k.id = used.id
        AND (k.last_used_at IS NULL
          OR k.last_used_at <= used.at - ${Duration.toSeconds(writeInterval)} * interval '1 second')
        AND k.id IN (SELECT id FROM api_keys WHERE id = ANY (${ids}::uuid[]) FOR NO KEY UPDATE SKIP LOCKED)`
  })

  const write = Effect.suspend(() => {
    if (pending.size === 0) return Effect.void
    const batch = { ids: [...pending.keys()], times: Array.from(pending.values(), (time) => DateTime.makeUnsafe(time)) }
    pending.clear()
    return update(batch)
  }).pipe(bestEffort("The last uses of API keys could not be written"))

  yield* Effect.addFinalizer(() => Effect.timeoutOption(Effect.interruptible(write), "1 second"))
  yield* Effect.forkScoped(Effect.repeat(write, Schedule.spaced(writeInterval)))

  return {
    record: (id: ApiKeyId): void => {
      pending.set(id, clock.currentTimeMillisUnsafe())
    }
  }
})
