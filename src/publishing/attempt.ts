import { Cause, DateTime, Effect } from "effect"
import type { Json } from "effect/Schema"
import type { ClaimLost, DatabaseUnavailable } from "../domain/errors.ts"
import {
  NeedsReauthorization,
  OutcomeUnknown,
  type PlatformError,
  type Publication,
  Unavailable
} from "../domain/platformError.ts"
import { maxAttempts } from "../domain/retryPolicy.ts"
import { settleCutOff } from "../domain/settlement.ts"
import type { Notifier } from "../notifier/Notifier.ts"
import { PlatformClient } from "../platforms/PlatformClient.ts"
import { Repo } from "../repo/Repo.ts"
import type { Claim } from "../repo/targets/Targets.ts"
import { accountOf } from "./account.ts"
import { abandonToLease, settleClaim } from "./settleClaim.ts"
import { lease, prepareTimeout, sendTimeout } from "./timing.ts"

/**
 * Whatever goes wrong while the platform is being told leaves open whether it heard; but the database is asked for
 * credentials only, and where it is away nothing is sent.
 */
const orUnknown = <E extends PlatformError>(
  claim: Claim,
  told: Effect.Effect<Publication, E | DatabaseUnavailable>
): Effect.Effect<Publication, E | OutcomeUnknown | DatabaseUnavailable, Repo | Notifier> =>
  told.pipe(
    Effect.timeoutOrElse({
      duration: sendTimeout,
      orElse: () => Effect.fail(new OutcomeUnknown({ message: "The platform did not answer in time" }))
    }),
    Effect.catchDefect((defect) =>
      Effect.logError("A platform adapter failed unexpectedly", Cause.die(defect)).pipe(
        Effect.andThen(
          Effect.fail(new OutcomeUnknown({ message: "The service failed unexpectedly while it told the platform" }))
        )
      )
    ),
    Effect.onInterrupt(() =>
      Effect.flatMap(DateTime.now, (now) => abandonToLease(settleClaim(claim, settleCutOff(claim.attempts, now))))
    )
  )

/** Refused access says nothing of an earlier send, of which whoever connects the account again has to know. */
const besideEarlier = ({ message }: NeedsReauthorization) =>
  new NeedsReauthorization({
    message: `${message}. Look at the account before you publish this again: it may be out already.`
  })

/**
 * Publishes a claimed target, once. A target that may be out already is looked for instead, and sent again only where a
 * person ordered that. Interrupted before anything is sent, it gives the claim back.
 */
export const attempt = Effect.fn("attempt")(function* (
  claim: Claim
): Effect.fn.Return<Publication, PlatformError | ClaimLost | DatabaseUnavailable, Repo | PlatformClient | Notifier> {
  const repo = yield* Repo
  const releaseOnInterrupt = Effect.onInterrupt(() => abandonToLease(repo.targets.release(claim)))
  const adapter = (yield* PlatformClient)[claim.platform]
  const account = accountOf(claim, repo)
  const { prepared, sentAt } = claim
  if (claim.attempts > maxAttempts) {
    const message = "The service stopped during the last attempt"
    return yield* sentAt === null ? new Unavailable({ message }) : new OutcomeUnknown({ message })
  }
  if (!claim.integration.connected) {
    const refused = new NeedsReauthorization({ message: `The account ${account.username} has to be connected again` })
    return yield* sentAt === null ? refused : besideEarlier(refused)
  }

  const prepare = adapter
    .prepare({ targetId: claim.targetId, text: claim.text, settings: claim.settings }, account)
    .pipe(
      Effect.timeoutOrElse({
        duration: prepareTimeout,
        orElse: () =>
          Effect.fail(new Unavailable({ message: "The platform did not answer in time while the post was made ready" }))
      }),
      releaseOnInterrupt
    )
  const send = Effect.fnUntraced(function* (post: Json) {
    const leaseUntil = DateTime.addDuration(yield* DateTime.now, lease)
    yield* releaseOnInterrupt(repo.targets.beginSend(claim, post, lease))
    return yield* orUnknown(claim, adapter.publish(post, accountOf(claim, repo, leaseUntil)))
  })

  if (sentAt === null || prepared === null) return yield* send(prepared ?? (yield* prepare))
  const looked = orUnknown(claim, adapter.reconcile(prepared, account, sentAt))
  // What was prepared goes out again, not a fresh copy: by it the platform, or the next look, knows the earlier send.
  const found = claim.resendOrdered ? Effect.catchTag(looked, "OutcomeUnknown", () => send(prepared)) : looked
  return yield* Effect.catchTag(found, "NeedsReauthorization", besideEarlier)
})
