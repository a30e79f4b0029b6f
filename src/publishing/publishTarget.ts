import { Cause, DateTime, Duration, Effect, Random, Result } from "effect"
import type { ClaimLost, DatabaseUnavailable } from "../domain/errors.ts"
import { mayBeOutSince } from "../domain/publishing/attemptPlan.ts"
import { attemptWindow } from "../domain/publishing/retryPolicy.ts"
import {
  isFinal,
  mayBePublished,
  settle,
  settleCutOff,
  type SettledPublication,
  settleMaking,
  type Settlement,
  settleTaken
} from "../domain/publishing/settlement.ts"
import { sleepUntil } from "../domain/monotonic.ts"
import { type PlatformError, type Publication, Unavailable } from "../domain/publishing/platformError.ts"
import { settlePart } from "../domain/publishing/threadCursor.ts"
import { PlatformClient } from "../platforms/PlatformClient.ts"
import { span } from "../platforms/span.ts"
import { Repo } from "../repo/Repo.ts"
import type { Claim } from "../repo/targets/Targets.ts"
import {
  repeatWhileUnavailable,
  repeatWhileUnavailableFor,
  retryWhileUnavailable,
  writeOnce
} from "../worker/retryWhileUnavailable.ts"
import { attempt, type Outcome, Taken } from "./attempt.ts"
import { MeansToSettle } from "./MeansToSettle.ts"
import { releasedIfInterrupted } from "./interruption.ts"
import { Settlements } from "./Settlements.ts"
import { annotateAttempt, annotateClaim, recordAttempt, recordSettlement, recordStart } from "./telemetry.ts"
import { outcomeKeptFor, releasePause } from "./timing.ts"

/** Returns true if the claim's target may be due again. */
const settleClaim = Effect.fnUntraced(
  function* (claim: Claim, attempted: Settlement) {
    const { replyPause } = (yield* PlatformClient)[claim.platform]
    const isLast = claim.part >= claim.parts
    const next = isLast || replyPause === undefined ? null : DateTime.addDuration(yield* DateTime.now, replyPause)
    const settlement = settlePart(attempted, claim, next)
    yield* (yield* Settlements).settle(claim, settlement)
    yield* recordSettlement(claim, settlement)
    return !isFinal(settlement)
  },
  span("settleClaim"),
  Effect.uninterruptible
)

const repeatOutcome = repeatWhileUnavailableFor(outcomeKeptFor)

const pauseUnlessStopping = Effect.catchCauseIf(
  Effect.interruptible(Effect.sleep(releasePause)),
  Cause.hasInterrupts,
  () => Effect.void
)

/** The pause before a platform is asked again for the id of a published part. */
const idPause = Duration.minutes(1)

/** True if this attempt sent the post, rather than found an earlier send. */
const isOwnSend = ({ resendOrdered, sentAt }: Claim, { foundBy }: SettledPublication): boolean =>
  foundBy === undefined && (sentAt === null || resendOrdered)

const lacksId = ({ part, parts }: Claim, { addressFollows = false, platformPostId }: Publication): boolean =>
  addressFollows && platformPostId === null && part < parts

type Attempted = Result.Result<readonly [Duration.Duration, Outcome], ClaimLost | DatabaseUnavailable>

const attemptWhenDue = Effect.fnUntraced(function* (claim: Claim) {
  yield* annotateAttempt(claim)
  const waited = yield* Effect.result(releasedIfInterrupted(sleepUntil(claim.dueFrom)))
  if (Result.isFailure(waited)) return [Duration.zero, waited.failure] as const
  yield* recordStart(claim)
  return yield* Effect.timed(attempt(claim))
})

/** Returns true: a released target may be due again. */
const giveBack = Effect.as(true)

/**
 * `write` ends the claim, and returns true if the target may be due again. `isUnsent` is true if certainly nothing was
 * sent.
 */
