import { Cache, Clock, DateTime, Duration, Effect, Exit, MutableHashMap, Option, Schema } from "effect"
import { SqlSchema } from "effect/sql"
import { KeyHolder } from "../../domain/people/apiKey.ts"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import { ReadClient } from "../postgres/database.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { NullableTimestamp, Timestamp } from "../postgres/rows.ts"
import { StoredScopes } from "./scopes.ts"

/** Five seconds until a revoked key stops working, less one for the lookup itself. */
const knownKeyLifetime = Duration.seconds(4)
/** Short, to save memory. */
const unknownKeyLifetime = Duration.seconds(2)
const capacity = 10_000

export const maxPredecessors = 1000

const KeyRow = Schema.Struct({ ...KeyHolder.fields, scopes: StoredScopes, expiresAt: NullableTimestamp })

interface KnownKey {
  readonly expiresAt: DateTime.Utc | null
  readonly holder: Option.Option<KeyHolder>
}

export const makeApiKeyLookup = Effect.gen(function* () {
  const sql = yield* ReadClient
  const clock = yield* Clock.Clock

  const whileValid = ({ expiresAt, holder }: KnownKey): Option.Option<KeyHolder> =>
    expiresAt === null || DateTime.toEpochMillis(expiresAt) > clock.currentTimeMillisUnsafe() ? holder : Option.none()

  const findByHash = SqlSchema.findOneOption({
    Request: Schema.Struct({ hash: Schema.String, now: Timestamp }),
    Result: KeyRow,
    execute: ({ hash, now }) => sql`
      WITH RECURSIVE found AS (
        SELECT * FROM api_keys WHERE hash = decode(${hash}, 'hex') AND revoked_at IS NULL
          AND (expires_at IS NULL OR expires_at > ${now}::timestamptz)
      ), predecessors AS (
        SELECT rotated_from AS id, 1 AS distance FROM found WHERE rotated_from IS NOT NULL
        UNION ALL
        SELECT k.rotated_from, distance + 1 FROM predecessors JOIN api_keys k ON k.id = predecessors.id
        WHERE k.rotated_from IS NOT NULL AND distance < ${maxPredecessors}::int
      )
      SELECT id AS "keyId", workspace_id AS "workspaceId", scopes || more_scopes AS scopes,
        requires_approval AS "requiresApproval", expires_at AS "expiresAt",
        array(SELECT id FROM predecessors ORDER BY distance) AS predecessors
      FROM found`
  })

  const wereValid = new Set<string>()
  const remember = (hash: string, isValid: boolean) => {
    wereValid.delete(hash)
    if (!isValid) return
    wereValid.add(hash)
    const [oldest] = wereValid
    if (wereValid.size > capacity && oldest !== undefined) wereValid.delete(oldest)
  }

  const cache = yield* Cache.makeWith(
    (hash: string) =>
      Effect.flatMap(DateTime.now, (now) => findByHash({ hash, now })).pipe(
        Effect.tap((found) => Effect.sync(() => remember(hash, Option.isSome(found)))),
        Effect.map(Option.map(({ expiresAt, ...holder }): KnownKey => ({ expiresAt, holder: Option.some(holder) }))),
        withDatabaseTimeout("looking up a key")
      ),
    {
      capacity,
      timeToLive: (found) =>
        Exit.match(found, {
          onFailure: () => Duration.zero,
          onSuccess: (key) => (Option.isSome(key) ? knownKeyLifetime : unknownKeyLifetime)
        })
    }
  )

  const find = (hash: string): Effect.Effect<Option.Option<KeyHolder>, DatabaseUnavailable> =>
    Effect.map(Cache.get(cache, hash), Option.flatMap(whileValid))

  /** No fiber, because `Cache.getSuccess` takes several times as long. */
  const findCached = (hash: string): Option.Option<KeyHolder> | undefined => {
    const entry = Option.getOrUndefined(MutableHashMap.get(cache.map, hash))
    if (entry === undefined || (entry.expiresAt ?? Infinity) <= clock.currentTimeMillisUnsafe()) return undefined
    const exit = entry.fiber.pollUnsafe()
    return exit !== undefined && Exit.isSuccess(exit) ? Option.flatMap(exit.value, whileValid) : undefined
  }

  const findKnown = (hash: string): Effect.Effect<Option.Option<KeyHolder>> => {
    const cached = findCached(hash)
    if (cached !== undefined) return Effect.succeed(cached)
    return wereValid.has(hash) ? Effect.orElseSucceed(find(hash), Option.none) : Effect.succeedNone
  }

  return {
    find,
    findKnown,
    forget: (hash: string) => Cache.invalidate(cache, hash),
    forgetAll: Cache.invalidateAll(cache)
  }
})

export type ApiKeyLookup = Effect.Success<typeof makeApiKeyLookup>
