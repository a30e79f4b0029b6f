import { DateTime, Duration, Effect, Metric, Schema } from "effect"
import { issuePlaces } from "../../domain/issues.ts"
import { SqlClient, SqlSchema } from "effect/sql"
import { WebhookId } from "../../domain/ids.ts"
import { bestEffort, withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { makeRequeue } from "./queue.ts"
import { makeUnclaim } from "./unclaim.ts"
import type { DeliveryClaim } from "./Webhooks.ts"

const unreadable = Metric.counter("webhook_unreadable_deliveries_total", {
  description: "Due deliveries that this version could not read; each is set aside for a minute and then counted again",
  incremental: true
})

const pause = Duration.minutes(1)

/** A claimed delivery that can't be decoded. */
interface UnreadableDelivery extends Pick<DeliveryClaim, "eventId" | "token" | "webhookId"> {
  readonly error: Schema.SchemaError
}

/**
 * Returns deliveries to their queues as if they had not been claimed, to be due again in a minute: a version that can read them
 * may be running beside this one, or be deployed soon. The webhook's other deliveries go on. Never fails; a claim that can't be
 * returned ends with its lease.
 */
export const makeSetDeliveriesAside = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const unclaim = yield* makeUnclaim
  const requeue = yield* makeRequeue
  yield* Metric.update(unreadable, 0)

  const lock = SqlSchema.void({
    Request: Schema.Array(WebhookId),
    execute: (ids) => sql`SELECT FROM webhooks WHERE id = ANY(${ids}::uuid[]) ORDER BY id FOR NO KEY UPDATE`
  })

  return Effect.fnUntraced(function* (deliveries: ReadonlyArray<UnreadableDelivery>) {
    if (deliveries.length === 0) return
    yield* Metric.update(unreadable, deliveries.length)
    yield* Effect.forEach(
      deliveries,
      ({ error, eventId, webhookId }) =>
        Effect.logError(`A due delivery can't be read and is set aside for a minute: ${issuePlaces(error)}`).pipe(
          Effect.annotateLogs({ webhook_id: webhookId, event_id: eventId })
        ),
      { discard: true }
    )
    const now = yield* DateTime.now
    const ids = [...new Set(deliveries.map(({ webhookId }) => webhookId))]
    yield* lock(ids).pipe(
      Effect.andThen(unclaim({ batch: deliveries, at: DateTime.addDuration(now, pause), now })),
      Effect.andThen(requeue({ ids, workspaceId: null, now })),
      sql.withTransaction,
      withDatabaseTimeout("setting deliveries aside"),
      bestEffort("Deliveries that can't be read stay claimed until their lease ends")
    )
  })
})