const endOf = Effect.fnUntraced(function* (claim: Claim, attempted: Attempted) {
  const { platformUploads, targets } = yield* Repo
  const { whileUnwritten } = yield* Settlements
  const { watch } = yield* MeansToSettle
  const { longestProcessing = attemptWindow, maxReconcileAttempts } = (yield* PlatformClient)[claim.platform]
  if (Result.isFailure(attempted)) {
    if (attempted.failure._tag === "ClaimLost") return { write: attempted.failure, isUnsent: true }
    // The database failed before the send. The claim of a sent post is never released, or the post would be sent twice.
    const write = Effect.andThen(pauseUnlessStopping, giveBack(watch(retryWhileUnavailable)(targets.release(claim))))
    return { write, isUnsent: true }
  }
  const [duration, came] = attempted.success
  const outcome =
    came._tag === "Published" && lacksId(claim, came.publication)
      ? Taken({ askAfter: idPause, isSent: isOwnSend(claim, came.publication) })
      : came
  const settleKept = (settlement: Settlement) => whileUnwritten(watch(repeatOutcome)(settleClaim(claim, settlement)))
  const settleNow = Effect.fnUntraced(function* (result: Result.Result<SettledPublication, PlatformError>) {
    return settle(result, {
      attempts: claim.attempts,
      dueSince: claim.dueSince,
      reconcileAttempts: claim.reconcileAttempts,
      resendOrdered: claim.resendOrdered,
      reconcileFrom: claim.reconcileFrom,
      maxReconcileAttempts,
      now: yield* DateTime.now,
      jitter: yield* Random.next
    })
  })
  /** Settles without the platform's value, which the database refuses, and would refuse again after each lease. */
  const settleUnstorable = (defect: unknown) =>
    Effect.logError("What a platform returned can't be stored", Cause.die(defect)).pipe(
      Effect.andThen(settleNow(Result.fail(new Unavailable({ message: "The service failed unexpectedly" })))),
      Effect.flatMap(settleKept)
    )
  switch (outcome._tag) {
    // The process is stopping: no retries.
    case "Released":
      return { write: giveBack(writeOnce(targets.release(claim))), isUnsent: true }
    case "CutOff":
      return {
        write: settleClaim(claim, settleCutOff(claim.attempts, yield* DateTime.now)),
        isUnsent: false
      }
    case "AwaitsUpload":
      return {
        write: giveBack(watch(retryWhileUnavailable)(platformUploads.order(claim, outcome.reason))),
        isUnsent: true
      }
    case "Making": {
      const settlement = settleMaking({
        ...outcome,
        dueSince: claim.dueSince,
        mayBeOut: mayBeOutSince(claim) !== null,
        now: yield* DateTime.now
      })
      yield* recordAttempt(claim, settlement, duration)
      const write = Effect.catchDefect(settleKept(settlement), settleUnstorable)
      return { write, isUnsent: !mayBePublished(settlement) }
    }
    case "Taken": {
      const since = outcome.isSent ? null : claim.processingSince
      const { askAfter } = outcome
      const settlement = settleTaken({ askAfter, longest: longestProcessing, since, now: yield* DateTime.now })
      yield* recordAttempt(claim, settlement, duration)
      // If this can't be stored, the target must not be settled as unsent: the post would be sent a second time.
      return { write: settleKept(settlement), isUnsent: !mayBePublished(settlement) }
    }
    case "Settled":
      return { write: watch(repeatWhileUnavailable)(settleClaim(claim, outcome.settlement)), isUnsent: true }
    default: {
      const result = outcome._tag === "Published" ? Result.succeed(outcome.publication) : Result.fail(outcome.error)
      const settlement = yield* settleNow(result)
      yield* recordAttempt(claim, settlement, duration)
      return { write: settleKept(settlement), isUnsent: !mayBePublished(settlement) }
    }
  }
})

/** Withdraws the intent of a lost claim that sent nothing, so that the new holder of the target need not look. */
const withdraw = (claim: Claim) => Effect.flatMap(Repo, ({ targets }) => retryWhileUnavailable(targets.withdraw(claim)))

const abandon = Effect.fnUntraced(function* (claim: Claim, cause: Cause.Cause<unknown>) {
  const { targets } = yield* Repo
  yield* targets.abandon(claim)
  yield* Cause.hasDies(cause)
    ? Effect.logError("A claim could not be ended and is abandoned", cause)
    : Effect.logWarning("A claim is abandoned for want of the database", cause)
})

/**
 * Carries a claimed target through one attempt, then settles or releases the claim. Only the attempt's steps and the
 * retried writes are interruptible. Never fails: a claim that can't be ended is abandoned, and its target soon claimed
 * again. Returns true if a target may be due.
 */
export const publishTarget = Effect.fnUntraced(
  function* (claim: Claim) {
    const attempted = yield* Effect.result(attemptWhenDue(claim))
    const { isUnsent, write } = yield* endOf(claim, attempted)
    return yield* Effect.catchTag(write, "ClaimLost", (error) =>
      Effect.logWarning("A claim was lost before its attempt ended", Cause.fail(error)).pipe(
        Effect.andThen(isUnsent ? withdraw(claim) : Effect.void),
        Effect.as(true)
      )
    )
  },
  // A stopping process abandons no claims, because the end of its lease frees them.
  (published, claim) =>
    Effect.catchCause(published, (cause) =>
      Cause.hasInterrupts(cause) ? Effect.interrupt : Effect.as(abandon(claim, cause), true)
    ),
  Effect.uninterruptible,
  span("publishTarget"),
  (published, claim) => annotateClaim(claim)(published)
)
