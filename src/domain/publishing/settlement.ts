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
  withTooLongLimit
} from "./retryPolicy.ts"

/** What an attempt at one post came to. */
export type Settlement =
  | { readonly _tag: "Published"; readonly publication: Publication }
  | {
      readonly _tag: "Retry"
      readonly at: DateTime.Utc
      readonly error: TargetError
      /** Whether the next attempt sends the post again once it has looked and not found it. */
      readonly resend?: true
      /** Whether nothing was asked of the platform, so that it counts as no attempt. */
      readonly isUncounted?: true
    }
  /** The platform is processing the post, or what it is published from, and is asked again. */
  | {
      readonly _tag: "Processing"
      readonly at: DateTime.Utc
      /** When the platform began. */
      readonly since: DateTime.Utc
      /** What the platform knows by so far of what the post is published from; null if it took the post itself. */
      readonly begun: Schema.Json | null
    }
  | {
      readonly _tag: "Failed"
      readonly error: TargetError
      readonly resend?: true
      /** Whether neither this attempt nor an earlier one published the post. */
      readonly isAbsent?: true
      /** Whether the post is known to have gone out with another text than the stored one. */
      readonly otherVersion?: true
      /** Whether this attempt certainly sent nothing, although the outcome of an earlier send is unknown. */
      readonly unsent?: true
    }

/** What becomes of a target after an attempt. */
export type TargetSettlement =
  | Settlement
  /** A part of a thread is out that is not the last one: the next one follows from `next` on, or at once where that is null. */
  | { readonly _tag: "Continued"; readonly publication: Publication; readonly next: DateTime.Utc | null }

/** What is out after an attempt: the post, or the part of its thread. Undefined where nothing certainly is. */
export const publicationOf = (settlement: TargetSettlement): Publication | undefined =>
  settlement._tag === "Published" || settlement._tag === "Continued" ? settlement.publication : undefined

/** Whether the target is due no more, unless a person decides so. */
export const isFinal = ({ _tag }: TargetSettlement): boolean => _tag === "Published" || _tag === "Failed"

/** Whether the platform tells the address of what is out later. */
export const awaitsAddress = (settlement: TargetSettlement): boolean =>
  publicationOf(settlement)?.addressFollows === true

/** Whether the post was found by its text, so that another target may own it. */
export const isRecognized = (settlement: TargetSettlement): boolean => publicationOf(settlement)?.recognized === true

/** Whether the next attempt is to send the post again, because the platform answered that it did not take it. */
export const ordersResend = (settlement: TargetSettlement): boolean =>
  (settlement._tag === "Retry" || settlement._tag === "Failed") && settlement.resend === true

/** Whether this claim counts as no attempt. */
export const isUncounted = (settlement: TargetSettlement): boolean =>
  settlement._tag === "Processing" || (settlement._tag === "Retry" && settlement.isUncounted === true)

/**
 * Whether what this attempt sent is published, or may be. Otherwise the target is as it was before the attempt: an earlier
 * send's outcome may still be unknown.
 */
export const mayBePublished = (settlement: TargetSettlement): boolean => {
  if (settlement._tag === "Published" || settlement._tag === "Continued") return true
  if (settlement._tag === "Processing") return settlement.begun === null
  const isUnknown = settlement.error.code === "outcome_unknown"
  return (isUnknown && !(settlement._tag === "Failed" && settlement.unsent === true)) || ordersResend(settlement)
}

/**
 * Whether a settlement holds also after its claim was lost: what its send came to is certain, whatever another process that
 * could not know it has decided. A rejection says nothing about an earlier send.
 */
export const holdsWithoutClaim = (settlement: TargetSettlement, sentBefore: boolean): boolean =>
  publicationOf(settlement) !== undefined ||
  (settlement._tag === "Failed" && settlement.error.code === "rejected" && !sentBefore)

/** The facts that decide a settlement. */
export interface Attempt {
  /** Attempts so far, this one included. */
  readonly attempts: number
  /** When the target was first due. */
  readonly dueSince: DateTime.Utc
  /** When this attempt ended. */
  readonly now: DateTime.Utc
  /** A random number in [0, 1) that spreads retries. */
  readonly jitter: number
  /** How many of these attempts reconciled an earlier send whose outcome is unknown. */
  readonly reconcileAttempts: number
  /** Reconciliation attempts before an unknown outcome is left to a person. */
  readonly maxReconcileAttempts: number
  /** Whether the earlier send was to be repeated if it was not found. */
  readonly resendOrdered: boolean
  /** The time since which a process that the database does not know of may have sent the post; null if there is none. */
  readonly reconcileFrom: DateTime.Utc | null
}

