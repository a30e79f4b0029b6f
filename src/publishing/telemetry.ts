import { DateTime, Duration, Effect, Metric, Record } from "effect"
import { platformName } from "../domain/plain/platforms.ts"
import { LivePlatform } from "../domain/platform.ts"
import { ApplicationRefused } from "../domain/publishing/platformError.ts"
import { isProcessing, isUncounted, type TargetSettlement } from "../domain/publishing/settlement.ts"
import { liveFacts } from "../platforms/facts.ts"
import type { Claim } from "../repo/targets/Targets.ts"

const attemptDuration = Metric.histogram("publish_attempt_duration_seconds", {
  description: "Duration of publish attempts, by platform and result: published, processing, retried or failed",
  boundaries: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 45, 90]
})

const lateness = Metric.histogram("publish_lateness_seconds", {
  description: "Time between a target's due time and its first attempt",
  boundaries: [0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60, 300, 900, 3600, 21_600, 86_400]
})

const endedTargets = Metric.counter("publish_targets_total", {
  description: "Targets that were published or failed, by platform and outcome",
  incremental: true
})

const retries = Metric.counter("publish_retries_total", {
  description: "Attempts after which the target waits for another, by platform and reason",
  incremental: true
})

const openCircuits = Metric.gauge("publish_open_circuits", {
  description: "Hosts of platforms that do not respond to this process, which get one attempt at a time"
})

/** The gauge is measured at each scrape while the scope is open. */
export const measureOpenCircuits = Effect.fnUntraced(function* (measure: () => number) {
  const context = yield* Effect.context()
  const registration = Metric.registerUnsafe(openCircuits, context, {
    get: () => ({ value: measure() }),
    update: () => undefined,
    modify: () => undefined
  })
  yield* Effect.addFinalizer(() => Effect.sync(() => registration.remove()))
})

const applicationRefusals = Metric.counter("publish_application_refusals_total", {
  description: "Attempts that a platform refused because of the service's application, by platform and reason",
  incremental: true
})

const endedUploads = Metric.counter("publish_uploads_total", {
  description: "Uploads of posts' files that ended or are to be repeated, by platform and outcome",
  incremental: true
})

const results = {
  Published: "published",
  Continued: "published",
  Making: "processing",
  Taken: "processing",
  Retry: "retried",
  Failed: "failed"
} as const
const outcomes = ["published", "rejected", "gave_up", "outcome_unknown", "missed", "needs_reconnect"]
const uploadOutcomes = ["uploaded", "retried", "failed"] as const
const retryReasons = ["rate_limited", "unavailable", "outcome_unknown"]

const refusalReasons = ApplicationRefused.fields.reason.literals

/** Cached, as looking up a series costs more than updating it. */
const seriesOf = <Input, State>(metric: Metric.Metric<Input, State>, name: string) => {
  const known = new Map<string, Metric.Metric<Input, State>>()
  return (platform: LivePlatform, value: string) => {
    const key = `${platform} ${value}`
    const series = known.get(key) ?? Metric.withAttributes(metric, { platform, [name]: value })
    known.set(key, series)
    return series
  }
}

const refusalSeries = seriesOf(applicationRefusals, "reason")
const durationSeries = seriesOf(attemptDuration, "outcome")
const endedSeries = seriesOf(endedTargets, "outcome")
const retrySeries = seriesOf(retries, "reason")
const uploadSeries = seriesOf(endedUploads, "outcome")
const latenessSeries = Record.map(liveFacts, (_, platform) => Metric.withAttributes(lateness, { platform }))

/** Begins each series at 0, because Prometheus' increase() misses a series that begins at 1. */
export const initializePublishMetrics = Effect.forEach(
  LivePlatform.literals,
  (platform) =>
    Effect.all(
      [
        Metric.value(latenessSeries[platform]),
        ...Object.values(results).map((result) => Metric.value(durationSeries(platform, result))),
        ...outcomes.map((outcome) => Metric.value(endedSeries(platform, outcome))),
        ...uploadOutcomes.map((outcome) => Metric.value(uploadSeries(platform, outcome))),
        ...retryReasons.map((reason) => Metric.value(retrySeries(platform, reason))),
        ...refusalReasons.map((reason) => Metric.value(refusalSeries(platform, reason)))
      ],
      { discard: true }
    ),
  { discard: true }
)

