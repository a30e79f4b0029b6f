import { Cause, Data, DateTime, type Duration, Effect, Exit, Option, Schema } from "effect"
import type { Json } from "effect/Schema"
import type { ClaimLost, DatabaseUnavailable } from "../domain/errors.ts"
import { platformName } from "../domain/plain/platforms.ts"
import { mayBeOutSince, type Period, type Plan, planAttempt } from "../domain/publishing/attemptPlan.ts"
import {
  type Accepted,
  Dropped,
  type DuplicateRefused,
  NeedsReauthorization,
  OutcomeUnknown,
  PlatformError,
  type Preparing,
  type Publication,
  Rejected,
  Unavailable,
  type UploadsGone
} from "../domain/publishing/platformError.ts"
import {
  settleDropped,
  type SettledPublication,
  type Settlement,
  withDuplicateWarning
} from "../domain/publishing/settlement.ts"
import { readStored, storeBegun } from "../domain/publishing/storedUploads.ts"
import { PlatformClient } from "../platforms/PlatformClient.ts"
import { span } from "../platforms/span.ts"
import { Repo } from "../repo/Repo.ts"
import type { Claim } from "../repo/targets/Targets.ts"
import { type Interrupted, releasedIfInterrupted } from "./interruption.ts"
import { Sends } from "./Sends.ts"
import { recordApplicationRefused } from "./telemetry.ts"

/** An attempt's outcome, while its claim is held. */
export type Outcome =
  | Interrupted
  | Data.TaggedEnum<{
      Published: { readonly publication: SettledPublication }
      Failed: { readonly error: PlatformError }
      /** Settled without an attempt, or after a search of the platform. */
      Settled: { readonly settlement: Settlement }
      /** Nothing was sent: the platform prepares something first. `begun`, its progress, has to be stored. */
      Making: { readonly askAfter: Duration.Duration; readonly begun: Json }
      /** The platform accepted the post and is processing it. `isSent` is true if this attempt sent it. */
      Taken: { readonly askAfter: Duration.Duration; readonly isSent: boolean }
      /** Nothing was sent. `reason` says why earlier uploads are useless. */
      AwaitsUpload: { readonly reason: string | null }
    }>
const { AwaitsUpload, Failed, Published, Settled } = Data.taggedEnum<Exclude<Outcome, Interrupted>>()
export const { Making, Taken } = Data.taggedEnum<Exclude<Outcome, Interrupted>>()

type Ended = Exclude<Outcome, { readonly _tag: "Published" | "Failed" }>

type Failure = PlatformError | Accepted | Dropped | Preparing | Ended | ClaimLost | DatabaseUnavailable

const isPlatformError = Schema.is(PlatformError)

type Requirements = Repo | PlatformClient | Sends

const rejectDuplicate = Effect.fnUntraced(function* (claim: Claim, { message }: DuplicateRefused) {
  const { targets } = yield* Repo
  const other = yield* Effect.orElseSucceed(targets.publishedWithText(claim), Option.none)
  return yield* new Rejected({
    message: Option.match(other, {
      onNone: () => message,
      onSome: ({ postId, publishedAt }) => `${message}: post ${postId}, published at ${DateTime.formatIso(publishedAt)}`
    })
  })
})

/**
 * Refuses a post if another platform shows it with another text. It was then changed after the restored backup was
 * taken, so this platform may show that text too. Retries until the searches are conclusive. Also applies after an
 * outage, which an unannounced restore looks like.
 */
const refuseOtherVersion = Effect.fnUntraced(function* (claim: Claim) {
  const { targets } = yield* Repo
  const { awaited, found } = yield* releasedIfInterrupted(targets.otherVersions(claim))
  if (found !== null) {
    return yield* new OutcomeUnknown({
      message: `This post is on ${platformName(found)} with another text than the stored one, so it was not sent`,
      conclusive: true
    })
  }
  if (awaited !== null) {
    return yield* new Unavailable({
      message: `Whether this post went out with another text is not known until ${platformName(awaited)} has been checked`
    })
  }
})

