import { DateTime, Duration } from "effect"
import type { Json } from "effect/Schema"
import type { PlatformError } from "./platformError.ts"
import type { TargetError } from "../posts/post.ts"
import { applicationDelay, attemptWindow, retryDelay } from "./retryPolicy.ts"

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
  | { readonly _tag: "Uploaded"; readonly uploads: Json }
  | { readonly _tag: "Retry"; readonly at: DateTime.Utc; readonly error: TargetError }
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

/** Settles an upload that failed. It is repeated for as long as its post may still be sent: nobody sees an upload. */
export const settleUpload = (
  failure: PlatformError,
  { attempts, dueSince, jitter, now }: UploadAttempt
): Exclude<UploadSettlement, { readonly _tag: "Uploaded" }> => {
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
  if (DateTime.isGreaterThan(at, DateTime.addDuration(dueSince, attemptWindow))) {
    return {
      _tag: "Failed",
      error: {
        code: "gave_up",
        message: `The files could not be uploaded in time. The last attempt: ${message}`,
        retryable: true
      }
    }
  }
  const code = _tag === "RateLimited" ? "rate_limited" : "unavailable"
  return { _tag: "Retry", at, error: { code, message, retryable: true } }
}
