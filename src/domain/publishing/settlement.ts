import { DateTime, Duration, Result, type Schema } from "effect"
import { counted } from "../counted.ts"
import { duplicateWarning } from "../plain/posts.ts"
import type { PlatformError, Publication } from "./platformError.ts"
import type { TargetError } from "../posts/post.ts"
import {
  applicationDelay,
  attemptWindow,
  longestSearchDelay,
  looksBeforeResend,
  reconcileDelay,
  maxAttempts,
  replyDelay,
  resendDelay,
  retryDelay,
  toldAtLooks,
  withTooLongLimit
} from "./retryPolicy.ts"

export interface SettledPublication extends Publication {
  /** The prepared post by which a search found the publication. Absent if it is the stored one. */
  readonly foundBy?: Schema.Json
}

export type Settlement =
  | { readonly _tag: "Published"; readonly publication: SettledPublication }
  | {
      readonly _tag: "Retry"
      readonly at: DateTime.Utc
      readonly error: TargetError
      /** True if the next attempt sends again after a look that does not find the post. */
      readonly resend?: true
      /** True if the platform was not asked, so that this does not count as an attempt. */
      readonly isUncounted?: true
      /** True if only time can tell whether the post is out. This does not count as an attempt either. */
      readonly isOpen?: true
    }
  /** The platform is preparing an object to publish the post from. Ask again with `begun`. */
  | { readonly _tag: "Making"; readonly at: DateTime.Utc; readonly begun: Schema.Json }
  /** The platform accepted the post and is processing it. Ask again. */
  | { readonly _tag: "Taken"; readonly at: DateTime.Utc }
  | {
      readonly _tag: "Failed"
      readonly error: TargetError
      readonly resend?: true
      /** True if no attempt published the post. */
      readonly isAbsent?: true
      readonly otherVersion?: true
      /** True if only an earlier send's outcome is unknown. */
      readonly unsent?: true
    }

export type TargetSettlement =
  | Settlement
  /** A part of a thread is published. The next is due at `next`, or immediately if null. */
  | { readonly _tag: "Continued"; readonly publication: SettledPublication; readonly next: DateTime.Utc | null }

export const publicationOf = (settlement: TargetSettlement): SettledPublication | undefined =>
  settlement._tag === "Published" || settlement._tag === "Continued" ? settlement.publication : undefined

export const isFinal = ({ _tag }: TargetSettlement): boolean => _tag === "Published" || _tag === "Failed"

export const awaitsAddress = (settlement: TargetSettlement): boolean =>
  publicationOf(settlement)?.addressFollows === true

export const isRecognized = (settlement: TargetSettlement): boolean => publicationOf(settlement)?.recognized === true

export const ordersResend = (settlement: TargetSettlement): boolean =>
  (settlement._tag === "Retry" || settlement._tag === "Failed") && settlement.resend === true

type Processing = Extract<Settlement, { readonly _tag: "Making" | "Taken" }>

export const isProcessing = (settlement: TargetSettlement): settlement is Processing =>
  settlement._tag === "Making" || settlement._tag === "Taken"

export const isUncounted = (settlement: TargetSettlement): boolean =>
  isProcessing(settlement) ||
  (settlement._tag === "Retry" && (settlement.isUncounted === true || settlement.isOpen === true))

/** True if this attempt might have published the post. Even if not, an earlier send's outcome may be unknown. */
export const mayBePublished = (settlement: TargetSettlement): boolean => {
  if (settlement._tag === "Published" || settlement._tag === "Continued") return true
  if (isProcessing(settlement)) return settlement._tag === "Taken"
  const isUnknown = settlement.error.code === "outcome_unknown"
  return (isUnknown && !(settlement._tag === "Failed" && settlement.unsent === true)) || ordersResend(settlement)
}

/**
 * True if the settlement can be stored after its claim was lost, because the outcome of its send is certain. A
 * rejection says nothing about an earlier send.
 */
export const holdsWithoutClaim = (settlement: TargetSettlement, sentBefore: boolean): boolean =>
  publicationOf(settlement) !== undefined ||
  (settlement._tag === "Failed" && settlement.error.code === "rejected" && !sentBefore)

