import {
  type Array as Arr,
  Cause,
  Clock,
  Context,
  DateTime,
  Duration,
  Effect,
  Exit,
  Fiber,
  Layer,
  type Option
} from "effect"
import type { Json } from "effect/Schema"
import type { ClaimLost, DatabaseUnavailable } from "../domain/errors.ts"
import type { Period } from "../domain/publishing/attemptPlan.ts"
import {
  type Dropped,
  OutcomeUnknown,
  type PlatformError,
  type Preparing,
  type Publication,
  Unavailable,
  type UploadsGone
} from "../domain/publishing/platformError.ts"
import { readStored } from "../domain/publishing/storedUploads.ts"
import { sendPost, type Watch } from "../platforms/carryOut.ts"
import { MediaFiles } from "../platforms/MediaFiles.ts"
import { type LookFailure, PlatformClient, type PublishRequest, type SendFailure } from "../platforms/PlatformClient.ts"
import { batchBounds } from "../repo/batchBounds.ts"
import { makeBatch } from "../repo/makeBatch.ts"
import { Repo } from "../repo/Repo.ts"
import type { Claim, Send } from "../repo/targets/Targets.ts"
import { accountForClaim, requireLeases } from "./account.ts"
import { ProcessLease } from "./ProcessLease.ts"
import { CutOff, type Interrupted, interruptibleAs, Released, releasedIfInterrupted } from "./interruption.ts"
import { Settlements } from "./Settlements.ts"
import { lease, prepareTimeout, sendTimeout } from "./timing.ts"

const toPublishRequest = (claim: Claim, text: string, isSought: boolean): PublishRequest => {
  const { begun, uploads } = readStored(claim.prepared)
  return {
    card: claim.card,
    language: claim.language,
    part: claim.part,
    reply: claim.reply,
    targetId: claim.targetId,
    // Only the thread's first post has settings.
    settings: claim.reply === null ? claim.settings : {},
    notBefore: claim.claimedAt,
    text,
    uploads,
    begun: isSought ? null : begun,
    isSought
  }
}

const expectNothing = () => {}

const tooLate = () => Effect.fail(new Unavailable({ message: "The platform did not answer in time" }))

const unanswered = () => Effect.fail(new OutcomeUnknown({ message: "The platform did not answer in time" }))

const preparesTooLong = Effect.timeoutOrElse({ duration: prepareTimeout, orElse: tooLate })

/** Starts no timer for a post that is prepared immediately. Most posts are. */
const inTime = <A, E>(preparing: Effect.Effect<A, E>): Effect.Effect<A, E | Unavailable> =>
  Effect.flatMap(
    Effect.forkChild(preparing, { startImmediately: true }),
    (fiber) =>
      fiber.pollUnsafe() ?? preparesTooLong(Effect.onInterrupt(Fiber.join(fiber), () => Fiber.interrupt(fiber)))
  )

const defectUnknown = (defect: unknown): Effect.Effect<never, OutcomeUnknown> =>
  Effect.andThen(
    Effect.logError("A platform adapter failed unexpectedly", Cause.die(defect)),
    Effect.fail(new OutcomeUnknown({ message: "The service failed unexpectedly while a request was in flight" }))
  )

/**
 * Turns a timeout or a defect into OutcomeUnknown, because the platform may have carried the request out.
 * DatabaseUnavailable is passed on: the adapter reads credentials before it sends, and other targets after a response.
 */
const orOutcomeUnknown = <A, E>(request: Effect.Effect<A, E>) =>
  request.pipe(Effect.timeoutOrElse({ duration: sendTimeout, orElse: unanswered }), Effect.catchDefect(defectUnknown))

