import { type Array as Arr, DateTime, Duration, Effect, Exit, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { IdGenerator, IntegrationId } from "../../domain/ids.ts"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import { LivePlatform } from "../../domain/platform.ts"
import { batchBounds } from "../batchBounds.ts"
import { makeBatch } from "../makeBatch.ts"
import { bestEffort, withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"

/**
 * Longer than the sum of ten seconds until the request begins (`beginsWithin`), twenty in which a suspended process can
 * still send it under its process lease, and the request's timeout. It outlasts the process lease, because a process
 * without the database may have received new access.
 */
const leaseTime = Duration.seconds(60)

const Wanted = Schema.Struct({ id: IntegrationId, before: Schema.Uint8ArrayFromBase64 })

const Lease = Schema.Struct({
  id: IntegrationId,
  /** Identifies this lease, because a later lease of the same process has another end. */
  until: Schema.String,
  platform: LivePlatform,
  accountId: Schema.String,
  serviceUrl: Schema.NullOr(Schema.String)
})

export type RenewalLease = typeof Lease.Type

const Renewed = Schema.Struct({
  ...Wanted.fields,
  sealed: Schema.Uint8ArrayFromBase64,
  seconds: Schema.NullOr(Schema.Finite),
  username: Schema.NullOr(Schema.String),
  saysHost: Schema.Boolean,
  host: Schema.NullOr(Schema.String)
})

export type RenewedRow = typeof Renewed.Type

const Stored = Schema.Struct({
  id: IntegrationId,
  status: Schema.Literals(["stored", "locked", "replaced"])
})

/** Leases instead of locks, so that no connection is held during a platform's response. */
export interface RenewalLeases {
  /** Returns none if another process has the lease, the row is locked, or other credentials are stored. */
  readonly take: (wanted: typeof Wanted.Type) => Effect.Effect<Option.Option<RenewalLease>, DatabaseUnavailable>
  /** If the database is unavailable, the lease expires. */
  readonly release: (lease: RenewalLease) => Effect.Effect<unknown>
  /** Also ends the lease. Does nothing if other credentials are stored. */
  readonly store: (row: RenewedRow) => Effect.Effect<(typeof Stored.Type)["status"], DatabaseUnavailable>
}

/** No statement waits for a locked row. */
export const makeRenewalLeases = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const generate = yield* IdGenerator
  // One token per process, which runs one renewal per account at a time. So if the response to `take` is lost, the
  // process can take its own lease again.
  const token = yield* generate()
  const seconds = Duration.toSeconds(leaseTime)

  // Not prepared: a plan from when there were few accounts would read all of them.
  const takeAll = SqlSchema.findAll({
    Request: Schema.fromJsonString(Schema.Array(Wanted)),
    Result: Lease,
    execute: (wanted) =>
      sql`
      WITH free AS MATERIALIZED (
        SELECT i.id FROM json_to_recordset(${wanted}::json) AS wanted (id uuid, before text) CROSS JOIN LATERAL (
          SELECT id FROM integrations
          WHERE id = wanted.id AND credentials = decode(wanted.before, 'base64')
            AND (renewal_until IS NULL OR renewal_token = ${token}::uuid
              -- A time that no process has written must not last forever.
              OR renewal_until NOT BETWEEN clock_timestamp() AND clock_timestamp() + ${seconds}::int * interval '1 second')
          OFFSET 0 FOR NO KEY UPDATE SKIP LOCKED) i
      )
      UPDATE integrations i
      SET renewal_token = ${token}::uuid, renewal_until = clock_timestamp() + ${seconds}::int * interval '1 second'
      FROM free WHERE i.id = free.id
      RETURNING i.id, i.renewal_until::text AS until,
        i.platform, i.account_id AS "accountId", i.service_url AS "serviceUrl"`.unprepared
  })

  const { call: take } = makeBatch(
    batchBounds.takeRenewals,
    Effect.fnUntraced(function* (wanted: Arr.NonEmptyReadonlyArray<typeof Wanted.Type>) {
      const taken = yield* takeAll(wanted).pipe(withDatabaseTimeout("beginning a renewal"))
      return wanted.map((each) => Exit.succeed(Option.fromUndefinedOr(taken.find(({ id }) => id === each.id))))
    })
  )

  const clear = SqlSchema.void({
    Request: Schema.Struct({ id: IntegrationId, until: Schema.String }),
    execute: ({ id, until }) => sql`
      UPDATE integrations SET renewal_token = NULL, renewal_until = NULL
      WHERE id = ${id}::uuid AND renewal_token = ${token}::uuid AND renewal_until::text = ${until}`
  })

  const storeAll = SqlSchema.findAll({
    Request: Schema.Struct({ renewed: Schema.fromJsonString(Schema.Array(Renewed)), now: Timestamp }),
    Result: Stored,
    execute: ({ now, renewed }) =>
      sql`
      WITH renewed AS MATERIALIZED (
        SELECT id, decode(before, 'base64') AS before, decode(sealed, 'base64') AS sealed, seconds, username, "saysHost", host
        FROM json_to_recordset(${renewed}::json)
          AS r (id uuid, before text, sealed text, seconds float8, username text, "saysHost" boolean, host text)
      ), free AS MATERIALIZED (
        SELECT i.id FROM renewed r CROSS JOIN LATERAL (
          SELECT id FROM integrations WHERE id = r.id AND credentials = r.before
          OFFSET 0 FOR NO KEY UPDATE SKIP LOCKED) i
      ), written AS (
        UPDATE integrations i SET credentials = r.sealed, renewed_at = ${now}::timestamptz,
          access_until = clock_timestamp() + r.seconds * interval '1 second',
          renewal_token = NULL, renewal_until = NULL,
          username = coalesce(r.username, i.username),
          host = CASE WHEN r."saysHost" THEN r.host ELSE i.host END
        FROM renewed r JOIN free USING (id) WHERE i.id = r.id
        RETURNING i.id
      )
      SELECT r.id, CASE
          WHEN w.id IS NOT NULL THEN 'stored'
          -- The response to an earlier try was lost.
          WHEN i.credentials = r.sealed THEN 'stored'
          WHEN i.credentials = r.before THEN 'locked'
          ELSE 'replaced' END AS status
      FROM renewed r LEFT JOIN integrations i ON i.id = r.id LEFT JOIN written w ON w.id = r.id`.unprepared
  })

  const { call: store } = makeBatch(
    batchBounds.storeRenewals,
    Effect.fnUntraced(function* (renewed: Arr.NonEmptyReadonlyArray<RenewedRow>) {
      const now = yield* DateTime.now
      const stored = yield* storeAll({ renewed, now }).pipe(withDatabaseTimeout("storing renewed credentials"))
      return renewed.map((each) =>
        Exit.succeed(stored.find(({ id }) => id === each.id)?.status ?? ("replaced" as const))
      )
    })
  )

  return {
    take,
    release: (lease) =>
      clear(lease).pipe(
        withDatabaseTimeout("ending a renewal"),
        bestEffort("The lease of a renewal is left to expire")
      ),
    store
  } satisfies RenewalLeases
})
