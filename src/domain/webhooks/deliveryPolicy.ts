import { DateTime, Duration, Option } from "effect"
import type { DeliveryStatus, DisabledReason } from "./webhook.ts"

/** The delay before each attempt: ten attempts in three days. */
const delays = [
  Duration.zero,
  Duration.seconds(5),
  Duration.minutes(5),
  Duration.minutes(30),
  Duration.hours(2),
  Duration.hours(5),
  Duration.hours(10),
  Duration.hours(14),
  Duration.hours(20),
  Duration.hours(24)
]

export const maxDeliveryAttempts = delays.length

/** A webhook whose deliveries all fail for this long is disabled. */
export const disabledAfter = Duration.days(5)

/** Failures in a row that open a webhook's circuit, which is then probed by single deliveries. */
export const failuresToOpen = 5
const firstPause = Duration.seconds(5)
const longestPause = Duration.minutes(5)

const longestRetryAfter = Duration.hours(24)

/** A webhook slower than this shares the few slots of failing webhooks. */
const slowAfter = Duration.seconds(5)

export interface AttemptResult {
  /** Null without a response. */
  readonly status: number | null
  /** For people; null after any response. */
  readonly error: string | null
  readonly duration: Duration.Duration
  /** The beginning of the response's body. */
  readonly response: string
  readonly retryAfter: Duration.Duration | null
}

export interface WebhookHealth {
  /** Failures in a row. */
  readonly failures: number
  /** The first of these failures. */
  readonly failingSince: DateTime.Utc | null
  readonly heldUntil: DateTime.Utc | null
  /** True if it shares the slots of failing and slow webhooks. */
  readonly strained: boolean
  readonly disabledReason: DisabledReason | null
}

export const isSuccess = ({ status }: Pick<AttemptResult, "status">): boolean =>
  status !== null && status >= 200 && status < 300

export const isSlow = ({ duration }: Pick<AttemptResult, "duration">): boolean =>
  Duration.isGreaterThan(duration, slowAfter)

/** The receiver does not want to be called again. */
const gone = 410

export const isCircuitOpen = ({ failures }: Pick<WebhookHealth, "failures">): boolean => failures >= failuresToOpen

/** By up to a fifth either way. */
const vary = (delay: Duration.Duration, jitter: number) => Duration.times(delay, 0.8 + 0.4 * jitter)

const requestedDelay = ({ retryAfter }: AttemptResult): Duration.Duration =>
  retryAfter === null ? Duration.zero : Duration.min(retryAfter, longestRetryAfter)

/** `attempts` includes the one that ended at `now`. */
export const settleDelivery = (
  attempts: number,
  result: AttemptResult,
  now: DateTime.Utc,
  jitter: number
): { readonly status: DeliveryStatus; readonly nextAt: DateTime.Utc | null } => {
  if (isSuccess(result)) return { status: "delivered", nextAt: null }
  return Option.match(Option.fromUndefinedOr(delays[attempts]), {
    onNone: () => ({ status: "failed", nextAt: null }),
    onSome: (delay) => ({
      status: "pending",
      nextAt: DateTime.addDuration(now, Duration.max(vary(delay, jitter), requestedDelay(result)))
    })
  })
}

/** The pause before the next probe. It doubles with each failed probe. */
const pauseAfter = (failures: number, jitter: number): Duration.Duration =>
  failures < failuresToOpen
    ? Duration.zero
    : vary(Duration.min(Duration.times(firstPause, 2 ** Math.min(failures - failuresToOpen, 10)), longestPause), jitter)

export const settleHealth = (
  health: WebhookHealth,
  result: AttemptResult,
  now: DateTime.Utc,
  jitter: number
): WebhookHealth => {
  const { disabledReason } = health
  if (isSuccess(result)) {
    return { failures: 0, failingSince: null, heldUntil: null, strained: isSlow(result), disabledReason }
  }
  const failures = health.failures + 1
  const failingSince = health.failingSince ?? now
  const pause = Duration.max(pauseAfter(failures, jitter), requestedDelay(result))
  const hasFailedLong = DateTime.isGreaterThanOrEqualTo(now, DateTime.addDuration(failingSince, disabledAfter))
  return {
    failures,
    failingSince,
    heldUntil: Duration.isZero(pause) ? health.heldUntil : DateTime.addDuration(now, pause),
    strained: true,
    disabledReason: disabledReason ?? (result.status === gone ? "gone" : hasFailedLong ? "failing" : null)
  }
}