/** True if a person is told that the outcome is still open. */
export const tellsOpen = (
  settlement: TargetSettlement,
  looks: number
): settlement is Extract<Settlement, { _tag: "Retry" }> =>
  settlement._tag === "Retry" && settlement.isOpen === true && toldAtLooks.includes(looks)

export interface Attempt {
  /** Including this one. */
  readonly attempts: number
  /** The first due time. */
  readonly dueSince: DateTime.Utc
  readonly now: DateTime.Utc
  /** Random in [0, 1), to spread retries. */
  readonly jitter: number
  readonly reconcileAttempts: number
  /** After this many looks for the post, a person decides. */
  readonly maxReconcileAttempts: number
  /** True if the post is sent again unless a look finds the earlier send. */
  readonly resendOrdered: boolean
  /** A process unknown to this database may have sent the post since this time; null if none. */
  readonly reconcileFrom: DateTime.Utc | null
}

const maybePublishedBefore = (attempt: Attempt): boolean =>
  attempt.reconcileAttempts > 0 || attempt.reconcileFrom !== null

/**
 * The number of looks since the last send. It is 0 once there were enough looks, because the attempt then sends again.
 */
const searchesSinceSend = (attempt: Attempt): number =>
  attempt.resendOrdered && attempt.reconcileAttempts >= looksBeforeResend ? 0 : attempt.reconcileAttempts

type Failed = Extract<Settlement, { readonly _tag: "Failed" }>

const failed = (code: TargetError["code"], message: string, retryable: boolean): Failed => ({
  _tag: "Failed",
  error: { code, message, retryable }
})

export const withDuplicateWarning = (message: string): string => `${message}. ${duplicateWarning}`

export const outcomeUnknown = (message: string): Failed =>
  failed("outcome_unknown", withDuplicateWarning(message), false)

const giveUp = (attempt: Attempt, message: string): Failed =>
  failed("gave_up", `Given up after ${counted(attempt.attempts, "attempt")}. The last one: ${message}`, true)

const latest = (attempt: Attempt): DateTime.Utc => {
  const windowEnd = DateTime.addDuration(attempt.dueSince, attemptWindow)
  // A search that begins late, such as after a long outage, also gets its attempts, within another window.
  return maybePublishedBefore(attempt) && !attempt.resendOrdered
    ? DateTime.max(windowEnd, DateTime.addDuration(attempt.now, longestSearchDelay))
    : windowEnd
}

const isExhausted = (attempt: Attempt, next: DateTime.Utc): boolean =>
  attempt.attempts >= maxAttempts || DateTime.isGreaterThan(next, latest(attempt))

const retryAt = (
  attempt: Attempt,
  at: DateTime.Utc,
  code: TargetError["code"],
  message: string
): Extract<Settlement, { readonly _tag: "Retry" | "Failed" }> => {
  if (!isExhausted(attempt, at)) {
    return { _tag: "Retry", at, error: { code, message, retryable: true } }
  }
  if (attempt.resendOrdered) return giveUp(attempt, withDuplicateWarning(message))
  return maybePublishedBefore(attempt) ? outcomeUnknown(message) : giveUp(attempt, message)
}

const after = (attempt: Attempt, delay: Duration.Duration) => DateTime.addDuration(attempt.now, delay)

/** At least a second, even if the platform asks for less. */
const askAgain = (now: DateTime.Utc, askAfter: Duration.Duration): DateTime.Utc =>
  DateTime.addDuration(now, Duration.max(askAfter, Duration.seconds(1)))

type Answered = Exclude<Settlement, Processing>

