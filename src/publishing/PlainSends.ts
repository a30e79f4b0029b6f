import { Array as Arr, Cause, Clock, Context, Data, DateTime, Duration, Effect, Exit, Latch, Layer, Result } from "effect"
import type { Json } from "effect/Schema"
import { UserAgent } from "../outbound/userAgent.ts"
import { ClaimLost, type DatabaseUnavailable } from "../domain/errors.ts"
import { platformNames } from "../domain/plain/platforms.ts"
import type { Plan } from "../domain/publishing/attemptPlan.ts"
import type { OutcomeUnknown, Publication } from "../domain/publishing/platformError.ts"
import { callTimeout, timedOut } from "../platforms/call.ts"
import { type CallState, LastCall } from "../platforms/lastCall.ts"
import { MediaFiles } from "../platforms/MediaFiles.ts"
import { type PlainSending, PlatformClient } from "../platforms/PlatformClient.ts"
import { maxBatch } from "../repo/groupCommit.ts"
import { Repo } from "../repo/Repo.ts"
import type { Claim } from "../repo/targets/Targets.ts"
import { accountForClaim, maySend } from "./account.ts"
import { ProcessLease } from "./ProcessLease.ts"
import { type Begun, CutOff, type Interrupted, orOutcomeUnknown, Released } from "./requests.ts"
import { Settlements } from "./Settlements.ts"
import { lease } from "./timing.ts"

/** How far a plain send has come. Whatever is not published goes on as any other attempt does from there. */
export type PlainSend = Data.TaggedEnum<{
  Published: { readonly publication: Publication }
  Begun: { readonly begun: Begun }
  NotBegun: {}
}>
const { Begun, NotBegun, Published } = Data.taggedEnum<PlainSend>()

/** Whether an attempt is the first one at a text that certainly is not out, and nothing has to be asked or uploaded for it. */
export const isPlain = (
  { attempts, card, media, prepared, text }: Claim,
  plan: Plan,
  plain: PlainSending | undefined
): boolean =>
  plain !== undefined &&
  plan._tag === "Send" &&
  plan.earlier === null &&
  attempts === 1 &&
  prepared === null &&
  media.length === 0 &&
  card === null &&
  plain.takes(text)

type Failure = ClaimLost | DatabaseUnavailable | OutcomeUnknown

/** A claim whose fiber waits for the end of its send. */
interface Member {
  readonly claim: Claim
  readonly lastCall: CallState
  readonly resume: (end: Effect.Effect<PlainSend, Failure>) => void
  /** Whether its fiber has been interrupted. */
  isGone: boolean
  /** Whether the platform may have its request. */
  isSent: boolean
  /** Gives its request up. */
  giveUp: () => void
}

/** A request without a response. */
interface Unanswered {
  /** In milliseconds of the monotonic clock. */
  readonly deadline: number
  readonly timeOut: () => void
}

const monotonicMillis = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / 1_000_000n))

/**
 * Sends what begins at the same moment together: prepares each in turn, stores the intents by one statement, and hands the
 * requests to the dispatcher. The fiber of each waits for its own end. While intents are stored the next batch accumulates, and a lone
 * one is sent at once.
 */
