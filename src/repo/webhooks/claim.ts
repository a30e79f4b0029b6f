import { Array as Arr, DateTime, Effect, Result, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { ClaimToken, nextClaimToken } from "../../domain/ids.ts"
import { onDatabaseClock } from "../postgres/databaseClock.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { inIndexOrder } from "../postgres/indexes.ts"
import { Timestamp } from "../postgres/rows.ts"
import { allowedInFlight, earliestOf, inFlightAt } from "./queue.ts"
import { urlMark } from "./rows.ts"
import { storedUrlColumns } from "./sealedUrls.ts"
import { makeSetDeliveriesAside } from "./setAside.ts"
import { DeliveryClaim, type Webhooks } from "./Webhooks.ts"

const decodeClaim = Schema.decodeUnknownResult(DeliveryClaim)
const { eventId, token: tokenField, webhookId } = DeliveryClaim.fields

const UndecodedRow = Schema.StructWithRest(Schema.Struct({ webhookId, eventId, token: tokenField }), [
  Schema.Record(Schema.String, Schema.Unknown)
])

/**
 * Claims by webhook, not by delivery, so that a dead webhook's deliveries are not read in the turns of other webhooks.
 * A webhook's row is the lock of its queue, and other processes' claims skip a locked row.
 */
export const makeClaimDeliveries = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const setAside = yield* makeSetDeliveriesAside
  const inOrder = sql.literal(inIndexOrder)
  const earliest = (condition: string, from = "") => sql.literal(earliestOf(condition, from))

  // Locks nothing, so that an idle second costs one read.
  const findDue = SqlSchema.findOne({
    Request: Timestamp,
    Result: Schema.Struct({ found: Schema.Boolean }),
    execute: (now) => sql`
      SELECT EXISTS (SELECT FROM webhooks WHERE disabled_reason IS NULL
        AND due_at <= least(${now}::timestamptz, clock_timestamp())) AS found`
  })

  const claimDue = SqlSchema.findAll({
    Request: Schema.Struct({
      limit: Schema.Int,
      strained: Schema.Int,
      token: ClaimToken,
      now: Timestamp,
      leaseUntil: Timestamp
    }),
    Result: UndecodedRow,
    execute: ({ leaseUntil, limit, now, strained, token }) => {
      const due = (isStrained: "true" | "false", most: number) => sql`
        (SELECT id, xmin AS version FROM webhooks WHERE disabled_reason IS NULL AND strained = ${sql.literal(isStrained)}
          AND due_at <= (SELECT now FROM moment) ORDER BY due_at LIMIT ${most}::int)`
      return sql`
      -- The caller's clock, but never ahead of the database's, so that a fast clock takes over no lease.
      WITH moment AS MATERIALIZED (
        SELECT least(${now}::timestamptz, clock_timestamp()) AS now,
          ${onDatabaseClock(sql, sql`${leaseUntil}::timestamptz`, sql`${now}::timestamptz`)} AS lease_until
      ),
      due AS MATERIALIZED (${due("false", limit)} UNION ALL ${due("true", strained)}),
      locked AS MATERIALIZED (
        SELECT id, xmin AS version FROM webhooks WHERE id = ANY(ARRAY(SELECT id FROM due))
          AND NOT EXISTS (SELECT FROM publishing_state WHERE held_since IS NOT NULL)
        FOR NO KEY UPDATE SKIP LOCKED
      ),
      -- The statement sees deliveries as of its start. A change of a webhook's deliveries also writes its row: if the
      -- locked row has another version, the next claim takes the webhook's turn.
      queue AS MATERIALIZED (
        SELECT w.id, w.strained, w.held_until, ${sql.literal(inFlightAt("moment.now"))} AS in_flight,
          ${sql.literal(allowedInFlight)} AS allowed, coalesce(w.held_until <= moment.now, true) AS open
        FROM locked JOIN due ON due.id = locked.id AND due.version = locked.version
        JOIN webhooks w ON w.id = locked.id CROSS JOIN moment
      ),
      candidates AS (
        SELECT queue.strained, d.*, queue.in_flight + row_number() OVER (PARTITION BY queue.id ORDER BY d.next_at) AS place
        FROM queue CROSS JOIN LATERAL (
          SELECT webhook_id, event_id, next_at FROM webhook_deliveries ${inOrder}
          WHERE webhook_id = queue.id AND next_at <= (SELECT now FROM moment)
          ORDER BY next_at LIMIT greatest(queue.allowed - queue.in_flight, 0)) d
        WHERE queue.open
      ),
      ranked AS (
        SELECT *, row_number() OVER (PARTITION BY strained ORDER BY place, next_at) AS rank FROM candidates
      ),
      chosen AS MATERIALIZED (
        SELECT webhook_id, event_id FROM ranked WHERE NOT strained OR rank <= ${strained}::int
        ORDER BY place, next_at LIMIT ${limit}::int
      ),
      claimed AS (
        UPDATE webhook_deliveries d SET attempts = least(d.attempts, 1000000) + 1, claim_token = ${token}::uuid,
          next_at = (SELECT lease_until FROM moment)
        FROM chosen WHERE d.event_id = chosen.event_id AND d.webhook_id = chosen.webhook_id
          AND d.next_at <= (SELECT now FROM moment)
        RETURNING d.event_id, d.webhook_id, d.claim_token, d.attempts
      ),
      requeued AS (
        UPDATE webhooks w SET due_at = CASE
          WHEN queue.in_flight + taken.count >= queue.allowed
            THEN least(${earliest("AND d.claim_token IS NOT NULL AND d.next_at > moment.now")}, taken.lease_until)
          ELSE (SELECT greatest(next.at, moment.now, w.held_until)
            FROM (SELECT least(${earliest("", "OFFSET taken.count")}, taken.lease_until) AS at) next WHERE next.at IS NOT NULL)
          END
        FROM queue CROSS JOIN moment CROSS JOIN LATERAL (
          SELECT count(*) AS count, CASE WHEN count(*) > 0 THEN moment.lease_until END AS lease_until
          FROM chosen WHERE webhook_id = queue.id) taken
        WHERE w.id = queue.id
      )
      SELECT w.id AS "webhookId", e.id AS "eventId", w.workspace_id AS "workspaceId", c.claim_token AS token, c.attempts,
        ${sql.literal(storedUrlColumns)},
        ${sql.literal(urlMark)} AS "urlMark", w.secret, CASE WHEN w.former_secret_until > ${now}::timestamptz THEN w.former_secret END AS "formerSecret",
        e.type, e.data, e.created_at AS "createdAt", w.strained
      FROM claimed c JOIN webhooks w ON w.id = c.webhook_id JOIN events e ON e.id = c.event_id`
    }
  })

  const decodeRows = Effect.fnUntraced(function* (rows: ReadonlyArray<typeof UndecodedRow.Type>) {
    const [claims, unreadable] = Arr.partition(rows, (row) =>
      Result.mapError(decodeClaim(row), (error) => ({ ...row, error }))
    )
    yield* setAside(unreadable)
    return claims
  })

  const claim: Webhooks["claim"] = Effect.fn("Repo.webhooks.claim")((slots, lease) =>
    Effect.gen(function* () {
      const now = yield* DateTime.now
      const { found } = yield* findDue(now)
      if (!found) return []
      return yield* claimDue({
        ...slots,
        token: yield* nextClaimToken,
        now,
        leaseUntil: DateTime.addDuration(now, lease)
      })
    }).pipe(
      Effect.catchTag("NoSuchElementError", Effect.die),
      withDatabaseTimeout("claiming deliveries"),
      Effect.flatMap(decodeRows)
    )
  )
  return claim
})