const settleError = (error: PlatformError, attempt: Attempt): Answered => {
  switch (error._tag) {
    case "Rejected":
      return failed("rejected", error.message, false)
    case "NeedsReauthorization":
      return failed("needs_reconnect", error.message, true)
    case "RateLimited": {
      const at = DateTime.max(error.until, after(attempt, Duration.seconds(1)))
      const isTooLong = DateTime.isGreaterThan(at, latest(attempt)) && !maybePublishedBefore(attempt)
      return retryAt(attempt, at, "rate_limited", isTooLong ? withTooLongLimit(error.message) : error.message)
    }
    case "Unavailable":
      return retryAt(
        attempt,
        after(attempt, retryDelay(attempt.attempts, attempt.jitter)),
        "unavailable",
        error.message
      )
    case "TooEarly":
      return retryAt(attempt, after(attempt, replyDelay(attempt.attempts)), "unavailable", error.message)
    case "ApplicationRefused":
      return retryAt(attempt, after(attempt, applicationDelay(attempt.attempts)), "unavailable", error.message)
    case "Overloaded": {
      const at = after(attempt, resendDelay(searchesSinceSend(attempt) + 1, attempt.attempts, attempt.jitter))
      return { ...retryAt({ ...attempt, resendOrdered: true }, at, "unavailable", error.message), resend: true }
    }
    case "OutcomeUnknown": {
      const searches = searchesSinceSend(attempt)
      const at = after(attempt, reconcileDelay(searches + 1))
      if (error.unsent === true) return { ...outcomeUnknown(error.message), unsent: true }
      if (error.otherVersion === true) return { ...outcomeUnknown(error.message), otherVersion: true }
      const open: TargetError = { code: "outcome_unknown", message: error.message, retryable: true }
      if (error.askAfter !== undefined) {
        return { _tag: "Retry", at: askAgain(attempt.now, error.askAfter), error: open, isOpen: true }
      }
      return error.conclusive === true || searches >= attempt.maxReconcileAttempts || isExhausted(attempt, at)
        ? outcomeUnknown(error.message)
        : { _tag: "Retry", at, error: open }
    }
  }
}

export const settle = (outcome: Result.Result<SettledPublication, PlatformError>, attempt: Attempt): Answered =>
  Result.match(outcome, {
    onFailure: (error) => settleError(error, attempt),
    onSuccess: (publication): Answered => ({ _tag: "Published", publication })
  })

interface Made extends Pick<Attempt, "dueSince" | "now"> {
  readonly askAfter: Duration.Duration
  readonly begun: Schema.Json
  readonly mayBeOut: boolean
}

/** A preparation can take as long as the post may be late. */
export const settleMaking = ({ askAfter, begun, dueSince, mayBeOut, now }: Made): Settlement => {
  const at = askAgain(now, askAfter)
  if (DateTime.isLessThan(at, DateTime.addDuration(dueSince, attemptWindow))) return { _tag: "Making", at, begun }
  const message = "The platform did not finish processing the post within 24 hours of its time"
  return mayBeOut ? outcomeUnknown(message) : failed("gave_up", message, true)
}

interface Took extends Pick<Attempt, "now"> {
  readonly askAfter: Duration.Duration
  /** Null if the platform has just begun. */
  readonly since: DateTime.Utc | null
  /** The longest time for which the platform processes a post that it accepted. */
  readonly longest: Duration.Duration
}

export const settleTaken = ({ askAfter, longest, now, since }: Took): Settlement => {
  const end = DateTime.addDuration(since ?? now, longest)
  return DateTime.isLessThan(now, end)
    ? { _tag: "Taken", at: DateTime.min(askAgain(now, askAfter), end) }
    : outcomeUnknown(
        `The platform accepted the post ${Duration.format(longest)} ago and has not confirmed that it is out`
      )
}

export const settleDropped = (message: string): Settlement => ({
  ...failed("rejected", message, false),
  isAbsent: true
})

/** Undefined if it is not too late to send. */
export const settleLate = (attempt: Pick<Attempt, "attempts" | "dueSince" | "now">): Settlement | undefined => {
  if (!DateTime.isGreaterThan(attempt.now, DateTime.addDuration(attempt.dueSince, attemptWindow))) return undefined
  return attempt.attempts === 1
    ? failed(
        "missed",
        "The post could not be sent within 24 hours of its time, because the service or the platform was down",
        true
      )
    : failed(
        "gave_up",
        `Given up more than 24 hours after the post's time, after ${counted(attempt.attempts - 1, "attempt")}`,
        true
      )
}

/** The next attempt reconciles the interrupted request. */
export const settleCutOff = (attempts: number, now: DateTime.Utc): Settlement => ({
  _tag: "Retry",
  at: DateTime.addDuration(now, reconcileDelay(1)),
  error: {
    code: "outcome_unknown",
    message: `Attempt ${attempts} was cut off because the service stopped`,
    retryable: true
  }
})
