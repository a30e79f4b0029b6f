import { Cause, DateTime, Effect, Exit, Predicate, Random, Schedule, Schema } from "effect"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import { factsFor } from "../domain/media/media.ts"
import { platformNames } from "../domain/platform.ts"
import { NeedsReauthorization, PlatformError, Rejected, Unavailable } from "../domain/publishing/platformError.ts"
import { settleUpload } from "../domain/publishing/uploadPolicy.ts"
import { MediaFiles } from "../platforms/MediaFiles.ts"
import { PlatformClient, type PlatformFile } from "../platforms/PlatformClient.ts"
import { Repo } from "../repo/Repo.ts"
import type { UploadClaim } from "../repo/platformUploads/Uploads.ts"
import { accessForClaim } from "./account.ts"
import { ProcessLease } from "./ProcessLease.ts"
import { Settlements } from "./Settlements.ts"
import { recordUpload } from "./telemetry.ts"
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

/** Why nothing can be uploaded to the account that is connected; undefined if it can. */
const refuseAccount = ({ accountId, integration, platform }: UploadClaim): NeedsReauthorization | undefined => {
  if (accountId !== integration.accountId) {
    return new NeedsReauthorization({
      message: `This post belongs to the ${platformNames[platform]} account with the id ${accountId}, but ${integration.username} is connected`
    })
  }
  return integration.connected
    ? undefined
    : new NeedsReauthorization({ message: `The account ${integration.username} has to be connected again` })
}

const upload = Effect.fn("upload")(function* (claim: UploadClaim) {
  const adapter = (yield* PlatformClient)[claim.platform]
  const repo = yield* Repo
  const refused = refuseAccount(claim)
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
  const { uploads } = yield* Repo
  yield* uploads.isHeld(claim).pipe(
    // Whether it is held can't be told at the moment.
    Effect.catchTag("DatabaseUnavailable", () => Effect.succeed(true)),
    Effect.repeat({ schedule: Schedule.spaced(heldCheckInterval), while: (held) => held })
  )
  return "lost" as const
})

const isPlatformError = Schema.is(PlatformError)

/** Repeats a write for about a minute while the database is away. After that the claim is left to its lease. */
const retryWhileUnavailable = <A, E, R>(write: Effect.Effect<A, E | DatabaseUnavailable, R>) =>
  Effect.retry(write, {
    schedule: Schedule.spaced("1 second"),
    times: 59,
    while: Predicate.isTagged("DatabaseUnavailable")
  })

/**
 * Uploads the files of a claimed target, and stores what became of them. Never fails: a claim that can't be ended is left to its
 * lease. An interruption returns the upload to the queue.
 */
export const uploadFiles = Effect.fn("uploadFiles")(
  function* (claim: UploadClaim) {
    const { uploads } = yield* Repo
    const exit = yield* Effect.exit(
      Effect.interruptible(
        Effect.raceFirst(
          Effect.map(upload(claim), (stored) => ({ stored })),
          awaitLoss(claim)
        )
      )
    )
    if (Exit.isSuccess(exit)) {
      if (exit.value === "lost") return yield* Effect.logInfo("An upload was stopped: its post was changed or canceled")
      yield* retryWhileUnavailable(uploads.finish(claim, exit.value.stored))
      return yield* recordUpload(claim.platform, "uploaded")
    }
    const failure = Cause.squash(exit.cause)
    if (Cause.hasInterrupts(exit.cause)) return yield* uploads.release(claim)
    if (!isPlatformError(failure)) {
      yield* Effect.logWarning("An upload failed and is tried again", exit.cause)
      const error = new Unavailable({ message: "The service failed unexpectedly during the upload" })
      return yield* settle(claim, error)
    }
    return yield* settle(claim, failure)
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

const settle = Effect.fnUntraced(function* (claim: UploadClaim, error: PlatformError) {
  const { uploads } = yield* Repo
  const settled = settleUpload(error, { ...claim, now: yield* DateTime.now, jitter: yield* Random.next })
  if (settled._tag === "Failed") {
    if (error._tag === "NeedsReauthorization" && claim.integration.connected) {
      yield* retryWhileUnavailable((yield* Settlements).refuseAccount(claim, error.message))
    }
    yield* Effect.logWarning(`The files can't be uploaded: ${settled.error.code}`)
    yield* retryWhileUnavailable(uploads.fail(claim, settled.error))
    return yield* recordUpload(claim.platform, "failed")
  }
  yield* Effect.logWarning(`The upload will be tried again: ${settled.error.code}`)
  yield* retryWhileUnavailable(uploads.retry(claim, settled.at, settled.error))
  return yield* recordUpload(claim.platform, "retried")
})
