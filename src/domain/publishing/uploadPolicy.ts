import { DateTime, Duration } from "effect"
import type { Json } from "effect/Schema"
import type { PlatformError, UploadsGone } from "./platformError.ts"
import type { TargetError } from "../posts/post.ts"
import { applicationDelay, attemptWindow, retryDelay, withTooLongLimit } from "./retryPolicy.ts"

/** How long before a post's time its files are uploaded to their platforms, in seconds. */
export const uploadLead = Duration.toSeconds("30 minutes")

/** When work on a post begins: at its time, and with media as much earlier as the uploads are given. Null without a time. */
export const startOf = ({
  media,
  scheduledAt
}: {
  readonly media: ReadonlyArray<unknown>
  readonly scheduledAt: DateTime.Utc | null
}): DateTime.Utc | null =>
  scheduledAt === null || media.length === 0 ? scheduledAt : DateTime.subtract(scheduledAt, { seconds: uploadLead })

/** What becomes of an upload after an attempt. */
export type UploadSettlement =
  | {
      readonly _tag: "Uploaded"
      /** What the platform knows the files by; null where the part of a thread that is next has none. */
      readonly uploads: Json | null
      /** The same of the later parts of a thread, by their number; null for a post without a thread. */
      readonly later: Readonly<Record<string, Json>> | null
    }
  /** The platform processes a file and is asked again at this time. `begun` is what it knows the upload by. */
  | { readonly _tag: "Processing"; readonly begun: Json; readonly at: DateTime.Utc }
  | {
      readonly _tag: "Retry"
      readonly at: DateTime.Utc
      readonly error: TargetError
      /** Whether the post shows the reason. */
      readonly isShown: boolean
      /** Whether what was begun is of no use any more. */
      readonly beginsAnew: boolean
    }
  | { readonly _tag: "Failed"; readonly error: TargetError }

/** The facts that decide it. */
export interface UploadAttempt {
  /** Attempts so far, this one included. */
  readonly attempts: number
  /** The post's time. */
  readonly dueSince: DateTime.Utc
  /** When this attempt ended. */
  readonly now: DateTime.Utc
  /** A random number in [0, 1) that spreads retries. */
  readonly jitter: number
}

/** Attempts up to which the delay grows. */
const growing = 12

/** Attempts from which on a post shows why its files are not uploaded: the first failure is mostly over soon. */
export const shownFrom = 2

const failedInTime = (reason: string): Extract<UploadSettlement, { readonly _tag: "Failed" }> => ({
  _tag: "Failed",
  error: { code: "gave_up", message: `The files could not be uploaded in time. ${reason}`, retryable: true }
})

const isTooLate = (at: DateTime.Utc, dueSince: DateTime.Utc): boolean =>
  DateTime.isGreaterThan(at, DateTime.addDuration(dueSince, attemptWindow))

/** Settles an upload whose file the platform still processes: it waits for as long as its post may still be sent. */
export const settleProcessing = (
  { askAfter, begun }: { readonly begun: Json; readonly askAfter: Duration.Duration },
  { dueSince, now }: Pick<UploadAttempt, "dueSince" | "now">
): Extract<UploadSettlement, { readonly _tag: "Processing" | "Failed" }> => {
  const at = DateTime.addDuration(now, askAfter)
  return isTooLate(at, dueSince)
    ? failedInTime("The platform is still processing a file")
    : { _tag: "Processing", begun, at }
}

/** Settles an upload that failed. It is repeated for as long as its post may still be sent: nobody sees an upload. */
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
    isShown: attempts >= shownFrom,
    beginsAnew: _tag === "UploadsGone"
  }
}
