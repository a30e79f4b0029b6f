import { Clock, Duration, Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import type { ApiKeyId } from "../../domain/ids.ts"
import { bestEffort } from "../postgres/bestEffort.ts"

/** How often last uses are written; `last_used_at` is right to as much. */
const writeEvery = Duration.minutes(1)

/** Notes when keys were used last, without a write for each request: what was noted is written together. */
export const makeApiKeyUses = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const noted = new Map<ApiKeyId, number>()

  // Rows that another process writes are left to it, so that processes never wait for each other here.
  const write = Effect.gen(function* () {
    if (noted.size === 0) return
    const ids = [...noted.keys()]
    const times = Array.from(noted.values(), (at) => new Date(at))
    noted.clear()
    yield* sql`UPDATE api_keys k SET last_used_at = used.at
      FROM unnest(${ids}::uuid[], ${times}::timestamptz[]) used (id, at)
      WHERE k.id = used.id
        AND (k.last_used_at IS NULL OR k.last_used_at <= used.at - ${Duration.toSeconds(writeEvery)} * interval '1 second')
        AND k.id IN (SELECT id FROM api_keys WHERE id = ANY (${ids}::uuid[]) FOR NO KEY UPDATE SKIP LOCKED)`
  }).pipe(bestEffort("When keys were used last could not be written"))

  yield* Effect.addFinalizer(() => Effect.timeoutOption(Effect.interruptible(write), "1 second"))
  yield* Effect.forkScoped(Effect.repeat(write, Schedule.spaced(writeEvery)))

  return {
    note: (id: ApiKeyId): Effect.Effect<void> =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        noted.set(id, now)
      })
  }
})