const make = Effect.gen(function* () {
  const { integrations, targets } = yield* Repo
  const repo = yield* Repo
  const platforms = yield* PlatformClient
  const processLease = yield* ProcessLease
  const filesOf = yield* MediaFiles
  const { expectOutcome } = yield* Settlements
  const agent = yield* UserAgent

  const waiting: Array<Member> = []
  const isAnyWaiting = Latch.makeUnsafe(false)
  const unanswered = new Set<Unanswered>()
  const isAnyUnanswered = Latch.makeUnsafe(false)

  const prepare = (claim: Claim) => {
    const { card, language, settings, targetId, text } = claim
    const request = { card, language, settings, targetId, text, uploads: null }
    return platforms[claim.platform].prepare(request, accountForClaim(claim, repo, processLease, filesOf))
  }

  /** Hands the request to the dispatcher. What comes of it resumes the member's fiber. */
  const dispatch = (member: Member, begun: Begun, credentials: Parameters<PlainSending["send"]>[2], now: number) => {
    const { claim, lastCall } = member
    const { plain } = platforms[claim.platform]
    const outcome = expectOutcome()
    const request: Unanswered = {
      deadline: now + Duration.toMillis(callTimeout),
      timeOut: () => {
        const answer = Result.fail(timedOut(platformNames[claim.platform], callTimeout))
        member.giveUp()
        end(Effect.succeed(Begun({ begun: { ...begun, answer } })))
      }
    }
    let giveUp: (() => void) | undefined
    let hasEnded = false
    const end = (result: Effect.Effect<PlainSend, Failure>) => {
      if (hasEnded) return
      hasEnded = true
      unanswered.delete(request)
      outcome.isDue()
      member.resume(result)
    }
    member.isSent = true
    lastCall.state = "waiting"
    unanswered.add(request)
    member.giveUp = () => {
      giveUp?.()
      unanswered.delete(request)
      outcome.isDue()
    }
    try {
      giveUp = plain?.send(begun.prepared, claim.integration, credentials, agent, (sent) => {
        if (Result.isFailure(sent)) return end(Effect.succeed(Begun({ begun: { ...begun, answer: sent.failure } })))
        lastCall.state = "answered"
        end(Effect.succeed(Published({ publication: sent.success })))
      })
    } catch (defect) {
      return end(orOutcomeUnknown(Effect.die(defect)))
    }
    if (giveUp !== undefined || hasEnded) return isAnyUnanswered.openUnsafe()
    member.isSent = false
    lastCall.state = "none"
    end(Effect.succeed(Begun({ begun })))
  }

  /** Stores the intents of what is prepared, and sends each whose intent is stored. */
  const sendAll = Effect.fnUntraced(function* (
    ready: Arr.NonEmptyReadonlyArray<{ readonly member: Member; readonly claim: Claim; readonly prepared: Json }>
  ) {
    const leaseUntil = DateTime.addDuration(yield* DateTime.now, lease)
    const stored = yield* Effect.exit(targets.beginSends(ready, lease))
    const now = yield* DateTime.now
    const current = yield* processLease.current
    const at = yield* monotonicMillis
    for (const [index, { claim, member, prepared }] of ready.entries()) {
      if (member.isGone) continue
      const intent = Exit.isSuccess(stored)
        ? (stored.value[index] ?? Exit.fail(new ClaimLost()))
        : Exit.failCause(stored.cause)
      if (Exit.isFailure(intent)) {
        member.resume(Effect.failCause(intent.cause))
        continue
      }
      const sealed = intent.value
      const begun: Begun = { prepared, leaseUntil, sealed, answer: undefined }
      const credentials =
        sealed !== undefined && maySend({ ownerId: claim.ownerId, leaseUntil }, now, current)
          ? yield* Effect.exit(integrations.openCredentials(claim.integration.id, sealed))
          : undefined
      if (credentials !== undefined && Exit.isSuccess(credentials)) dispatch(member, begun, credentials.value, at)
      else member.resume(Effect.succeed(Begun({ begun })))
    }
  })

  const sendBatch = Effect.gen(function* () {
    yield* isAnyWaiting.await
    // Lets everything into the batch that begins at the same moment.
    yield* Effect.yieldNow
    const batch = waiting.splice(0, maxBatch)
    if (waiting.length === 0) isAnyWaiting.closeUnsafe()
    yield* Effect.gen(function* () {
      const ready = []
      for (const member of batch) {
        const prepared = yield* Effect.exit(prepare(member.claim))
        if (Exit.isSuccess(prepared)) ready.push({ member, claim: member.claim, prepared: prepared.value })
        else member.resume(Effect.succeed(NotBegun()))
      }
      if (Arr.isReadonlyArrayNonEmpty(ready)) yield* sendAll(ready)
    }).pipe(
      Effect.catchCause((cause) =>
        Effect.sync(() => {
          for (const { isSent, resume } of batch) if (!isSent) resume(Effect.failCause(Cause.die(Cause.squash(cause))))
        })
      )
    )
  })

  const timeOut = Effect.gen(function* () {
    yield* isAnyUnanswered.await
    const now = yield* monotonicMillis
    for (const { deadline, timeOut } of unanswered) {
      if (deadline > now) return yield* Effect.sleep(deadline - now)
      timeOut()
    }
    isAnyUnanswered.closeUnsafe()
  })

  yield* Effect.forkScoped(Effect.forever(sendBatch))
  yield* Effect.forkScoped(Effect.forever(timeOut))

  const leave = (member: Member) => {
    member.isGone = true
    const index = waiting.indexOf(member)
    if (index >= 0) waiting.splice(index, 1)
    member.giveUp()
  }

  /** Must run in an uninterruptible region. */
  const send = Effect.fnUntraced(function* (claim: Claim): Effect.fn.Return<PlainSend, Failure | Interrupted> {
    const lastCall = yield* LastCall
    let member: Member | undefined
    return yield* Effect.callback<PlainSend, Failure>((resume) => {
      const own: Member = { claim, lastCall, resume, isGone: false, isSent: false, giveUp: () => {} }
      member = own
      waiting.push(own)
      isAnyWaiting.openUnsafe()
      return Effect.sync(() => leave(own))
    }).pipe(Effect.interruptible, (waits) =>
      Effect.catchCauseIf(waits, Cause.hasInterrupts, () =>
        Effect.fail(member?.isSent === true ? CutOff() : Released())
      )
    )
  })
  return { send }
})

/** The sends of plain attempts, which go out in batches. */
export class PlainSends extends Context.Service<
  PlainSends,
  {
    /**
     * Sends a plain attempt's post with those that begin at the same moment. Fails before anything is sent, or with OutcomeUnknown.
     * Must run in an uninterruptible region.
     */
    readonly send: (claim: Claim) => Effect.Effect<PlainSend, Failure | Interrupted>
  }
>()("social-publisher/publishing/PlainSends") {
  static readonly layer = Layer.effect(PlainSends, make)
}
