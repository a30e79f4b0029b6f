import { DateTime, Duration, Effect, Metric } from "effect"
import { type AttemptResult, isSuccess } from "../domain/webhooks/deliveryPolicy.ts"
import type { DeliveryBacklog } from "../repo/webhooks/Webhooks.ts"

const attemptDuration = Metric.histogram("webhook_attempt_duration_seconds", {
  description: "Duration of attempts to deliver an event, by result: delivered, refused or unreachable",
  boundaries: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15]
})

const disabled = Metric.counter("webhook_disabled_total", {
  description: "Webhooks that were disabled because they failed for days or responded with 410",
  incremental: true
})

const unreadable = Metric.counter("webhook_unreadable_secrets_total", {
  description: "Deliveries that wait for a minute because no configured key decrypts the secret of their webhook",
  incremental: true
})

const oldestUndispatched = Metric.gauge("webhook_oldest_undispatched_seconds", {
  description: "How long the oldest event has been waiting for the dispatcher; the same on all replicas"
})

const oldestDue = Metric.gauge("webhook_oldest_due_seconds", {
  description: "How long the webhook that waits longest has been waiting for its turn; the same on all replicas"
})

const openCircuits = Metric.gauge("webhook_open_circuits", {
  description: "Webhooks that failed five times in a row, which get one delivery at a time; the same on all replicas"
})

const series = (outcome: string) => Metric.withAttributes(attemptDuration, { outcome })

const outcomeOf = (result: AttemptResult): string => {
  if (isSuccess(result)) return "delivered"
  return result.status === null ? "unreachable" : "refused"
}

/** Begins each series at 0, because Prometheus' increase() misses a series that begins at 1. */
export const initializeWebhookMetrics = Effect.all(
  [
    ...["delivered", "refused", "unreachable"].map((outcome) => Metric.value(series(outcome))),
    Metric.update(disabled, 0),
    Metric.update(unreadable, 0)
  ],
  { discard: true }
)

export const recordAttempt = (result: AttemptResult) =>
  Metric.update(series(outcomeOf(result)), Duration.toSeconds(result.duration))

export const recordDisabled = (count: number) => Metric.update(disabled, count)

export const recordUnreadable = Metric.update(unreadable, 1)

const age = (since: DateTime.Utc | null, now: DateTime.Utc): number =>
  since === null || DateTime.isGreaterThan(since, now) ? 0 : Duration.toSeconds(DateTime.distance(since, now))

export const recordBacklog = Effect.fnUntraced(function* (backlog: DeliveryBacklog) {
  const now = yield* DateTime.now
  yield* Metric.update(oldestUndispatched, age(backlog.undispatched, now))
  yield* Metric.update(oldestDue, age(backlog.oldest, now))
  yield* Metric.update(openCircuits, backlog.openCircuits)
})
