import { DateTime, Duration, Result } from "effect"
import type { LivePlatform } from "../domain/platform.ts"
import { livePlatforms, platformName } from "../domain/plain/platforms.ts"
import {
  NeedsReauthorization,
  OutcomeUnknown,
  type PlatformError,
  type Publication,
  RateLimited,
  Rejected,
  Unavailable
} from "../domain/publishing/platformError.ts"
import type { TargetError } from "../domain/posts/post.ts"
import { maxAttempts } from "../domain/publishing/retryPolicy.ts"
import { type Attempt, settle, settleLate, type Settlement } from "../domain/publishing/settlement.ts"

export type Failure = Extract<
  TargetError["code"],
  "rejected" | "gave_up" | "outcome_unknown" | "missed" | "needs_reconnect"
>

export interface Ending {
  readonly at: DateTime.Utc
  readonly attempts: number
  readonly settlement: Settlement
}

const attemptAt = (dueSince: DateTime.Utc, after: Duration.Input, attempts: number): Attempt => ({
  attempts,
  dueSince,
  now: DateTime.addDuration(dueSince, after),
  jitter: 0.5,
  reconcileAttempts: 0,
  maxReconcileAttempts: 0,
  resendOrdered: false,
  reconcileFrom: null
})

const end = (attempt: Attempt, outcome: Result.Result<Publication, PlatformError>): Ending => ({
  at: attempt.now,
  attempts: attempt.attempts,
  settlement: settle(outcome, attempt)
})

/** The time that sending takes differs between platforms, so that a post's history has a definite order. */
const sendingTime = (platform: LivePlatform) => Duration.millis(900 + 500 * livePlatforms.indexOf(platform))

export const publishedEnding = (due: DateTime.Utc, platform: LivePlatform, publication: Publication): Ending =>
  end(attemptAt(due, sendingTime(platform), 1), Result.succeed(publication))

export const retriedEnding = (due: DateTime.Utc, platform: LivePlatform, now: DateTime.Utc): Ending => {
  const message = `${platformName(platform)} accepts no more posts from this account for a while`
  const until = DateTime.addDuration(now, Duration.hours(2))
  return end(attemptAt(due, "2 seconds", 1), Result.fail(new RateLimited({ message, until })))
}

export const failedEnding = (due: DateTime.Utc, platform: LivePlatform, failure: Failure): Ending => {
  const name = platformName(platform)
  const endAfter = (after: Duration.Input, error: PlatformError, attempts = 1) =>
    end(attemptAt(due, after, attempts), Result.fail(error))
  switch (failure) {
    case "rejected": {
      const message = `${name} refused this post: You are not permitted to perform this action.`
      return endAfter("1 second", new Rejected({ message }))
    }
    case "needs_reconnect": {
      const message = `${name} no longer accepts this session; connect the account again`
      return endAfter("1 second", new NeedsReauthorization({ message }))
    }
    case "gave_up": {
      const message = `${name} did not answer within 20 seconds`
      return endAfter("3 hours", new Unavailable({ message }), maxAttempts)
    }
    case "outcome_unknown": {
      const message = `The connection to ${name} was lost before it answered`
      return endAfter("4 minutes", new OutcomeUnknown({ message, conclusive: true }))
    }
    case "missed": {
      const attempt = attemptAt(due, "25 hours", 1)
      const late = settleLate(attempt)
      if (late === undefined) throw new Error("An attempt a day late is sent")
      return { at: attempt.now, attempts: 1, settlement: late }
    }
  }
}