const sentBeforeChange = ({ url }: Publication) =>
  new OutcomeUnknown({
    message: `The platform shows this post with the text from before it was changed${url === null ? "" : `: ${url}`}`,
    conclusive: true,
    otherVersion: true
  })

/** Looks for the duplicate, which may be this target's earlier send. */
const findDuplicate = Effect.fnUntraced(function* (
  claim: Claim,
  post: Json,
  earlier: Period,
  { message }: DuplicateRefused
) {
  const found = yield* (yield* Sends).find(claim, post, earlier)
  return Option.isSome(found) ? found.value : yield* new OutcomeUnknown({ message })
})

/**
 * Requests new uploads, unless an earlier send may have published the post: it must not be sent again with other files.
 * If that send certainly is not out, the next order to publish it begins anew.
 */
const uploadAgain =
  (claim: Claim) =>
  ({ isAbsent = false, message }: UploadsGone): Effect.Effect<never, Dropped | OutcomeUnknown | Ended> => {
    if (claim.sentAt === null) return Effect.fail(AwaitsUpload({ reason: message }))
    return isAbsent && claim.reconcileFrom === null
      ? new Dropped({ message: `${message}, and was not published. Publish the post again` })
      : new OutcomeUnknown({
          message: `${message}, so it was not sent again, and the platform has not shown the earlier send`,
          unsent: true
        })
  }

/** Without its files, a post may be rejected here, which says nothing about the earlier send. */
const prepareToFind = Effect.fnUntraced(function* (claim: Claim, text: string) {
  const prepared = (yield* Sends).prepareToFind(claim, text)
  const lacksFiles = readStored(claim.prepared).uploads === null && claim.media.length > 0
  return yield* lacksFiles
    ? Effect.catchTag(prepared, "Rejected", ({ message }) =>
        Effect.fail(
          new OutcomeUnknown({
            message: `The post can't be looked for without its files: ${message}`,
            conclusive: true
          })
        )
      )
    : prepared
})

const send = Effect.fnUntraced(function* (claim: Claim, post: Json, earlier: Period | null) {
  if (earlier !== null) yield* refuseOtherVersion(claim)
  return yield* (yield* Sends).send(claim, post).pipe(
    Effect.catchTags({
      UploadsGone: uploadAgain(claim),
      Accepted: ({ askAfter }) => Effect.fail(Taken({ askAfter, isSent: true })),
      DuplicateRefused: (duplicate) =>
        earlier === null ? rejectDuplicate(claim, duplicate) : findDuplicate(claim, post, earlier, duplicate)
    })
  )
})

/** Fails if the platform shows the post with `text`. A text that the platform rejects can't have gone out. */
const refuseEarlierText = Effect.fnUntraced(function* (claim: Claim, text: string, period: Period) {
  const sends = yield* Sends
  const prepared = yield* Effect.catchTags(sends.prepareToFind(claim, text), {
    Rejected: () => Effect.succeed(null),
    UploadsGone: uploadAgain(claim)
  })
  const found = prepared === null ? Option.none() : yield* sends.find(claim, prepared, period)
  if (Option.isSome(found)) return yield* sentBeforeChange(found.value)
})

