import {
  Array as Arr,
  Cause,
  Context,
  Data,
  DateTime,
  Duration,
  Effect,
  Exit,
  Latch,
  Layer,
  type Redacted,
  Result
} from "effect"
import { UserAgent } from "../outbound/userAgent.ts"
import { type ClaimLost, ClaimUncertain, type DatabaseUnavailable } from "../domain/errors.ts"
import { monotonicMillis } from "../domain/monotonic.ts"
import { platformName } from "../domain/plain/platforms.ts"
import type { Plan } from "../domain/publishing/attemptPlan.ts"
import type { OutcomeUnknown, Publication } from "../domain/publishing/platformError.ts"
import { type Answer, callTimeout, timedOut } from "../platforms/call.ts"
import { type CallState, LastCall } from "../platforms/lastCall.ts"
import { MediaFiles } from "../platforms/MediaFiles.ts"
import { type PlainSending, PlatformClient } from "../platforms/PlatformClient.ts"
import { Repo } from "../repo/Repo.ts"
import type { Claim, Send } from "../repo/targets/Targets.ts"
import { accountForClaim, maySend } from "./account.ts"
import { ProcessLease } from "./ProcessLease.ts"
import { type Begun, CutOff, type Interrupted, orOutcomeUnknown, Released, toPublishRequest } from "./requests.ts"
import { Settlements } from "./Settlements.ts"
import { lease } from "./timing.ts"
import { makeUnanswered, type PlainRequest } from "./unanswered.ts"

/** How far a plain send has come. Whatever is not published goes on as any other attempt does from there. */
export type PlainSend = Data.TaggedEnum<{
  Published: { readonly publication: Publication }
  Begun: { readonly begun: Begun }
  NotBegun: {}
}>
const { Begun, NotBegun, Published } = Data.taggedEnum<PlainSend>()

/** Whether an attempt is the first one at a text that certainly is not out, and nothing has to be asked or uploaded for it. */
export const isPlain = (
  { attempts, card, media, parts, prepared, reply, text }: Claim,
  plan: Plan,
  plain: PlainSending | undefined
): boolean =>
  plain !== undefined &&
  plan._tag === "Send" &&
  plan.earlier === null &&
  attempts === 1 &&
  parts === 1 &&
  reply === null &&
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
  /** Whether its fiber was interrupted. */
  isGone: boolean
  /** Its request, once that was handed to the dispatcher. */
  request: PlainRequest | undefined
}

/** The most sends of a batch: a kill leaves the outcome of each unknown whose intent is stored. */
const maxBatch = 48

