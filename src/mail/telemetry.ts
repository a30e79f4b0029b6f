import { DateTime, Duration, Effect, Metric } from "effect"
import type { MailResult } from "../domain/mail/mailPolicy.ts"
import type { MailBacklog } from "../repo/notifications/Deliveries.ts"

const attempts = Metric.counter("mail_attempts_total", {
  description: "Messages about notifications by result: sent, dropped because nobody needs them any more, or failed",
  incremental: true
})

const oldestDue = Metric.gauge("mail_oldest_due_seconds", {
  description: "How long the message that waits longest has been due; the same on all replicas"
})

const results: Readonly<Record<MailResult["_tag"], string>> = { Sent: "sent", Dropped: "dropped", Failed: "failed" }

const series = (tag: MailResult["_tag"]) => Metric.withAttributes(attempts, { result: results[tag] })

/** Begins each series at 0, because Prometheus' increase() misses a series that begins at 1. */
export const initializeMailMetrics = Effect.all(
  [Metric.update(series("Sent"), 0), Metric.update(series("Dropped"), 0), Metric.update(series("Failed"), 0)],
  { discard: true }
)

export const recordResult = ({ _tag }: MailResult) => Metric.update(series(_tag), 1)

export const recordBacklog = Effect.fnUntraced(function* ({ oldest }: MailBacklog) {
  const now = yield* DateTime.now
  const age =
    oldest === null || DateTime.isGreaterThan(oldest, now) ? 0 : Duration.toSeconds(DateTime.distance(oldest, now))
  yield* Metric.update(oldestDue, age)
})