const make = Effect.gen(function* () {
  const repo = yield* Repo
  const platforms = yield* PlatformClient
  const processLease = yield* ProcessLease
  const filesOf = yield* MediaFiles
  const { caughtUp, expectOutcome } = yield* Settlements
  const clock = yield* Clock.Clock

  const accountOf = (claim: Claim, begun?: Parameters<typeof accountForClaim>[4]) =>
    accountForClaim(claim, repo, processLease, filesOf, begun)

  const leaseFromNow = Effect.map(DateTime.now, (now) => DateTime.addDuration(now, lease))

  const storeIntents = Effect.fnUntraced(function* (sends: Arr.NonEmptyReadonlyArray<Send>) {
    const leaseUntil = yield* leaseFromNow
    const stored = yield* repo.targets.beginSends(sends, lease)
    return stored.map((each) => Exit.map(each, (sealed) => ({ leaseUntil, sealed })))
  })
  const { call: storeIntent } = makeBatch(batchBounds.storeIntents, storeIntents, {
    // The yield lets sends that begin in the same turn join the batch.
    mayBegin: Effect.andThen(caughtUp, Effect.yieldNow)
  })

  const begin = (claim: Claim, prepared: Json) =>
    Effect.catchTag(storeIntent({ claim, prepared }), "ClaimUncertain", () =>
      // Waits for the target's lock, outside the batch.
      Effect.flatMap(leaseFromNow, (leaseUntil) =>
        Effect.map(repo.targets.beginSend(claim, prepared, lease), (sealed) => ({ leaseUntil, sealed }))
      )
    )

  const send = Effect.fnUntraced(function* (claim: Claim, prepared: Json) {
    const begun = yield* releasedIfInterrupted(begin(claim, prepared))
    const startedAt = clock.monotonicTimeNanosUnsafe()
    /** True while the post may be visible. Settlements then wait briefly for its outcome. */
    let isOut = false
    let endExpectation = expectNothing
    const watch: Watch = {
      beforePost: requireLeases({ ownerId: claim.ownerId, leaseUntil: begun.leaseUntil }, processLease),
      onMayBeOut: (is) => {
        if (is === isOut) return
        isOut = is
        if (is) endExpectation = expectOutcome()
        else endExpectation()
      },
      limitRest: (steps) =>
        Effect.suspend(() => {
          const taken = Duration.nanos(clock.monotonicTimeNanosUnsafe() - startedAt)
          return Effect.timeoutOrElse(steps, {
            duration: Duration.subtract(sendTimeout, taken),
            orElse: (): Effect.Effect<never, OutcomeUnknown | Unavailable> => (isOut ? unanswered() : tooLate())
          })
        })
    }
    const sent = yield* Effect.exit(
      Effect.interruptible(sendPost(platforms[claim.platform], prepared, accountOf(claim, begun), watch))
    )
    if (isOut) endExpectation()
    // Most sends succeed, and return without the handlers below.
    if (Exit.isSuccess(sent)) return sent.value
    return yield* Effect.failCause(sent.cause).pipe(
      Effect.catchDefect((defect) => (isOut ? defectUnknown(defect) : Effect.die(defect))),
      Effect.catchCauseIf(Cause.hasInterrupts, () => Effect.fail(isOut ? CutOff() : Released()))
    )
  })

  const prepare = (claim: Claim, text: string, isSought: boolean) =>
    releasedIfInterrupted(
      inTime(platforms[claim.platform].prepare(toPublishRequest(claim, text, isSought), accountOf(claim)))
    )

  return Sends.of({
    send,

    prepare: (claim, text) => prepare(claim, text, false),

    prepareToFind: (claim, text) =>
      // A preparation for a search must not be stored as the post's own.
      Effect.catchTag(prepare(claim, text, true), "Preparing", ({ message }) =>
        Effect.fail(new Unavailable({ message }))
      ),

    reconcile: (claim, prepared, sentAt) =>
      interruptibleAs(CutOff())(
        orOutcomeUnknown(platforms[claim.platform].reconcile(prepared, accountOf(claim), sentAt))
      ),

    find: (claim, post, { from, until }) =>
      orOutcomeUnknown(platforms[claim.platform].find(post, accountOf(claim), from, until)).pipe(
        Effect.catchTag("OutcomeUnknown", (error) =>
          Effect.fail(error.conclusive === true ? error : new Unavailable({ message: error.message }))
        ),
        releasedIfInterrupted
      )
  })
})

/**
 * An attempt's requests to its platform. Each has a timeout, and an outcome for an interruption. Run them in an
 * uninterruptible region: their waits are interruptible.
 */
export class Sends extends Context.Service<
  Sends,
  {
    readonly prepare: (
      claim: Claim,
      text: string
    ) => Effect.Effect<Json, PlatformError | Preparing | UploadsGone | DatabaseUnavailable | Interrupted>
    readonly prepareToFind: (
      claim: Claim,
      text: string
    ) => Effect.Effect<Json, PlatformError | UploadsGone | DatabaseUnavailable | Interrupted>
    /**
     * Stores the intent, then sends. Fails with DatabaseUnavailable or `Released` if nothing was sent. After a defect,
     * fails with OutcomeUnknown if the post may have been sent.
     */
    readonly send: (claim: Claim, prepared: Json) => Effect.Effect<Publication, SendFailure | ClaimLost | Interrupted>
    readonly reconcile: (
      claim: Claim,
      prepared: Json,
      sentAt: DateTime.Utc
    ) => Effect.Effect<Publication, LookFailure | Dropped | Interrupted>
    /** Fails with Unavailable if the search is inconclusive. */
    readonly find: (
      claim: Claim,
      post: Json,
      period: Period
    ) => Effect.Effect<Option.Option<Publication>, LookFailure | Interrupted>
  }
>()("social-publisher/publishing/Sends") {
  static readonly layer = Layer.effect(Sends, make)
}