/** Whether the post may be published whatever this attempt's result: by an earlier send, or by an unknown process. */
const maybePublishedBefore = (attempt: Attempt): boolean =>
  attempt.reconcileAttempts > 0 || attempt.reconcileFrom !== null

/**
 * The looks since the last send. An attempt that repeats a send after enough looks fails before the send in another
 * way, so that none was made since.
 */
const searchesSinceSend = (attempt: Attempt): number =>
  attempt.resendOrdered && attempt.reconcileAttempts >= looksBeforeResend ? 0 : attempt.reconcileAttempts

type Failed = Extract<Settlement, { readonly _tag: "Failed" }>

const failed = (code: TargetError["code"], message: string, retryable: boolean): Failed => ({
  _tag: "Failed",
  error: { code, message, retryable }
})

/** Warns the person who decides whether to publish the post again. */
export const withDuplicateWarning = (message: string): string => `${message}. ${duplicateWarning}`

/** Leaves to a person what the service can't find out. */
export const outcomeUnknown = (message: string): Failed =>
  failed("outcome_unknown", withDuplicateWarning(message), false)

const giveUp = (attempt: Attempt, message: string): Failed =>
  failed("gave_up", `Given up after ${counted(attempt.attempts, "attempt")}. The last one: ${message}`, true)

/** The time of the next attempt may be at most this. */
const latest = (attempt: Attempt): DateTime.Utc => {
  const windowEnd = DateTime.addDuration(attempt.dueSince, attemptWindow)
  // A search that begins late, after a long outage, deserves its attempts too. All of them together take a window at most.
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

/** What becomes of a target whose platform processes nothing. */
type Answered = Exclude<Settlement, { readonly _tag: "Processing" }>

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
      return error.conclusive === true || searches >= attempt.maxReconcileAttempts || isExhausted(attempt, at)
        ? outcomeUnknown(error.message)
        : { _tag: "Retry", at, error: { code: "outcome_unknown", message: error.message, retryable: true } }
    }
  }
}

/** Settles a target after an attempt. */
export const settle = (outcome: Result.Result<Publication, PlatformError>, attempt: Attempt): Answered =>
  Result.match(outcome, {
    onFailure: (error) => settleError(error, attempt),
    onSuccess: (publication): Answered => ({ _tag: "Published", publication })
  })

/** What a platform is processing, and the facts that decide how long it may take. */
export interface Processed extends Pick<Attempt, "dueSince" | "now"> {
  readonly askAfter: Duration.Duration
  readonly begun: Schema.Json | null
  /** When the platform began; null if it has begun now. */
  readonly since: DateTime.Utc | null
  /** The longest that the platform processes a post which it took. */
  readonly longest: Duration.Duration
  /** Whether an earlier send may have published the post. */
  readonly mayBeOut: boolean
}

/**
 * Settles a target whose platform is processing something. What the post is published from may take as long as the post may be late. A
 * post that the platform took is left to a person once it has been processed for longer than the platform ever does.
 */
export const settleProcessing = ({
  askAfter,
  begun,
  dueSince,
  longest,
  mayBeOut,
  now,
  since
}: Processed): Settlement => {
  const from = since ?? now
  const asked = DateTime.addDuration(now, Duration.max(askAfter, Duration.seconds(1)))
  if (begun !== null) {
    const isInTime = DateTime.isLessThan(asked, DateTime.addDuration(dueSince, attemptWindow))
    if (isInTime) return { _tag: "Processing", at: asked, since: from, begun }
    const message = "The platform did not make the post ready within 24 hours of its time"
    return mayBeOut ? outcomeUnknown(message) : failed("gave_up", message, true)
  }
  const end = DateTime.addDuration(from, longest)
  return DateTime.isLessThan(now, end)
    ? { _tag: "Processing", at: DateTime.min(asked, end), since: from, begun }
    : outcomeUnknown(`The platform took the post ${Duration.format(longest)} ago and has not said that it is out`)
}

/** Settles a target whose post the platform took and did not publish. */
export const settleDropped = (message: string): Settlement => ({
  ...failed("rejected", message, false),
  isAbsent: true
})

/** Settles a target that was claimed too late to be sent; undefined if it is not too late. */
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

/** Settles an attempt that was interrupted while a request was in flight: the next one reconciles. */
export const settleCutOff = (attempts: number, now: DateTime.Utc): Settlement => ({
  _tag: "Retry",
  at: DateTime.addDuration(now, reconcileDelay(1)),
  error: {
    code: "outcome_unknown",
    message: `Attempt ${attempts} was cut off because the service stopped`,
    retryable: true
  }
})
