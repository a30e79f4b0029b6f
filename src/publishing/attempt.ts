import { Cause, Data, DateTime, Effect, Schema } from "effect"
import type { Json } from "effect/Schema"
import type { ClaimLost, DatabaseUnavailable } from "../domain/errors.ts"
import {
  NeedsReauthorization,
  OutcomeUnknown,
  PlatformError,
  type Publication,
  Rejected,
  Unavailable
} from "../domain/platformError.ts"
import { maxAttempts } from "../domain/retryPolicy.ts"
import { withDuplicateWarning } from "../domain/settlement.ts"
import { PlatformClient } from "../platforms/PlatformClient.ts"
import { Repo } from "../repo/Repo.ts"
import type { Claim } from "../repo/targets/Targets.ts"
import { accountForClaim } from "./account.ts"
import { ProcessLease } from "./ProcessLease.ts"
import { lease, prepareTimeout, sendTimeout } from "./timing.ts"

/** What an attempt came to. Its claim is still held. */
export type Outcome = Data.TaggedEnum<{
  Published: { readonly publication: Publication }
  Failed: { readonly error: PlatformError }
  /** Interrupted while a request was in flight: the post may be published. */
  CutOff: {}
  /** Interrupted before a request was sent: the claim can be released. */
  Released: {}
}>
const { CutOff, Failed, Published, Released } = Data.taggedEnum<Outcome>()

const isPlatformError = Schema.is(PlatformError)

type Interrupted = Extract<Outcome, { readonly _tag: "CutOff" | "Released" }>

/** Makes a step interruptible; an interruption ends the attempt with `outcome`. */
const interruptibleAs =
  (outcome: Interrupted) =>
  <A, E, R>(step: Effect.Effect<A, E, R>): Effect.Effect<A, E | Interrupted, R> =>
    Effect.catchCauseIf(Effect.interruptible(step), Cause.hasInterrupts, () => Effect.fail(outcome))

/**
 * Sets a timeout, and turns a defect into OutcomeUnknown and an interruption into CutOff: these leave open whether the
 * platform carried the request out. DatabaseUnavailable does not: the adapter asks the database for credentials only, and
 * sends nothing without them.
 */
const orOutcomeUnknown = <A>(request: Effect.Effect<A, PlatformError | DatabaseUnavailable>) =>
  request.pipe(
    Effect.timeoutOrElse({
      duration: sendTimeout,
      orElse: () => Effect.fail(new OutcomeUnknown({ message: "The platform did not answer in time" }))
    }),
    Effect.catchDefect((defect) =>
      Effect.logError("A platform adapter failed unexpectedly", Cause.die(defect)).pipe(
        Effect.andThen(
          Effect.fail(new OutcomeUnknown({ message: "The service failed unexpectedly while a request was in flight" }))
        )
      )
    ),
    interruptibleAs(CutOff())
  )

/** Refused access says nothing about an earlier send, so the person who connects the account again is warned of it. */
const warnOfEarlierSend = ({ message }: NeedsReauthorization) =>
  new NeedsReauthorization({ message: withDuplicateWarning(message) })

type Requirements = Repo | PlatformClient | ProcessLease

const publishOrReconcile = Effect.fn("attempt")(function* (
  claim: Claim
): Effect.fn.Return<Publication, PlatformError | Interrupted | ClaimLost | DatabaseUnavailable, Requirements> {
  const repo = yield* Repo
  const processLease = yield* ProcessLease
  const adapter = (yield* PlatformClient)[claim.platform]
  const account = accountForClaim(claim, repo, processLease)
  const { prepared, sentAt } = claim
  if (claim.attempts > maxAttempts) {
    const message = "The service stopped during the last attempt"
    return yield* sentAt === null ? new Unavailable({ message }) : new OutcomeUnknown({ message })
  }
  if (!claim.integration.connected) {
    const refused = new NeedsReauthorization({ message: `The account ${account.username} has to be connected again` })
    return yield* sentAt === null ? refused : warnOfEarlierSend(refused)
  }

  const prepare = adapter
    .prepare({ targetId: claim.targetId, text: claim.text, settings: claim.settings }, account)
    .pipe(
      Effect.timeoutOrElse({
        duration: prepareTimeout,
        orElse: () =>
          Effect.fail(new Unavailable({ message: "The platform did not answer in time while the post was prepared" }))
      }),
      interruptibleAs(Released())
    )
  const send = Effect.fnUntraced(function* (post: Json) {
    const leaseUntil = DateTime.addDuration(yield* DateTime.now, lease)
    yield* interruptibleAs(Released())(repo.targets.beginSend(claim, post, lease))
    const published = adapter
      .publish(post, accountForClaim(claim, repo, processLease, leaseUntil))
      .pipe(Effect.catchTag("DuplicateRefused", ({ message }) => new Rejected({ message })))
    return yield* orOutcomeUnknown(published)
  })

  if (sentAt === null || prepared === null) return yield* send(prepared ?? (yield* prepare))
  const reconciled = orOutcomeUnknown(adapter.reconcile(prepared, account, sentAt))
  // Sends the prepared post again and not a fresh one, so that the platform or a later reconciliation recognizes it.
  const found = claim.resendOrdered ? Effect.catchTag(reconciled, "OutcomeUnknown", () => send(prepared)) : reconciled
  return yield* Effect.catchTag(found, "NeedsReauthorization", warnOfEarlierSend)
})

/**
 * Publishes a claimed target, once. A target that may be published already is reconciled instead, and sent again only if
 * a person ordered that. Does not end the claim. Must run in an uninterruptible region: the steps that wait are
 * interruptible, and an interruption is returned as an outcome.
 */
export const attempt = (claim: Claim): Effect.Effect<Outcome, ClaimLost | DatabaseUnavailable, Requirements> =>
  publishOrReconcile(claim).pipe(
    Effect.map((publication) => Published({ publication })),
    Effect.catchTag(["CutOff", "Released"], Effect.succeed),
    Effect.catchIf(isPlatformError, (error) => Effect.succeed(Failed({ error })))
  )
