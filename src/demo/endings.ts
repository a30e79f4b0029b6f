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

/** Differs by platform, so that a post's history has an order. */
const sendingTime = (platform: LivePlatform) => Duration.millis(900 + 500 * livePlatforms.indexOf(platform))

export const publishedEnding = (due: DateTime.Utc, platform: LivePlatform, publication: Publication): Ending =>
  end(attemptAt(due, sendingTime(platform), 1), Result.succeed(publication))

/** The first attempt hit the rate limit; the next follows in two hours. */
export const retriedEnding = (due: DateTime.Utc, platform: LivePlatform, now: DateTime.Utc): Ending =>
  end(
    attemptAt(due, "2 seconds", 1),
    Result.fail(
      new RateLimited({
        message: `${platformName(platform)} accepts no more posts from this account for a while`,
        until: DateTime.addDuration(now, Duration.hours(2))
      })
    )
  )

export const failedEnding = (due: DateTime.Utc, platform: LivePlatform, failure: Failure): Ending => {
  const name = platformName(platform)
  switch (failure) {
    case "rejected":
      return end(
        attemptAt(due, "1 second", 1),
        Result.fail(
          new Rejected({ message: `${name} refused this post: You are not permitted to perform this action.` })
        )
      )
    case "needs_reconnect":
      return end(
        attemptAt(due, "1 second", 1),
        Result.fail(
          new NeedsReauthorization({ message: `${name} no longer accepts this session; connect the account again` })
        )
      )
    case "gave_up":
      return end(
        attemptAt(due, "3 hours", maxAttempts),
        Result.fail(new Unavailable({ message: `${name} did not answer within 20 seconds` }))
      )
    case "outcome_unknown":
      return end(
        attemptAt(due, "4 minutes", 1),
        Result.fail(
          new OutcomeUnknown({
            message: `The connection to ${name} was lost before it answered`,
            conclusive: true
          })
        )
      )
    case "missed": {
      const attempt = attemptAt(due, "25 hours", 1)
      const late = settleLate(attempt)
      if (late === undefined) throw new Error("An attempt a day late is sent")
      return { at: attempt.now, attempts: 1, settlement: late }
    }
  }
}
