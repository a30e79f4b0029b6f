import { Cause, DateTime, Effect, Random, Result } from "effect"
import { settle, settleCutOff, type Settlement } from "../domain/publishing/settlement.ts"
import { PlatformClient } from "../platforms/PlatformClient.ts"
import { span } from "../platforms/span.ts"
import { Repo } from "../repo/Repo.ts"
import type { Claim } from "../repo/targets/Targets.ts"
import { retryWhileUnavailable } from "../worker/retryWhileUnavailable.ts"
import { attempt } from "./attempt.ts"
import { Settlements } from "./Settlements.ts"
import { annotateClaim, recordAttempt, recordSettlement, recordStart } from "./telemetry.ts"
import { releasePause } from "./timing.ts"

const settleClaim = Effect.fnUntraced(
  function* (claim: Claim, settlement: Settlement) {
    yield* (yield* Settlements).settle(claim, settlement)
    yield* recordSettlement(claim, settlement)
  },
  span("settleClaim"),
  Effect.uninterruptible
)

const pauseUnlessStopping = Effect.catchCauseIf(
  Effect.interruptible(Effect.sleep(releasePause)),
  Cause.hasInterrupts,
  () => Effect.void
)

/**
 * Carries a claimed target through one attempt, and then settles or releases the claim. Only the attempt's steps and the
 * retried writes are interruptible. Never fails: a claim that can't be ended is abandoned to its lease, after
 * which any process can claim the target.
 */
export const publishTarget = Effect.fnUntraced(
  function* (claim: Claim) {
    const { platformUploads, targets } = yield* Repo
    const { maxReconcileAttempts } = (yield* PlatformClient)[claim.platform]
    yield* recordStart(claim)
    const attempted = yield* Effect.result(Effect.timed(attempt(claim)))
    if (Result.isFailure(attempted)) {
      if (attempted.failure._tag !== "DatabaseUnavailable") return yield* attempted.failure
      // Nothing was sent without the database. A claim whose post was sent is only ever settled, or it would be sent twice.
      yield* pauseUnlessStopping
      return yield* retryWhileUnavailable(targets.release(claim))
    }
    const [duration, outcome] = attempted.success
    // The process is stopping, so these two are written once, without retries.
    if (outcome._tag === "Released") return yield* targets.release(claim)
    if (outcome._tag === "AwaitsUpload")
      return yield* retryWhileUnavailable(platformUploads.order(claim, outcome.reason))
    if (outcome._tag === "CutOff") {
      return yield* settleClaim(claim, settleCutOff(claim.attempts, yield* DateTime.now))
    }
    if (outcome._tag === "Settled") return yield* retryWhileUnavailable(settleClaim(claim, outcome.settlement))
    const result = outcome._tag === "Published" ? Result.succeed(outcome.publication) : Result.fail(outcome.error)
    const settlement = settle(result, {
      ...claim,
      maxReconcileAttempts,
      now: yield* DateTime.now,
      jitter: yield* Random.next
    })
    yield* recordAttempt(claim, settlement, duration)
    return yield* retryWhileUnavailable(settleClaim(claim, settlement))
  },
  Effect.catch((error) => Effect.logWarning("A claim is abandoned until its lease expires", Cause.fail(error))),
  Effect.uninterruptible,
  Effect.catchDefect((defect) => Effect.logError("A target failed unexpectedly", Cause.die(defect))),
  span("publishTarget"),
  (published, claim) => annotateClaim(claim)(published)
)
