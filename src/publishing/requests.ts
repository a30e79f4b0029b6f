import { Cause, Data, type DateTime, type Duration, Effect } from "effect"
import type { Json } from "effect/Schema"
import type { Period } from "../domain/publishing/attemptPlan.ts"
import { OutcomeUnknown, Unavailable } from "../domain/publishing/platformError.ts"
import { readStored } from "../domain/publishing/storedUploads.ts"
import { MediaFiles } from "../platforms/MediaFiles.ts"
import { PlatformClient, type PublishRequest, type Uploads } from "../platforms/PlatformClient.ts"
import { Repo } from "../repo/Repo.ts"
import type { Claim } from "../repo/targets/Targets.ts"
import { accountForClaim } from "./account.ts"
import { ProcessLease } from "./ProcessLease.ts"
import { prepareTimeout, sendTimeout } from "./timing.ts"

/** How an attempt ends that was interrupted. */
export type Interrupted = Data.TaggedEnum<{
  /** A request was in flight: the post may be published. */
  CutOff: {}
  /** No request was sent: the claim can be released. */
  Released: {}
}>
export const { CutOff, Released } = Data.taggedEnum<Interrupted>()

/** Makes a step interruptible; an interruption ends the attempt with `outcome`. */
const interruptibleAs =
  (outcome: Interrupted) =>
  <A, E, R>(step: Effect.Effect<A, E, R>): Effect.Effect<A, E | Interrupted, R> =>
    Effect.catchCauseIf(Effect.interruptible(step), Cause.hasInterrupts, () => Effect.fail(outcome))

/** Makes a step interruptible that sends nothing. */
export const releasedIfInterrupted = interruptibleAs(Released())

/** Sets a timeout after which it is open whether the platform carried a request out. */
export const unknownAfter = (duration: Duration.Duration) =>
  Effect.timeoutOrElse({
    duration,
    orElse: () => Effect.fail(new OutcomeUnknown({ message: "The platform did not answer in time" }))
  })

/** Fails with what a defect of an adapter means while a request may be under way. */
export const defectUnknown = (defect: unknown): Effect.Effect<never, OutcomeUnknown> =>
  Effect.andThen(
    Effect.logError("A platform adapter failed unexpectedly", Cause.die(defect)),
    Effect.fail(new OutcomeUnknown({ message: "The service failed unexpectedly while a request was in flight" }))
  )

/**
 * Sets a timeout, and turns a defect into OutcomeUnknown: both leave open whether the platform carried the request out.
 * DatabaseUnavailable does not: the adapter asks the database for credentials, without which it sends nothing, and for what
 * belongs to other targets, which is asked of responses only.
 */
const orOutcomeUnknown = <A, E>(request: Effect.Effect<A, E>) =>
  request.pipe(unknownAfter(sendTimeout), Effect.catchDefect(defectUnknown))

/** What a platform prepares of a claim, with one of its texts and what was uploaded for it. */
const toPublishRequest = (claim: Claim, text: string, uploads: Uploads | null): PublishRequest => ({
  card: claim.card,
  language: claim.language,
  part: claim.part,
  reply: claim.reply,
  targetId: claim.targetId,
  // They are the thread's, and its first post has them.
  settings: claim.reply === null ? claim.settings : {},
  notBefore: claim.claimedAt,
  text,
  uploads
})

/** The other requests to a claim's platform, each with its timeout and with what its interruption means. */
export const makeRequests = Effect.fnUntraced(function* (claim: Claim) {
  const repo = yield* Repo
  const processLease = yield* ProcessLease
  const adapter = (yield* PlatformClient)[claim.platform]
  const filesOf = yield* MediaFiles
  const account = accountForClaim(claim, repo, processLease, filesOf)
  const { uploads } = readStored(claim.prepared)

  return {
    /** What has to be stored before a text is sent, or is needed to look for it. */
    prepare: (text: string) =>
      adapter.prepare(toPublishRequest(claim, text, uploads), account).pipe(
        Effect.timeoutOrElse({
          duration: prepareTimeout,
          orElse: () =>
            Effect.fail(new Unavailable({ message: "The platform did not answer in time while the post was prepared" }))
        }),
        releasedIfInterrupted
      ),

    /** Asks the platform what became of an earlier send. */
    reconcile: (prepared: Json, sentAt: DateTime.Utc) =>
      interruptibleAs(CutOff())(orOutcomeUnknown(adapter.reconcile(prepared, account, sentAt))),

    /** Looks for a post on the platform and sends nothing. A search that fails is repeated, unless another one would tell no more. */
    find: (post: Json, { from, until }: Period) =>
      orOutcomeUnknown(adapter.find(post, account, from, until)).pipe(
        Effect.catchTag("OutcomeUnknown", (error) =>
          Effect.fail(error.conclusive === true ? error : new Unavailable({ message: error.message }))
        ),
        releasedIfInterrupted
      )
  }
})
