import { Cause, DateTime, Effect, Exit, Random, Schedule, Schema } from "effect"
import { factsFor } from "../domain/media/media.ts"
import { accountRefusal } from "../domain/publishing/accountRefusal.ts"
import { PlatformError, Rejected, Unavailable } from "../domain/publishing/platformError.ts"
import { settleUpload, type UploadSettlement } from "../domain/publishing/uploadPolicy.ts"
import { MediaFiles } from "../platforms/MediaFiles.ts"
import { PlatformClient, type PlatformFile } from "../platforms/PlatformClient.ts"
import { Repo } from "../repo/Repo.ts"
import type { UploadClaim } from "../repo/platformUploads/PlatformUploads.ts"
import { retryWhileUnavailable } from "../worker/retryWhileUnavailable.ts"
import { accessForClaim } from "./account.ts"
import { ProcessLease } from "./ProcessLease.ts"
import { Settlements } from "./Settlements.ts"
import { recordApplicationRefused, recordUpload } from "./telemetry.ts"
import { heldCheckInterval, uploadTimeout } from "./timing.ts"

/** The files as the claim's platform gets them. Fails where one is gone. */
const platformFiles = ({
  count,
  files,
  platform
}: UploadClaim): Effect.Effect<ReadonlyArray<PlatformFile>, Rejected> => {
  const found = files.flatMap(({ alt, facts, renditions }): ReadonlyArray<PlatformFile> => {
    const made = renditions[platform]
    return facts === null || made === undefined
      ? []
      : [{ ...factsFor(platform, facts, renditions), hash: made.hash, alt }]
  })
  return found.length === count
    ? Effect.succeed(found)
    : Effect.fail(
        new Rejected({ message: "A file of this post is gone, or nothing could be made of it for this platform" })
      )
}

const upload = Effect.fn("upload")(function* (claim: UploadClaim) {
  const adapter = (yield* PlatformClient)[claim.platform]
  const repo = yield* Repo
  const refused = accountRefusal(claim)
  if (refused !== undefined) return yield* refused
  if (adapter.upload === undefined) return yield* new Rejected({ message: "This platform takes no files" })
  const account = accessForClaim(claim, repo, yield* ProcessLease, yield* MediaFiles)
  return yield* adapter.upload(yield* platformFiles(claim), account).pipe(
    Effect.timeoutOrElse({
      duration: uploadTimeout,
      orElse: () => Effect.fail(new Unavailable({ message: "The upload took too long" }))
    })
  )
})

/** Ends when the claim is lost: nothing waits for the upload any more. */
const awaitLoss = Effect.fnUntraced(function* (claim: UploadClaim) {
  const { platformUploads } = yield* Repo
  yield* platformUploads.isHeld(claim).pipe(
    // Whether it is held can't be told at the moment.
    Effect.catchTag("DatabaseUnavailable", () => Effect.succeed(true)),
    Effect.repeat({ schedule: Schedule.spaced(heldCheckInterval), while: (held) => held })
  )
  return "lost" as const
})

const isPlatformError = Schema.is(PlatformError)

const ended = { Uploaded: "uploaded", Retry: "retried", Failed: "failed" } as const

const settle = Effect.fnUntraced(function* (claim: UploadClaim, settlement: UploadSettlement) {
  const { platformUploads } = yield* Repo
  yield* retryWhileUnavailable(platformUploads.settle(claim, settlement))
  yield* recordUpload(claim.platform, ended[settlement._tag])
})

const settleFailed = Effect.fnUntraced(function* (claim: UploadClaim, error: PlatformError) {
  const settlement = settleUpload(error, { ...claim, now: yield* DateTime.now, jitter: yield* Random.next })
  if (error._tag === "ApplicationRefused") yield* recordApplicationRefused(claim, error.reason)
  const isFinal = settlement._tag === "Failed"
  if (isFinal && error._tag === "NeedsReauthorization" && claim.integration.connected) {
    yield* retryWhileUnavailable((yield* Settlements).requireReconnect(claim, error.message))
  }
  const what = isFinal ? "The files can't be uploaded" : "The upload will be tried again"
  yield* Effect.logWarning(`${what}: ${settlement.error.code}`)
  yield* settle(claim, settlement)
})

/**
 * Uploads the files of a claimed target, and stores what became of them. Never fails: a claim that can't be ended is left to its
 * lease. An interruption returns the upload to the queue.
 */
export const uploadFiles = Effect.fn("uploadFiles")(
  function* (claim: UploadClaim) {
    const { platformUploads } = yield* Repo
    const exit = yield* Effect.exit(
      Effect.interruptible(
        Effect.raceFirst(
          Effect.map(upload(claim), (uploads) => ({ uploads })),
          awaitLoss(claim)
        )
      )
    )
    if (Exit.isSuccess(exit)) {
      if (exit.value === "lost") return yield* Effect.logInfo("An upload was stopped: its post was changed or canceled")
      return yield* settle(claim, { _tag: "Uploaded", uploads: exit.value.uploads })
    }
    const failure = Cause.squash(exit.cause)
    if (Cause.hasInterrupts(exit.cause)) return yield* platformUploads.release(claim)
    if (!isPlatformError(failure)) {
      yield* Effect.logWarning("An upload failed and is tried again", exit.cause)
      const error = new Unavailable({ message: "The service failed unexpectedly during the upload" })
      return yield* settleFailed(claim, error)
    }
    return yield* settleFailed(claim, failure)
  },
  Effect.catch((error) =>
    Effect.logWarning("The claim of an upload is left until its lease expires", Cause.fail(error))
  ),
  Effect.uninterruptible,
  Effect.catchDefect((defect) => Effect.logError("An upload failed unexpectedly", Cause.die(defect))),
  (uploaded, { attempts, platform, postId, targetId, workspaceId }) =>
    Effect.annotateLogs(uploaded, {
      workspace_id: workspaceId,
      post_id: postId,
      target_id: targetId,
      platform,
      attempts
    })
)
