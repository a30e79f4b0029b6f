import { DateTime, Duration, Effect, Metric, type Schema } from "effect"
import { issuePlaces } from "../../domain/issues.ts"
import { bestEffort, withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { makeUnclaim } from "./unclaim.ts"
import type { DeliveryClaim } from "./Webhooks.ts"

const unreadable = Metric.counter("webhook_unreadable_deliveries_total", {
  description: "Due deliveries that this version could not read; each is set aside for a minute and then counted again",
  incremental: true
})

const pause = Duration.minutes(1)

interface UnreadableDelivery extends Pick<DeliveryClaim, "eventId" | "token" | "webhookId"> {
  readonly error: Schema.SchemaError
}

/**
 * Postpones deliveries that this version can't read by a minute, perhaps for a version that can. Never fails: if the
 * write fails, the claims end with their leases.
 */
export const makeSetDeliveriesAside = Effect.gen(function* () {
  const unclaim = yield* makeUnclaim
  yield* Metric.update(unreadable, 0)

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
    yield* unclaim(deliveries, { at: DateTime.addDuration(yield* DateTime.now, pause) }).pipe(
      withDatabaseTimeout("setting deliveries aside"),
      bestEffort("Deliveries that can't be read stay claimed until their lease ends")
    )
  })
})
