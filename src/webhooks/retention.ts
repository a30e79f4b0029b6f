import { DateTime, Effect } from "effect"
import { deliveryRetention, eventRetention } from "../domain/webhooks/webhook.ts"
import { Repo } from "../repo/Repo.ts"

/** Rows that one statement deletes. */
const batchSize = 1_000

/** Deletes events and deliveries that were kept long enough, batch by batch. Several processes may do so at once. */
export const sweep = Effect.gen(function* () {
  const { events, webhooks } = yield* Repo
  const now = yield* DateTime.now
  const until = { until: (removed: number) => removed < batchSize }
  yield* Effect.repeat(
    webhooks.removeDeliveriesBefore(DateTime.subtractDuration(now, deliveryRetention), batchSize),
    until
  )
  yield* Effect.repeat(events.removeBefore(DateTime.subtractDuration(now, eventRetention), batchSize), until)
}).pipe(Effect.withSpan("sweepEvents"))
