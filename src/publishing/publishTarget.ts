import { Cause, DateTime, Effect, Random, Result } from "effect"
import { settle, settleLate } from "../domain/settlement.ts"
import { PlatformClient } from "../platforms/PlatformClient.ts"
import { Repo } from "../repo/Repo.ts"
import type { Claim } from "../repo/targets/Targets.ts"
import { attempt } from "./attempt.ts"
import { aboutClaim, observeAttempt, observeStart } from "./observed.ts"
import { abandonToLease, settleClaim, retryWhileUnavailable } from "./settleClaim.ts"

/** Carries a claimed target through one attempt and settles what it came to. Never fails: what can't be settled is left to the lease. */
export const publishTarget = Effect.fn("publishTarget")(function* (claim: Claim) {
  const { targets } = yield* Repo
  const { maxReconcileAttempts } = (yield* PlatformClient)[claim.platform]
  const tried = (resendOrdered: boolean) =>
    observeAttempt(
      claim,
      Effect.gen(function* () {
        const outcome = yield* attempt({ ...claim, resendOrdered }).pipe(
          Effect.map(Result.succeed),
          Effect.catchTags({
            Rejected: (error) => Effect.succeed(Result.fail(error)),
            RateLimited: (error) => Effect.succeed(Result.fail(error)),
            Unavailable: (error) => Effect.succeed(Result.fail(error)),
            NeedsReauthorization: (error) => Effect.succeed(Result.fail(error)),
            OutcomeUnknown: (error) => Effect.succeed(Result.fail(error))
          })
        )
        return settle(outcome, {
          ...claim,
          maxReconcileAttempts,
          now: yield* DateTime.now,
          jitter: yield* Random.next
        })
      })
    )
  const publish = Effect.gen(function* () {
    yield* observeStart(claim)
    const late = settleLate({ ...claim, now: yield* DateTime.now })
    // What may be out is looked for however late it is, but not sent again.
    return claim.sentAt === null && late !== undefined ? late : yield* tried(claim.resendOrdered && late === undefined)
  })

  yield* publish.pipe(
    // Nothing was sent; of what was, only the settlement may be written, or it would be sent again.
    Effect.catchTag("DatabaseUnavailable", () => Effect.succeed("give back" as const)),
    Effect.flatMap((end) =>
      retryWhileUnavailable(end === "give back" ? targets.release(claim) : settleClaim(claim, end))
    ),
    abandonToLease,
    Effect.catchDefect((defect) => Effect.logError("A target failed unexpectedly", Cause.die(defect))),
    aboutClaim(claim)
  )
})
