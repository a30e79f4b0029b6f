import { Cause, DateTime, Duration, Effect, Exit, Random, Schedule, Schema } from "effect"
import { factsFor } from "../domain/media/media.ts"
import { accountRefusal } from "../domain/publishing/accountRefusal.ts"
import { PlatformError, Rejected, Unavailable, UploadsGone } from "../domain/publishing/platformError.ts"
import { type PartUploads, readPartUploads, uploadsByPart } from "../domain/publishing/partUploads.ts"
import { settleProcessing, settleUpload, type UploadSettlement } from "../domain/publishing/uploadPolicy.ts"
import { MediaFiles } from "../platforms/MediaFiles.ts"
import { PlatformClient, type PlatformFile, Processing, type UploadProgress } from "../platforms/PlatformClient.ts"
import { Repo } from "../repo/Repo.ts"
import type { PartFiles, UploadClaim } from "../repo/platformUploads/PlatformUploads.ts"
import { retryWhileUnavailable, writeOnce } from "../worker/retryWhileUnavailable.ts"
import { accessForClaim } from "./account.ts"
import { MeansToSettle } from "./MeansToSettle.ts"
import { ProcessLease } from "./ProcessLease.ts"
import { Settlements } from "./Settlements.ts"
import { recordApplicationRefused, recordUpload } from "./telemetry.ts"
import { heldCheckInterval, uploadTimeout } from "./timing.ts"

/** The part's files as converted for the platform. Fails if one is gone. */
const platformFiles = (
  { isThread, platform }: UploadClaim,
  { count, files, part }: PartFiles
): Effect.Effect<ReadonlyArray<PlatformFile>, Rejected> => {
  const found = files.flatMap(({ alt, facts, renditions }): ReadonlyArray<PlatformFile> => {
    const made = renditions[platform]
    return facts === null || made === undefined
      ? []
      : [{ ...factsFor(platform, facts, renditions), hash: made.hash, alt }]
  })
  return found.length === count
    ? Effect.succeed(found)
    : Effect.fail(
        new Rejected({
          message: `A file of ${isThread ? `part ${part} of this thread` : "this post"} is gone, or could not be converted for this platform`
        })
      )
}

type Progress =
  | Extract<UploadSettlement, { readonly _tag: "Uploaded" }>
  | Extract<UploadProgress, { readonly _tag: "Processing" }>

const nothingUploaded: Progress = { _tag: "Uploaded", uploads: null, later: null }

const allUploaded = (known: PartUploads, part: number): Progress => ({
  _tag: "Uploaded",
  ...uploadsByPart(known, part)
})

const upload = Effect.fn("upload")(function* (claim: UploadClaim) {
  const adapter = (yield* PlatformClient)[claim.platform]
  const repo = yield* Repo
  const refused = accountRefusal(claim)
  if (refused !== undefined) return yield* refused
  const { upload: uploadTo } = adapter
  if (uploadTo === undefined) return yield* new Rejected({ message: "This platform takes no files" })
  const account = accessForClaim(claim, repo, yield* ProcessLease, yield* MediaFiles)
  const uploadPart = Effect.fnUntraced(function* (part: PartFiles, begun: Schema.Json | null) {
    return yield* uploadTo(yield* platformFiles(claim, part), account, begun).pipe(
      Effect.timeoutOrElse({
        duration: uploadTimeout,
        orElse: () => Effect.fail(new Unavailable({ message: "The upload took too long" }))
      })
    )
  })
  if (!claim.isThread) {
    const [part] = claim.parts
    // All files belong to parts for other platforms.
    if (part === undefined) return nothingUploaded
    const progress = yield* uploadPart(part, claim.begun)
    return progress._tag === "Uploaded" ? { ...progress, later: null } : progress
  }
  // One part per claim, so that each is stored before the next begins.
  const known = readPartUploads(claim.begun)
  const next = claim.parts.find(({ part }) => known[part]?._tag !== "Uploaded")
  if (next === undefined) return allUploaded(known, claim.part)
  const begun = known[next.part]
  const progress = yield* uploadPart(next, begun?._tag === "Begun" ? begun.begun : null)
  const after: PartUploads =
    progress._tag === "Uploaded"
      ? { ...known, [next.part]: { _tag: "Uploaded", uploads: progress.uploads } }
      : { ...known, [next.part]: { _tag: "Begun", begun: progress.begun } }
  if (claim.parts.every(({ part }) => after[part]?._tag === "Uploaded")) return allUploaded(after, claim.part)
  return Processing({ begun: after, askAfter: progress._tag === "Processing" ? progress.askAfter : Duration.zero })
})

