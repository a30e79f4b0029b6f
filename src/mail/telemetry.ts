import { DateTime, Duration, Effect, Metric } from "effect"
import type { MailResult } from "../domain/mail/mailPolicy.ts"
import type { DeliveryBacklog } from "../repo/notifications/Deliveries.ts"

const results: Readonly<Record<MailResult["_tag"], string>> = { Sent: "sent", Dropped: "dropped", Failed: "failed" }

/** `name` is the metrics' prefix. */
export const makeDeliveryTelemetry = (name: string, messages: string) => {
  const attempts = Metric.counter(`${name}_attempts_total`, {
    description: `${messages} about notifications by result: sent, dropped because nobody needs them any more, or failed`,
    incremental: true
  })
  const oldestDue = Metric.gauge(`${name}_oldest_due_seconds`, {
    description: "How long the message that waits longest has been due; the same on all replicas"
  })
  const series = (tag: MailResult["_tag"]) => Metric.withAttributes(attempts, { result: results[tag] })
  return {
    /** Begins each series at 0, because Prometheus' increase() misses a series that begins at 1. */
    initialize: Effect.all(
      [Metric.update(series("Sent"), 0), Metric.update(series("Dropped"), 0), Metric.update(series("Failed"), 0)],
      { discard: true }
    ),
    recordResult: ({ _tag }: MailResult) => Metric.update(series(_tag), 1),
    recordBacklog: Effect.fnUntraced(function* ({ oldest }: DeliveryBacklog) {
      const now = yield* DateTime.now
      const age =
        oldest === null || DateTime.isGreaterThan(oldest, now) ? 0 : Duration.toSeconds(DateTime.distance(oldest, now))
      yield* Metric.update(oldestDue, age)
    })
  }
}

export const mailTelemetry = makeDeliveryTelemetry("mail", "Messages to members")