const make = Effect.gen(function* () {
  const repo = yield* Repo
  const platforms = yield* PlatformClient
  const processLease = yield* ProcessLease
  const filesOf = yield* MediaFiles
  const { caughtUp, expectOutcome } = yield* Settlements
  const agent = yield* UserAgent

  const waiting: Array<Member> = []
  const isAnyWaiting = Latch.makeUnsafe(false)
  const unanswered = yield* makeUnanswered

  const prepare = (claim: Claim) =>
    platforms[claim.platform].prepare(
      toPublishRequest(claim, claim.text, null),
      accountForClaim(claim, repo, processLease, filesOf)
    )

  /**
   * Hands a member's request to the dispatcher, unless its fiber was interrupted meanwhile. Does not wait: what comes of the request
   * resumes the fiber.
   */
  const dispatch = (member: Member, begun: Begun, credentials: Redacted.Redacted, now: number): void => {
    if (member.isGone) return
    const { claim, lastCall } = member
    const outcomeIsDue = expectOutcome()
    let abort: (() => void) | undefined
    let hasEnded = false
    const end = (result: Effect.Effect<PlainSend, Failure>) => {
      if (hasEnded) return
      hasEnded = true
      unanswered.remove(request)
      outcomeIsDue()
      member.resume(result)
    }
    const endWith = (answer: Answer | undefined) => end(Effect.succeed(Begun({ begun: { ...begun, answer } })))
    const request: PlainRequest = {
      deadline: now + Duration.toMillis(callTimeout),
      timeOut: () => {
        endWith(Result.fail(timedOut(platformName(claim.platform), callTimeout)))
        abort?.()
      },
      giveUp: () => {
        end(Effect.interrupt)
        abort?.()
      }
    }
    member.request = request
    unanswered.add(request)
    lastCall.state = "waiting"
    try {
      const { plain } = platforms[claim.platform]
      abort = plain?.send(begun.prepared, claim.integration, credentials, agent, (sent) => {
        if (Result.isFailure(sent)) return endWith(sent.failure)
        lastCall.state = "answered"
        end(Effect.succeed(Published({ publication: sent.success })))
      })
    } catch (defect) {
      return end(orOutcomeUnknown(Effect.die(defect)))
    }
    if (abort !== undefined) return
    // This account takes more than a plain request: nothing was sent.
    member.request = undefined
    lastCall.state = "none"
    endWith(undefined)
  }

  /**
   * Sends each member whose intent is stored. The leases are looked at last and for each one, as where any attempt reads credentials:
   * the process may be suspended between two members.
   */
  const sendStored = Effect.fnUntraced(function* (
    ready: Arr.NonEmptyReadonlyArray<Send & { readonly member: Member }>
  ) {
    const leaseUntil = DateTime.addDuration(yield* DateTime.now, lease)
    const intents = yield* repo.targets.beginSends(ready, lease)
    for (const [index, { claim, member, prepared }] of ready.entries()) {
      const intent = intents[index] ?? Exit.fail(new ClaimUncertain())
      if (Exit.isFailure(intent)) {
        // Its own fiber waits for whoever has the target locked.
        member.resume(
          Effect.catchTag(Effect.failCause(intent.cause), "ClaimUncertain", () => Effect.succeed(NotBegun()))
        )
        continue
      }
      const sealed = intent.value
      const begun: Begun = { prepared, leaseUntil, sealed, answer: undefined }
      const credentials =
        sealed === undefined
          ? undefined
          : yield* Effect.exit(repo.integrations.openCredentials(claim.integration.id, sealed))
      const { ownerId } = claim
      const isAllowed = maySend({ ownerId, leaseUntil }, yield* DateTime.now, yield* processLease.current)
      if (isAllowed && credentials !== undefined && Exit.isSuccess(credentials))
        dispatch(member, begun, credentials.value, yield* monotonicMillis)
      else member.resume(Effect.succeed(Begun({ begun })))
    }
  })

  const sendBatch = Effect.fnUntraced(function* (batch: ReadonlyArray<Member>) {
    const prepared = yield* Effect.forEach(batch, (member) =>
      Effect.map(Effect.exit(prepare(member.claim)), (post) => ({ member, post }))
    )
    const ready = prepared.flatMap(({ member, post }) => {
      if (Exit.isSuccess(post)) return [{ member, claim: member.claim, prepared: post.value }]
      member.resume(Effect.succeed(NotBegun()))
      return []
    })
    if (Arr.isReadonlyArrayNonEmpty(ready)) yield* sendStored(ready)
  })

  const sendWaiting = Effect.gen(function* () {
    yield* isAnyWaiting.await
    yield* caughtUp
    // Lets everything into the batch that begins at the same moment.
    yield* Effect.yieldNow
    const batch = waiting.splice(0, maxBatch)
    if (waiting.length === 0) isAnyWaiting.closeUnsafe()
    yield* Effect.catchCause(sendBatch(batch), (cause) =>
      Effect.sync(() => {
        // Of those that were not resumed nothing was sent.
        for (const { request, resume } of batch) if (request === undefined) resume(Effect.failCause(cause))
      })
    )
  })

  yield* Effect.forkScoped(Effect.forever(sendWaiting))

  const leave = (member: Member) => {
    member.isGone = true
    const place = waiting.indexOf(member)
    if (place >= 0) waiting.splice(place, 1)
    member.request?.giveUp()
  }

  const send = Effect.fnUntraced(function* (claim: Claim): Effect.fn.Return<PlainSend, Failure | Interrupted> {
    const lastCall = yield* LastCall
    let member: Member | undefined
    return yield* Effect.callback<PlainSend, Failure>((resume) => {
      const own: Member = { claim, lastCall, resume, isGone: false, request: undefined }
      member = own
      waiting.push(own)
      isAnyWaiting.openUnsafe()
      return Effect.sync(() => leave(own))
    }).pipe(
      Effect.interruptible,
      Effect.catchCauseIf(Cause.hasInterrupts, () => Effect.fail(member?.request === undefined ? Released() : CutOff()))
    )
  })
  return { send }
})

/**
 * The sends of plain attempts, in batches: what begins at the same moment is prepared in turn, its intents are stored by one statement,
 * and the requests are handed to the dispatcher. While intents are stored the next batch accumulates, and a lone post is sent at once.
 * The fiber of each attempt waits for its own end, and goes on as without a batch.
 */
export class PlainSends extends Context.Service<
  PlainSends,
  {
    /**
     * Sends a plain attempt's post. Fails where nothing was sent, and with OutcomeUnknown after a defect of the adapter. Must run in an
     * uninterruptible region: the wait is interruptible.
     */
    readonly send: (claim: Claim) => Effect.Effect<PlainSend, Failure | Interrupted>
  }
>()("social-publisher/publishing/PlainSends") {
  static readonly layer = Layer.effect(PlainSends, make)
}
