import { Duration, Effect, Metric } from "effect"
import { LivePlatform } from "../domain/platform.ts"
import type { Settlement } from "../domain/settlement.ts"

const attemptDuration = Metric.histogram("publish_attempt_duration_seconds", {
  description: "How long attempts took, by platform and what they came to: published, retried or failed",
  boundaries: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 45, 90]
})

const lateness = Metric.histogram("publish_lateness_seconds", {
  description: "How long after their time targets were first attempted",
  boundaries: [0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60, 300, 900, 3600, 21_600, 86_400]
})

const ends = Metric.counter("publish_targets_total", {
  description: "Targets that came to an end, by platform and outcome: published, or why not",
  incremental: true
})

const retries = Metric.counter("publish_retries_total", {
  description: "Attempts after which a target waits for another, by platform and reason",
  incremental: true
})

const attemptOutcomes = { Published: "published", Retry: "retried", Failed: "failed" } as const

const outcomes = ["published", "rejected", "gave_up", "outcome_unknown", "missed", "needs_reconnect"]
const reasons = ["rate_limited", "unavailable", "outcome_unknown"]

const attemptsOf = (platform: LivePlatform, outcome: string) =>
  Metric.withAttributes(attemptDuration, { platform, outcome })
const latenessOf = (platform: LivePlatform) => Metric.withAttributes(lateness, { platform })
const endsOf = (platform: LivePlatform, outcome: string) => Metric.withAttributes(ends, { platform, outcome })
const retriesOf = (platform: LivePlatform, reason: string) => Metric.withAttributes(retries, { platform, reason })

/** Makes every counter stand at zero before anything is counted: an increase from nothing would be overlooked. */
export const exposePublishMetrics = Effect.forEach(
  LivePlatform.literals,
  (platform) =>
    Effect.all(
      [
        Metric.value(latenessOf(platform)),
        ...Object.values(attemptOutcomes).map((outcome) => Metric.value(attemptsOf(platform, outcome))),
        ...outcomes.map((outcome) => Metric.value(endsOf(platform, outcome))),
        ...reasons.map((reason) => Metric.value(retriesOf(platform, reason)))
      ],
      { discard: true }
    ),
  { discard: true }
)

/** Counts how late a target is attempted for the first time. */
export const countLateness = (platform: LivePlatform, late: Duration.Duration) =>
  Metric.update(latenessOf(platform), Duration.toSeconds(late))

/** Counts an attempt and what it came to. */
export const countAttempt = (platform: LivePlatform, came: Settlement["_tag"], took: Duration.Duration) =>
  Metric.update(attemptsOf(platform, attemptOutcomes[came]), Duration.toSeconds(took))

/** Counts what became of a target, once that is stored. */
export const countSettlement = (platform: LivePlatform, settlement: Settlement) => {
  switch (settlement._tag) {
    case "Published":
      return Metric.update(endsOf(platform, "published"), 1)
    case "Retry":
      return Metric.update(retriesOf(platform, settlement.error.code), 1)
    case "Failed":
      return Metric.update(endsOf(platform, settlement.error.code), 1)
  }
}