const settlementOutcome = (settlement: TargetSettlement): string => {
  switch (settlement._tag) {
    case "Published":
    case "Continued":
      return "published"
    case "Making":
    case "Taken":
      return "processing"
    default:
      return settlement.error.code
  }
}

/** Never negative, because a post that seems to be early only shows that the clock is slow. */
const latenessNow = ({ dueSince }: Claim) =>
  Effect.map(DateTime.now, (now) => Duration.max(DateTime.distance(dueSince, now), Duration.zero))

export const annotateClaim = ({ attempts, part, parts, platform, postId, targetId, workspaceId }: Claim) =>
  Effect.annotateLogs({
    workspace_id: workspaceId,
    post_id: postId,
    target_id: targetId,
    platform,
    // Each part of a thread has attempts of its own.
    ...(parts === 1 ? {} : { part }),
    attempts
  })

export const annotateAttempt = ({ attempts, platform, postId }: Claim) =>
  Effect.annotateCurrentSpan({
    "publish.platform": platform,
    "publish.post_id": postId,
    "publish.attempt": attempts
  })

export const recordStart = Effect.fnUntraced(function* (claim: Claim) {
  const { attempts, part, platform, processingSince, sentAt, lastRateLimited } = claim
  // A later part is due once the previous part is out, not at a time that a person chose. A thread that waited for a
  // limit was measured before.
  if (attempts === 1 && sentAt === null && processingSince === null && part === 1 && !lastRateLimited) {
    yield* Metric.update(latenessSeries[platform], Duration.toSeconds(yield* latenessNow(claim)))
  }
})

const operatorMessages: Readonly<Record<ApplicationRefused["reason"], string>> = {
  credits:
    "its credits are spent, or it has reached its spending limit. Automatic recharge is paused while the balance is zero or negative",
  access: "it has no access to the API, or not enough"
}

export const recordApplicationRefused = Effect.fnUntraced(function* (
  { platform }: Pick<Claim, "platform">,
  reason: ApplicationRefused["reason"]
) {
  yield* Metric.update(refusalSeries(platform, reason), 1)
  yield* Effect.logError(`${platformName(platform)} refuses the service's application: ${operatorMessages[reason]}`)
})

export const recordUpload = (platform: LivePlatform, outcome: (typeof uploadOutcomes)[number]) =>
  Metric.update(uploadSeries(platform, outcome), 1)

/** Call this only for attempts that were not interrupted. */
export const recordAttempt = Effect.fnUntraced(function* (
  { platform }: Claim,
  settlement: TargetSettlement,
  duration: Duration.Duration
) {
  yield* Metric.update(durationSeries(platform, results[settlement._tag]), Duration.toSeconds(duration))
  yield* Effect.annotateCurrentSpan("publish.outcome", settlementOutcome(settlement))
})

/** The platform's message may repeat the post's text, so it is not logged; the target's `error` contains it. */
export const recordSettlement = Effect.fnUntraced(function* (claim: Claim, settlement: TargetSettlement) {
  const { part, parts, platform } = claim
  const outcome = settlementOutcome(settlement)
  yield* Effect.annotateCurrentSpan({ "publish.platform": platform, "publish.outcome": outcome })
  if (settlement._tag === "Continued") {
    yield* Effect.logInfo(`Part ${part} of ${parts} of the ${platform} target is out`)
    return
  }
  if (isProcessing(settlement) || (settlement._tag === "Retry" && isUncounted(settlement))) {
    const next_attempt = DateTime.formatIso(settlement.at)
    yield* Effect.logInfo(`The ${platform} target waits: ${outcome}`).pipe(Effect.annotateLogs({ next_attempt }))
    return
  }
  yield* Metric.update(settlement._tag === "Retry" ? retrySeries(platform, outcome) : endedSeries(platform, outcome), 1)
  const lateness_seconds = Duration.toSeconds(yield* latenessNow(claim))
  yield* settlement._tag === "Retry"
    ? Effect.logWarning(`The ${platform} target will be retried: ${outcome}`).pipe(
        Effect.annotateLogs({
          lateness_seconds,
          outcome: "retry",
          reason: outcome,
          next_attempt: DateTime.formatIso(settlement.at)
        })
      )
    : Effect.logInfo(`The ${platform} target has ended: ${outcome}`).pipe(
        Effect.annotateLogs({ lateness_seconds, outcome })
      )
})
