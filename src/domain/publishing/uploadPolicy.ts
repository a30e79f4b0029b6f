import { DateTime, Duration } from "effect"
import type { Json } from "effect/Schema"
import type { PlatformError, UploadsGone } from "./platformError.ts"
import type { TargetError } from "../posts/post.ts"
import { applicationDelay, attemptWindow, retryDelay, withTooLongLimit } from "./retryPolicy.ts"

/** Work on a post with files begins this long before the post's time, in seconds. */
export const uploadLead = Duration.toSeconds("30 minutes")

/** The time when work on a post begins: `uploadLead` early with media. Null without a time. */
export const startOf = ({
  media,
  scheduledAt
}: {
  readonly media: ReadonlyArray<unknown>
  readonly scheduledAt: DateTime.Utc | null
}): DateTime.Utc | null =>
  scheduledAt === null || media.length === 0 ? scheduledAt : DateTime.subtract(scheduledAt, { seconds: uploadLead })

export type UploadSettlement =
  | {
      readonly _tag: "Uploaded"
      /** The platform's references; null if the next part of a thread has no files. */
      readonly uploads: Json | null
      /** Later parts' references, by number; null for a single post. */
      readonly later: Readonly<Record<string, Json>> | null
    }
  /** The platform is processing a file: ask again. `begun` identifies the upload. */
  | { readonly _tag: "Processing"; readonly begun: Json; readonly at: DateTime.Utc }
  | {
      readonly _tag: "Retry"
      readonly at: DateTime.Utc
      readonly error: TargetError
      readonly isShown: boolean
      /** True if the upload that `begun` identifies can't be continued. */
      readonly beginsAnew: boolean
    }
  | { readonly _tag: "Failed"; readonly error: TargetError }

export interface UploadAttempt {
  /** Including this one. */
  readonly attempts: number
  readonly dueSince: DateTime.Utc
  readonly now: DateTime.Utc
  /** Random in [0, 1), to spread retries. */
  readonly jitter: number
}

/** The delay between attempts grows up to this attempt. */
const growing = 12

/** The post shows an error from this attempt on, because most first failures pass quickly. */
export const shownFrom = 2

/** The post shows an error at once if it will be this late because of it. */
const shownDelay = Duration.minutes(1)

const failedInTime = (reason: string): Extract<UploadSettlement, { readonly _tag: "Failed" }> => ({
  _tag: "Failed",
  error: { code: "gave_up", message: `The files could not be uploaded in time. ${reason}`, retryable: true }
})

const isTooLate = (at: DateTime.Utc, dueSince: DateTime.Utc): boolean =>
  DateTime.isGreaterThan(at, DateTime.addDuration(dueSince, attemptWindow))

/** Polls until it is too late to send the post. */
export const settleProcessing = (
  { askAfter, begun }: { readonly begun: Json; readonly askAfter: Duration.Duration },
  { dueSince, now }: Pick<UploadAttempt, "dueSince" | "now">
): Extract<UploadSettlement, { readonly _tag: "Processing" | "Failed" }> => {
  const at = DateTime.addDuration(now, askAfter)
  return isTooLate(at, dueSince)
    ? failedInTime("The platform is still processing a file")
    : { _tag: "Processing", begun, at }
}

/** Retries until it is too late to send the post. Repeated uploads are harmless, because nobody sees them. */
export const settleUpload = (
  failure: PlatformError | UploadsGone,
  { attempts, dueSince, jitter, now }: UploadAttempt
): Extract<UploadSettlement, { readonly _tag: "Retry" | "Failed" }> => {
  const { _tag, message } = failure
  if (_tag === "Rejected") return { _tag: "Failed", error: { code: "rejected", message, retryable: false } }
  if (_tag === "NeedsReauthorization") {
    return { _tag: "Failed", error: { code: "needs_reconnect", message, retryable: true } }
  }
  const capped = Math.min(attempts, growing)
  const delayed = DateTime.addDuration(
    now,
    _tag === "ApplicationRefused" ? applicationDelay(capped) : retryDelay(capped, jitter)
  )
  const at = _tag === "RateLimited" ? DateTime.max(failure.until, DateTime.add(now, { seconds: 1 })) : delayed
  if (isTooLate(at, dueSince)) {
    return failedInTime(`The last attempt: ${_tag === "RateLimited" ? withTooLongLimit(message) : message}`)
  }
  const code = _tag === "RateLimited" ? "rate_limited" : "unavailable"
  return {
    _tag: "Retry",
    at,
    error: { code, message, retryable: true },
    isShown: attempts >= shownFrom || DateTime.isGreaterThan(at, DateTime.addDuration(dueSince, shownDelay)),
    beginsAnew: _tag === "UploadsGone"
  }
}
