import { type Duration, type Effect, Schema } from "effect"
import type { ClaimLost, DatabaseUnavailable } from "../../domain/errors.ts"
import { MediaFile } from "../../domain/media/media.ts"
import type { UploadSettlement } from "../../domain/publishing/uploadPolicy.ts"
import { Claim, type ClaimOwner, type ClaimSlots } from "../targets/Targets.ts"

const { accountId, dueSince, host, integration, leaseUntil, ownerId, platform, postId, targetId, token, workspaceId } =
  Claim.fields

/** The files of a part. */
const PartFiles = Schema.Struct({
  part: Schema.Int,
  /** How many it has. */
  count: Schema.Int,
  /** Those that the library still has, in the part's order, with its own alternative texts. */
  files: Schema.Array(MediaFile)
})
export type PartFiles = typeof PartFiles.Type

/** The files of a target that only this process may upload until its lease ends. */
export const UploadClaim = Schema.Struct({
  targetId,
  /** The fencing token: a write that names another one is refused. */
  token,
  /** The end of the lease by this process's clock. */
  leaseUntil,
  ownerId,
  workspaceId,
  postId,
  platform,
  host,
  accountId,
  integration,
  dueSince,
  /** Attempts so far, this one included. */
  attempts: Schema.Int,
  /** What an earlier attempt has begun and the platform processes; null without one. */
  begun: Schema.NullOr(Schema.Json),
  /** The part that the target stands at, from 1. */
  part: Schema.Int,
  isThread: Schema.Boolean,
  /** What is to be uploaded: of the post or, of a thread, of each part from that one on that has files. */
  parts: Schema.Array(PartFiles)
})
export type UploadClaim = typeof UploadClaim.Type

/** Free slots for uploads. An account's count what other processes upload too. */
export interface UploadSlots extends ClaimSlots {
  readonly perAccount: number
}

/**
 * The uploads of targets' files, each a row from when the post is scheduled until it is changed or its target ends. A target that
 * waits for its upload falls due only when its window ends, so that neither the claim of targets nor other targets
 * know of it; an upload that ends makes it due at its time.
 */
export interface PlatformUploads {
  /**
   * Claims up to `limit` uploads whose start has come, or whose lease or owner is gone, and those that an earlier claim of this process
   * took without an answer. Forgets those that nothing waits for.
   */
  readonly claim: (
    limit: number,
    lease: Duration.Duration,
    options: { readonly owner: ClaimOwner; readonly slots: UploadSlots }
  ) => Effect.Effect<ReadonlyArray<UploadClaim>, DatabaseUnavailable>
  /** Whether the claim still holds: the post may have been changed, canceled or moved to another account. */
  readonly isHeld: (claim: UploadClaim) => Effect.Effect<boolean, DatabaseUnavailable>
  /**
   * Stores what was uploaded and makes the target due at its time, or why the files can't be uploaded, with which the target
   * fails at its time, or when the upload is tried again or goes on.
   */
  readonly settle: (
    claim: UploadClaim,
    settlement: UploadSettlement
  ) => Effect.Effect<void, ClaimLost | DatabaseUnavailable>
  /** Returns an upload to the queue as if it had not been claimed. */
  readonly release: (claim: UploadClaim) => Effect.Effect<void, ClaimLost | DatabaseUnavailable>
  /** Gives up a claim that could be neither settled nor released, as `Targets.abandon` does. */
  readonly abandon: (claim: UploadClaim) => Effect.Effect<void>
  /**
   * Releases the claim of a target and orders the upload of its files, again where there was one. `reason` says why that one is of
   * no use: the target shows it from the second time on.
   */
  readonly order: (claim: Claim, reason: string | null) => Effect.Effect<void, ClaimLost | DatabaseUnavailable>
}
