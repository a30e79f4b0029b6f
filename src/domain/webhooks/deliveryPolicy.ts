import { DateTime, Duration, Option } from "effect"
import type { DeliveryStatus, DisabledReason } from "./webhook.ts"

/** The delay before each attempt of a delivery: ten attempts in three days. */
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

/** Attempts after which a delivery has failed. */
export const maxDeliveryAttempts = delays.length

/** A webhook to which nothing was delivered for this long is disabled. */
export const disabledAfter = Duration.days(5)

/** How many failures in a row open the circuit of a webhook, which is then probed with one delivery at a time. */
export const failuresToOpen = 5
const firstPause = Duration.seconds(5)
const longestPause = Duration.minutes(5)

/** The longest `Retry-After` that is honored. */
const longestRetryAfter = Duration.hours(24)

/** An attempt that takes longer counts its webhook among those that share the few slots for failing ones. */
const slowAfter = Duration.seconds(5)

/** What an attempt came to. */
export interface AttemptResult {
  /** The status of the response; null without a response. */
  readonly status: number | null
  /** Why there is no response that counts, for people; null after one. */
  readonly error: string | null
  readonly duration: Duration.Duration
  /** The beginning of the response's body. */
  readonly response: string
  readonly retryAfter: Duration.Duration | null
}

/** What is known of how a webhook responds. */
export interface WebhookHealth {
  /** Failures in a row. */
  readonly failures: number
  /** When the first of them was. */
  readonly failingSince: DateTime.Utc | null
  /** Nothing is delivered before that. */
  readonly heldUntil: DateTime.Utc | null
  /** Whether it shares the slots of those that fail or are slow. */
  readonly strained: boolean
  readonly disabledReason: DisabledReason | null
}

export const isSuccess = ({ status }: Pick<AttemptResult, "status">): boolean =>
  status !== null && status >= 200 && status < 300

/** Whether an attempt took so long that its webhook shares the few slots. */
export const isSlow = ({ duration }: Pick<AttemptResult, "duration">): boolean =>
  Duration.isGreaterThan(duration, slowAfter)

/** The status of a receiver that does not want to be called again. */
const gone = 410

export const isCircuitOpen = ({ failures }: Pick<WebhookHealth, "failures">): boolean => failures >= failuresToOpen

/** `jitter` in [0, 1) varies a delay by up to a fifth either way. */
const vary = (delay: Duration.Duration, jitter: number) => Duration.times(delay, 0.8 + 0.4 * jitter)

const requestedDelay = ({ retryAfter }: AttemptResult): Duration.Duration =>
  retryAfter === null ? Duration.zero : Duration.min(retryAfter, longestRetryAfter)

/** What becomes of a delivery after the given number of attempts, the one that ended at `now` included. */
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

/** Doubles with each failure of a probe. */
const pauseAfter = (failures: number, jitter: number): Duration.Duration =>
  failures < failuresToOpen
    ? Duration.zero
    : vary(Duration.min(Duration.times(firstPause, 2 ** Math.min(failures - failuresToOpen, 10)), longestPause), jitter)

/** How a webhook stands after an attempt that ended at `now`. */
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