const execute = Effect.fnUntraced(function* (
  claim: Claim,
  plan: Plan
): Effect.fn.Return<SettledPublication, Failure, Requirements> {
  const sends = yield* Sends
  const { preparesThere = false } = (yield* PlatformClient)[claim.platform]
  let step = plan
  let post = readStored(claim.prepared).prepared
  /** True if `post` was prepared only for a look. */
  let isSought = false
  while (true) {
    switch (step._tag) {
      case "Settle":
        return yield* Effect.fail(Settled(step))
      case "Refuse":
        return yield* step.error
      case "AwaitUpload":
        return yield* Effect.fail(AwaitsUpload({ reason: null }))
      case "Reconcile":
        return yield* sends.reconcile(claim, step.prepared, step.sentAt)
      default:
        // A stored preparation is sent again unchanged, so that the platform or a later search recognizes the post.
        if (post === null || (isSought && preparesThere && step._tag === "Send")) {
          isSought = step._tag !== "Send"
          const prepared: Effect.Effect<Json, Failure | UploadsGone, Sends> = isSought
            ? prepareToFind(claim, claim.text)
            : sends.prepare(claim, claim.text)
          post = yield* Effect.catchTag(prepared, "UploadsGone", uploadAgain(claim))
        }
    }
    if (step._tag === "Send") return yield* send(claim, post, step.earlier)
    if (step._tag === "FindEarlierText") {
      yield* refuseEarlierText(claim, step.text, step.period)
    } else {
      const found = yield* sends.find(claim, post, step.period)
      if (Option.isSome(found)) {
        // The platform may also show the thread's next parts with their texts from before the change.
        if (claim.isThread && claim.reconcileText !== null) return yield* sentBeforeChange(found.value)
        return found.value.addressFollows === true ? { ...found.value, foundBy: post } : found.value
      }
    }
    step = step.otherwise
  }
}, span("attempt"))

/** Refused access says nothing about an earlier send, so the message warns the person who reconnects the account. */
const warnOfEarlierSend = ({ message }: NeedsReauthorization) =>
  new NeedsReauthorization({ message: withDuplicateWarning(message) })

/** A rejected repetition says nothing about an earlier send either. */
const warnOfRefusedRepetition = ({ message }: Rejected) => new Rejected({ message: withDuplicateWarning(message) })

const outcomeOf = (
  claim: Claim,
  cause: Cause.Cause<Failure>
): Effect.Effect<Outcome, ClaimLost | DatabaseUnavailable> =>
  Effect.failCause(cause).pipe(
    Effect.catchTags({
      NeedsReauthorization: (error) => Effect.fail(mayBeOutSince(claim) === null ? error : warnOfEarlierSend(error)),
      Rejected: (error) => Effect.fail(claim.sentAt === null ? error : warnOfRefusedRepetition(error))
    }),
    Effect.catchTags({
      Accepted: ({ askAfter }) => Effect.succeed(Taken({ askAfter, isSent: false })),
      Preparing: ({ askAfter, begun }) =>
        Effect.succeed(Making({ askAfter, begun: storeBegun(readStored(claim.prepared).uploads, begun) })),
      Dropped: ({ message }) => Effect.succeed(Settled({ settlement: settleDropped(message) }))
    }),
    Effect.catchTag(["AwaitsUpload", "CutOff", "Making", "Released", "Settled", "Taken"], Effect.succeed),
    Effect.tapErrorTag("ApplicationRefused", ({ reason }) => recordApplicationRefused(claim, reason)),
    Effect.catchIf(isPlatformError, (error) => Effect.succeed(Failed({ error }))),
    // Defects during requests are already OutcomeUnknown, so nothing was sent.
    Effect.catchDefect((defect) =>
      Effect.logError("An attempt failed unexpectedly", Cause.die(defect)).pipe(
        Effect.as(Failed({ error: new Unavailable({ message: "The service failed unexpectedly" }) }))
      )
    )
  )

/**
 * Publishes a claimed target, or finds out that it was published. Does not end the claim. Run it uninterruptibly: its
 * waits are interruptible, and an interruption is an outcome.
 */
export const attempt = Effect.fnUntraced(function* (
  claim: Claim
): Effect.fn.Return<Outcome, ClaimLost | DatabaseUnavailable, Requirements> {
  const { postLimits } = (yield* PlatformClient)[claim.platform]
  // Only threads wait for limits.
  const limits = claim.parts > 1 ? postLimits?.of(claim.integration) : undefined
  const attempted = yield* Effect.exit(execute(claim, planAttempt(claim, yield* DateTime.now, limits)))
  return Exit.isSuccess(attempted)
    ? Published({ publication: attempted.value })
    : yield* outcomeOf(claim, attempted.cause)
})
