import { Cache, DateTime, Duration, Effect, Exit, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { KeyHolder } from "../../domain/apiKey.ts"
import { orUnavailable } from "../postgres/query.ts"
import { NullableTimestamp } from "../postgres/rows.ts"

/** A revoked key opens nothing after five seconds; the one that is missing here is for the lookup itself. */
const knownFor = Duration.seconds(4)
/** Nothing makes an unknown key known, but it is not worth much memory either. */
const unknownFor = Duration.seconds(2)
/** How many keys are remembered; those that were used last stay. */
const capacity = 10_000

const KeyRow = Schema.Struct({ ...KeyHolder.fields, expiresAt: NullableTimestamp })

/** Looks keys up by the hexadecimal form of their hash, and remembers what was found for some seconds. */
export const makeApiKeyLookup = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const read = SqlSchema.findOneOption({
    Request: Schema.Struct({ hash: Schema.String, now: Schema.DateTimeUtcFromDate }),
    Result: KeyRow,
    execute: ({ hash, now }) =>
      sql`SELECT id AS "keyId", workspace_id AS "workspaceId", scopes, requires_approval AS "requiresApproval",
          expires_at AS "expiresAt"
        FROM api_keys WHERE hash = decode(${hash}, 'hex') AND revoked_at IS NULL
          AND (expires_at IS NULL OR expires_at > ${now}::timestamptz)`
  })

  const known = yield* Cache.makeWith(
    (hash: string) =>
      Effect.flatMap(DateTime.now, (now) => read({ hash, now })).pipe(orUnavailable("looking a key up")),
    {
      capacity,
      timeToLive: (found) =>
        Exit.match(found, {
          onFailure: () => Duration.zero,
          onSuccess: (key) => (Option.isSome(key) ? knownFor : unknownFor)
        })
    }
  )

  const find = Effect.fnUntraced(function* (hash: string) {
    const found = yield* Cache.get(known, hash)
    const now = yield* DateTime.now
    return Option.map(
      Option.filter(found, ({ expiresAt }) => expiresAt === null || DateTime.isGreaterThan(expiresAt, now)),
      ({ expiresAt: _, ...holder }): KeyHolder => holder
    )
  })

  return { find, forgetAll: Cache.invalidateAll(known) }
})
