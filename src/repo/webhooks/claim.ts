import { DateTime, Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { ClaimToken, nextClaimToken, WebhookId } from "../../domain/ids.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { inIndexOrder } from "../postgres/indexes.ts"
import { Timestamp } from "../postgres/rows.ts"
import { allowedInFlight, inFlightAt, makeRequeue } from "./queue.ts"
import { DeliveryClaim, type Webhooks } from "./Webhooks.ts"

/**
 * A claim goes by webhooks, and not by deliveries: however many wait for one that is dead, they are not even looked at while
 * others have their turn. The row of a webhook is the lock of its queue, which a claim of another process passes over.
 */
export const makeClaimDeliveries = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const requeue = yield* makeRequeue
  const inOrder = sql.literal(inIndexOrder)

  // Locks nothing, so that a second in which nothing is due costs one read.
  const findDue = SqlSchema.findOne({
    Request: Timestamp,
    Result: Schema.Struct({ found: Schema.Boolean }),
    execute: (now) => sql`
      SELECT EXISTS (SELECT FROM webhooks WHERE disabled_reason IS NULL
        AND due_at <= least(${now}::timestamptz, clock_timestamp())) AS found`
  })

  const lockDue = SqlSchema.findAll({
    Request: Schema.Struct({ limit: Schema.Int, strained: Schema.Int, now: Timestamp }),
    Result: Schema.Struct({ id: WebhookId }),
    execute: ({ limit, now, strained }) => {
      // The caller's clock, but never ahead of the database's, so that one that is fast takes over no lease.
      const due = (isStrained: "true" | "false", most: number) => sql`
        (SELECT id FROM webhooks WHERE disabled_reason IS NULL AND strained = ${sql.literal(isStrained)}
          AND due_at <= least(${now}::timestamptz, clock_timestamp()) ORDER BY due_at LIMIT ${most}::int)`
      return sql`
        SELECT id FROM webhooks WHERE id IN (${due("false", limit)} UNION ALL ${due("true", strained)})
          AND NOT EXISTS (SELECT FROM publishing_state WHERE held_since IS NOT NULL)
        FOR NO KEY UPDATE SKIP LOCKED`.unprepared
    }
  })

  const claimLocked = SqlSchema.findAll({
    Request: Schema.Struct({
      ids: Schema.Array(WebhookId),
      limit: Schema.Int,
      strained: Schema.Int,
      token: ClaimToken,
      now: Timestamp,
      leaseUntil: Timestamp
    }),
    Result: DeliveryClaim,
    execute: ({ ids, leaseUntil, limit, now, strained, token }) =>
      sql`
      WITH moment AS MATERIALIZED (SELECT least(${now}::timestamptz, clock_timestamp()) AS now),
      queue AS MATERIALIZED (
        SELECT w.id, w.strained, ${sql.literal(inFlightAt("moment.now"))} AS in_flight, ${sql.literal(allowedInFlight)} AS allowed
        FROM webhooks w CROSS JOIN moment
        WHERE w.id = ANY(${ids}::uuid[]) AND w.disabled_reason IS NULL AND coalesce(w.held_until <= moment.now, true)
      ),
      candidates AS (
        SELECT queue.strained, d.*, queue.in_flight + row_number() OVER (PARTITION BY queue.id ORDER BY d.next_at) AS place
        FROM queue CROSS JOIN LATERAL (
          SELECT webhook_id, event_id, next_at FROM webhook_deliveries ${inOrder}
          WHERE webhook_id = queue.id AND next_at <= (SELECT now FROM moment)
          ORDER BY next_at LIMIT greatest(queue.allowed - queue.in_flight, 0)) d
      ),
      ranked AS (
        SELECT *, row_number() OVER (PARTITION BY strained ORDER BY place, next_at) AS rank FROM candidates
      ),
      chosen AS MATERIALIZED (
        SELECT webhook_id, event_id FROM ranked WHERE NOT strained OR rank <= ${strained}::int
        ORDER BY place, next_at LIMIT ${limit}::int
      ),
      claimed AS (
        UPDATE webhook_deliveries d SET attempts = d.attempts + 1, claim_token = ${token}::uuid,
          next_at = ${leaseUntil}::timestamptz
        FROM chosen WHERE d.event_id = chosen.event_id AND d.webhook_id = chosen.webhook_id
        RETURNING d.*
      )
      SELECT w.id AS "webhookId", e.id AS "eventId", w.workspace_id AS "workspaceId", c.claim_token AS token, c.attempts,
        w.url, w.secret, CASE WHEN w.former_secret_until > ${now}::timestamptz THEN w.former_secret END AS "formerSecret",
        e.type, e.data, e.created_at AS "createdAt", w.strained
      FROM claimed c JOIN webhooks w ON w.id = c.webhook_id JOIN events e ON e.id = c.event_id`.unprepared
  })

  const claimDue = (
    slots: { readonly limit: number; readonly strained: number },
    now: DateTime.Utc,
    leaseUntil: DateTime.Utc
  ) =>
    sql.withTransaction(
      Effect.gen(function* () {
        const ids = (yield* lockDue({ ...slots, now })).map(({ id }) => id)
        if (ids.length === 0) return []
        const claims = yield* claimLocked({ ...slots, ids, token: yield* nextClaimToken, now, leaseUntil })
        yield* requeue({ ids, workspaceId: null, now })
        return claims
      })
    )

  const claim: Webhooks["claim"] = Effect.fn("Repo.webhooks.claim")((slots, lease) =>
    Effect.gen(function* () {
      const now = yield* DateTime.now
      const { found } = yield* findDue(now)
      return found ? yield* claimDue(slots, now, DateTime.addDuration(now, lease)) : []
    }).pipe(Effect.catchTag("NoSuchElementError", Effect.die), withDatabaseTimeout("claiming deliveries"))
  )
  return claim
})