/** Ends when the claim is lost, because nothing waits for the upload any more. */
const awaitLoss = Effect.fnUntraced(function* (claim: UploadClaim) {
  const { platformUploads } = yield* Repo
  yield* platformUploads.isHeld(claim).pipe(
    // If the database does not answer, the claim counts as held.
    Effect.catchTag("DatabaseUnavailable", () => Effect.succeed(true)),
    Effect.repeat({ schedule: Schedule.spaced(heldCheckInterval), while: (held) => held })
  )
  return "lost" as const
})

const isUploadError = Schema.is(Schema.Union([...PlatformError.members, UploadsGone]))

const ended = { Uploaded: "uploaded", Retry: "retried", Failed: "failed" } as const

const settle = Effect.fnUntraced(function* (claim: UploadClaim, settlement: UploadSettlement) {
  const { platformUploads } = yield* Repo
  const { watch } = yield* MeansToSettle
  yield* watch(retryWhileUnavailable)(platformUploads.settle(claim, settlement))
  if (settlement._tag !== "Processing") yield* recordUpload(claim.platform, ended[settlement._tag])
})

const settleFailed = Effect.fnUntraced(function* (claim: UploadClaim, error: PlatformError | UploadsGone) {
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

const unexpected = new Unavailable({ message: "The service failed unexpectedly during the upload" })

const settleProgress = Effect.fnUntraced(function* (claim: UploadClaim, progress: Progress) {
  const settlement =
    progress._tag === "Uploaded" ? progress : settleProcessing(progress, { ...claim, now: yield* DateTime.now })
  yield* Effect.catchDefect(settle(claim, settlement), (defect) =>
    Effect.andThen(
      Effect.logError("What became of an upload can't be stored", Cause.die(defect)),
      settleFailed(claim, unexpected)
    )
  )
  return settlement._tag === "Processing" && progress._tag === "Processing" ? progress.askAfter : null
})

const abandon = Effect.fnUntraced(function* (claim: UploadClaim, cause: Cause.Cause<unknown>) {
  const { platformUploads } = yield* Repo
  yield* platformUploads.abandon(claim)
  yield* Cause.hasDies(cause)
    ? Effect.logError("The claim of an upload could not be ended and is abandoned", cause)
    : Effect.logWarning("The claim of an upload is abandoned for want of the database", cause)
  return null
})

/**
 * Uploads a claimed target's files and stores the result. Returns the delay before the platform is asked about files
 * that it still processes, or null. Never fails: a claim that can't be ended is abandoned, and its upload soon claimed
 * again. An interruption requeues the upload.
 */
export const uploadFiles = Effect.fn("uploadFiles")(
  function* (claim: UploadClaim) {
    const { platformUploads } = yield* Repo
    const exit = yield* Effect.exit(Effect.interruptible(Effect.raceFirst(upload(claim), awaitLoss(claim))))
    if (Exit.isSuccess(exit)) {
      if (exit.value !== "lost") return yield* settleProgress(claim, exit.value)
      yield* Effect.logInfo("An upload was stopped: its post was changed or canceled")
      return null
    }
    const failure = Cause.squash(exit.cause)
    if (Cause.hasInterrupts(exit.cause)) {
      yield* writeOnce(platformUploads.release(claim))
      return null
    }
    if (!isUploadError(failure)) yield* Effect.logWarning("An upload failed and is tried again", exit.cause)
    yield* settleFailed(claim, isUploadError(failure) ? failure : unexpected)
    return null
  },
  Effect.catchTag("ClaimLost", (error) =>
    Effect.as(Effect.logWarning("The claim of an upload was lost before its attempt ended", Cause.fail(error)), null)
  ),
  // A stopping process abandons no claims, because the end of its lease frees them.
  (uploaded, claim) =>
    Effect.catchCause(uploaded, (cause) => (Cause.hasInterrupts(cause) ? Effect.interrupt : abandon(claim, cause))),
  Effect.uninterruptible,
  (uploaded, { attempts, platform, postId, targetId, workspaceId }) =>
    Effect.annotateLogs(uploaded, {
      workspace_id: workspaceId,
      post_id: postId,
      target_id: targetId,
      platform,
      attempts
    })
)
