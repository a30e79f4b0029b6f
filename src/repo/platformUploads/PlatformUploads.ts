import { type Duration, type Effect, Schema } from "effect"
import type { ClaimLost, DatabaseUnavailable } from "../../domain/errors.ts"
import { MediaFile } from "../../domain/media/media.ts"
import type { UploadSettlement } from "../../domain/publishing/uploadPolicy.ts"
import { Claim, type ClaimOwner, type ClaimSlots } from "../targets/Targets.ts"

const { accountId, dueSince, host, integration, leaseUntil, ownerId, platform, postId, targetId, token, workspaceId } =
  Claim.fields

const PartFiles = Schema.Struct({
  part: Schema.Int,
  count: Schema.Int,
  /** Files that the library still has, in the part's order, with the post's alternative texts. */
  files: Schema.Array(MediaFile)
})
export type PartFiles = typeof PartFiles.Type

export const UploadClaim = Schema.Struct({
  targetId,
  token,
  /** By this process's clock. */
  leaseUntil,
  ownerId,
  workspaceId,
  postId,
  platform,
  host,
  accountId,
  integration,
  dueSince,
  /** Includes this attempt. */
  attempts: Schema.Int,
  /** Media that the platform is processing. */
  begun: Schema.NullOr(Schema.Json),
  part: Schema.Int,
  isThread: Schema.Boolean,
  /** The current part and later parts of a thread that have files. */
  parts: Schema.Array(PartFiles)
})
export type UploadClaim = typeof UploadClaim.Type

/** `perAccount` also counts uploads of other processes. */
export interface UploadSlots extends ClaimSlots {
  readonly perAccount: number
}

/**
 * One row per target, from scheduling until the post is changed or the target ends. A target that waits for its upload
 * is due only when its window ends, so claims and other targets need not know about uploads. A finished upload makes
 * the target due at its time.
 */
export interface PlatformUploads {
  /**
   * Claims uploads whose start has come, whose lease or owner is gone, or whose claim's response this process lost.
   * Deletes uploads that nothing waits for.
   */
  readonly claim: (
    limit: number,
    lease: Duration.Duration,
    options: { readonly owner: ClaimOwner; readonly slots: UploadSlots }
  ) => Effect.Effect<ReadonlyArray<UploadClaim>, DatabaseUnavailable>
  /** False if the post was changed, canceled or moved to another account. */
  readonly isHeld: (claim: UploadClaim) => Effect.Effect<boolean, DatabaseUnavailable>
  /**
   * Stores the upload, so that the target is due at its time; or the error, so that it then fails; or the time of the
   * next attempt.
   */
  readonly settle: (
    claim: UploadClaim,
    settlement: UploadSettlement
  ) => Effect.Effect<void, ClaimLost | DatabaseUnavailable>
  readonly release: (claim: UploadClaim) => Effect.Effect<void, ClaimLost | DatabaseUnavailable>
  /** Like `Targets.abandon`. */
  readonly abandon: (claim: UploadClaim) => Effect.Effect<void>
  /**
   * Releases the claim. `reason` says why an earlier upload can't be used. The target shows it from the second time on.
   */
  readonly order: (claim: Claim, reason: string | null) => Effect.Effect<void, ClaimLost | DatabaseUnavailable>
}
