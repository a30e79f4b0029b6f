import { type Array as Arr, Cause, Context, DateTime, Duration, Effect, Exit, Layer } from "effect"
import type { Json } from "effect/Schema"
import type { ClaimLost, DatabaseUnavailable } from "../domain/errors.ts"
import { monotonicMillis } from "../domain/monotonic.ts"
import type { Publication } from "../domain/publishing/platformError.ts"
import { sendPost, type Watch } from "../platforms/carryOut.ts"
import { MediaFiles } from "../platforms/MediaFiles.ts"
import { PlatformClient, type SendFailure } from "../platforms/PlatformClient.ts"
import { makeGroupCommit } from "../repo/groupCommit.ts"
import { Repo } from "../repo/Repo.ts"
import type { Claim, Send } from "../repo/targets/Targets.ts"
import { accountForClaim, requireLeases } from "./account.ts"
import { ProcessLease } from "./ProcessLease.ts"
import { CutOff, defectUnknown, type Interrupted, Released, releasedIfInterrupted, unknownAfter } from "./requests.ts"
import { Settlements } from "./Settlements.ts"
import { lease, sendTimeout } from "./timing.ts"

/** The most intents of a batch: a kill leaves the outcome of each unknown whose intent is stored. */
const maxBatch = 48

const make = Effect.gen(function* () {
  const repo = yield* Repo
  const platforms = yield* PlatformClient
  const processLease = yield* ProcessLease
  const filesOf = yield* MediaFiles
  const { caughtUp, expectOutcome } = yield* Settlements

  const leaseFromNow = Effect.map(DateTime.now, (now) => DateTime.addDuration(now, lease))

  const storeIntents = Effect.fnUntraced(function* (sends: Arr.NonEmptyReadonlyArray<Send>) {
    yield* caughtUp
    const leaseUntil = yield* leaseFromNow
    const stored = yield* repo.targets.beginSends(sends, lease)
    return stored.map((each) => Exit.map(each, (sealed) => ({ leaseUntil, sealed })))
  })
  const { writeOne: storeIntent } = yield* makeGroupCommit(storeIntents, { maxBatch })

  const begin = (claim: Claim, prepared: Json) =>
    Effect.catchTag(storeIntent({ claim, prepared }), "ClaimUncertain", () =>
      // Waits for whoever has the target locked.
      Effect.flatMap(leaseFromNow, (leaseUntil) =>
        Effect.map(repo.targets.beginSend(claim, prepared, lease), (sealed) => ({ leaseUntil, sealed }))
      )
    )

  const send = Effect.fnUntraced(function* (
    claim: Claim,
    prepared: Json
  ): Effect.fn.Return<Publication, SendFailure | ClaimLost | Interrupted> {
    const begun = yield* releasedIfInterrupted(begin(claim, prepared))
    const account = accountForClaim(claim, repo, processLease, filesOf, begun)
    const startedAt = yield* monotonicMillis
    /** Takes the announcement of an outcome back; undefined while nothing is sent that others may see. */
    let endExpectation: (() => void) | undefined
    const watch: Watch = {
      beforePost: Effect.map(requireLeases({ ...claim, ...begun }, processLease), () => {
        endExpectation ??= expectOutcome()
      }),
      bounded: (steps) =>
        Effect.flatMap(monotonicMillis, (now) =>
          unknownAfter(Duration.subtract(sendTimeout, Duration.millis(now - startedAt)))(steps)
        )
    }
    return yield* sendPost(platforms[claim.platform], prepared, account, watch).pipe(
      Effect.catchDefect((defect) => (endExpectation === undefined ? Effect.die(defect) : defectUnknown(defect))),
      Effect.interruptible,
      Effect.catchCauseIf(Cause.hasInterrupts, () => Effect.fail(endExpectation === undefined ? Released() : CutOff())),
      Effect.ensuring(Effect.sync(() => endExpectation?.()))
    )
  })
  return { send }
})

/**
 * The sends of attempts. Intents are stored in batches: what begins at the same moment shares one statement, and while it runs the next
 * batch accumulates. Each attempt's own fiber then carries out the steps of its send.
 */
export class Sends extends Context.Service<
  Sends,
  {
    /**
     * Stores that a prepared post is about to be sent, and then sends it. Fails with DatabaseUnavailable or `Released` if nothing was sent,
     * and with OutcomeUnknown after a defect of the adapter once something may have been. Must run in an uninterruptible region: its waits
     * are interruptible.
     */
    readonly send: (
      claim: Claim,
      prepared: Json
    ) => Effect.Effect<Publication, SendFailure | ClaimLost | DatabaseUnavailable | Interrupted>
  }
>()("social-publisher/publishing/Sends") {
  static readonly layer = Layer.effect(Sends, make)
}
