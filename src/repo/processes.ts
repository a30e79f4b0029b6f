import { Duration, Effect, Option, Schema } from "effect"
import { SqlSchema } from "effect/sql"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import { nextProcessId, ProcessId } from "../domain/ids.ts"
import { dedicatedConnection } from "./postgres/database.ts"
import { withDatabaseTimeout } from "./postgres/databaseErrors.ts"
import { dueChannel } from "./targets/dueChannel.ts"
import type { ClaimOwner } from "./targets/Targets.ts"

/** Counted from the sending of a renewal. After it, other processes take over a stopped process's claims. */
export const processLease = Duration.seconds(30)

/** If renewals are at most this far apart, other processes could certainly renew their leases too. */
export const maxRenewalGap = Duration.seconds(15)

/** Expired rows are kept this long, except the latest, which has the time when a process last ran. */
const keptFor = Duration.hours(1)

const RenewedLease = Schema.Struct({
  id: ProcessId,
  takesOver: Schema.Boolean
})

/** Leases are by the database's clock. A renewal takes one round trip over its own connection. */
export interface Processes {
  /**
   * Extends an unexpired lease. Otherwise the process gets a lease with another id, so that its earlier claims can't be
   * revived. Targets that may have been sent while no lease was renewed then look first.
   *
   * After an outage of the database, all leases have expired. A process takes over only once processes, even those that
   * have ended, have renewed their leases without a gap for as long as a lease lasts, so that each could renew its own.
   */
  readonly renew: (id: ProcessId | null, length: Duration.Duration) => Effect.Effect<ClaimOwner, DatabaseUnavailable>
  /** Notifies all processes, because any process can then take over the claims. */
  readonly end: (id: ProcessId) => Effect.Effect<void, DatabaseUnavailable>
}

export const makeProcesses = Effect.fnUntraced(function* (lookAfterGap: Effect.Effect<unknown, DatabaseUnavailable>) {
  const sql = yield* dedicatedConnection

  const unbrokenSince = sql`coalesce((
    SELECT min(unbroken_since) FROM processes
    WHERE renewed_at >= clock_timestamp() - ${Duration.toSeconds(maxRenewalGap)} * interval '1 second'), clock_timestamp())`
  const lease = (seconds: number) => sql`
    id, unbroken_since <= clock_timestamp() - ${seconds} * interval '1 second' AS "takesOver"`

  const extend = SqlSchema.findOneOption({
    Request: Schema.Struct({ id: ProcessId, seconds: Schema.Finite }),
    Result: RenewedLease,
    execute: ({ id, seconds }) => sql`
      UPDATE processes SET lease_until = clock_timestamp() + ${seconds} * interval '1 second',
        renewed_at = clock_timestamp(), unbroken_since = ${unbrokenSince}
      WHERE id = ${id}::uuid AND lease_until > clock_timestamp() RETURNING ${lease(seconds)}`
  })

  const insert = SqlSchema.findOne({
    Request: Schema.Struct({ freshId: ProcessId, seconds: Schema.Finite }),
    Result: RenewedLease,
    execute: ({ freshId, seconds }) => sql`
      WITH fresh AS (
        INSERT INTO processes (id, started_at, lease_until, leases_renewals, renewed_at, unbroken_since)
        VALUES (${freshId}::uuid, clock_timestamp(), clock_timestamp() + ${seconds} * interval '1 second', true,
          clock_timestamp(), ${unbrokenSince})
        RETURNING ${lease(seconds)}
      ), swept AS (
        DELETE FROM processes WHERE lease_until < clock_timestamp() - ${Duration.toSeconds(keptFor)} * interval '1 second'
          AND lease_until < (SELECT max(lease_until) FROM processes WHERE lease_until <= clock_timestamp())
      )
      SELECT * FROM fresh`
  })

  const renew: Processes["renew"] = Effect.fn("Repo.processes.renew")(function* (id, length) {
    if (id !== null) {
      const extended = yield* withDatabaseTimeout("renewing the process's lease")(
        extend({ id, seconds: Duration.toSeconds(length) })
      )
      if (Option.isSome(extended)) return extended.value
      // The database was unavailable, or was restored beneath the process. The insert would hide the gap from others.
      yield* lookAfterGap
    }
    const freshId = yield* nextProcessId
    return yield* insert({ freshId, seconds: Duration.toSeconds(length) }).pipe(
      Effect.catchTag("NoSuchElementError", Effect.die),
      withDatabaseTimeout("renewing the process's lease")
    )
  })

  const close = SqlSchema.void({
    Request: ProcessId,
    // Keeps the row under another id, for the time when a process last ran and got an answer. Wakes the other processes
    // for its claims.
    execute: (id) => sql`
      WITH ended AS (
        UPDATE processes SET id = gen_random_uuid(), lease_until = least(lease_until, clock_timestamp()),
          renewed_at = clock_timestamp(), unbroken_since = ${unbrokenSince}
        WHERE id = ${id}::uuid RETURNING id
      )
      SELECT pg_notify(${dueChannel}, '') FROM ended`
  })

  const end: Processes["end"] = Effect.fn("Repo.processes.end")((id) =>
    withDatabaseTimeout("ending the process's lease")(close(id))
  )

  return { renew, end } satisfies Processes
})
