import { Cause, Data, DateTime, Effect, Option, Schema, Struct } from "effect"
import type { Json } from "effect/Schema"
import type { ClaimLost, DatabaseUnavailable } from "../domain/errors.ts"
import {
  type DuplicateRefused,
  NeedsReauthorization,
  OutcomeUnknown,
  PlatformError,
  type Publication,
  Rejected,
  Unavailable,
  type UploadsGone
} from "../domain/publishing/platformError.ts"
import { platformNames } from "../domain/platform.ts"
import { maxAttempts } from "../domain/publishing/retryPolicy.ts"
import { withDuplicateWarning } from "../domain/publishing/settlement.ts"
import { MediaFiles } from "../platforms/MediaFiles.ts"
import { PlatformClient } from "../platforms/PlatformClient.ts"
import { span } from "../platforms/span.ts"
import { Repo } from "../repo/Repo.ts"
import type { Claim } from "../repo/targets/Targets.ts"
import { readStored } from "../domain/publishing/storedUploads.ts"
import { accountForClaim } from "./account.ts"
import { ProcessLease } from "./ProcessLease.ts"
import { recordApplicationRefused } from "./telemetry.ts"
import { lease, prepareTimeout, sendTimeout } from "./timing.ts"

/** What an attempt came to. Its claim is still held. */
export type Outcome = Data.TaggedEnum<{
  Published: { readonly publication: Publication }
  Failed: { readonly error: PlatformError }
  /** Interrupted while a request was in flight: the post may be published. */
  CutOff: {}
  /** Interrupted before a request was sent: the claim can be released. */
  Released: {}
  /** Not found by a look, and too late to be sent. */
  Missed: {}
  /** Its files have to be uploaded first, and nothing was sent. */
  AwaitsUpload: {}
}>
const { AwaitsUpload, CutOff, Failed, Missed, Published, Released } = Data.taggedEnum<Outcome>()

const isPlatformError = Schema.is(PlatformError)

type TooLate = Extract<Outcome, { readonly _tag: "Missed" }>

type Awaiting = Extract<Outcome, { readonly _tag: "AwaitsUpload" }>

type Interrupted = Extract<Outcome, { readonly _tag: "CutOff" | "Released" }>

/** Makes a step interruptible; an interruption ends the attempt with `outcome`. */
const interruptibleAs =
  (outcome: Interrupted) =>
  <A, E, R>(step: Effect.Effect<A, E, R>): Effect.Effect<A, E | Interrupted, R> =>
    Effect.catchCauseIf(Effect.interruptible(step), Cause.hasInterrupts, () => Effect.fail(outcome))

/**
 * Sets a timeout, and turns a defect into OutcomeUnknown and an interruption into CutOff: these leave open whether the
 * platform carried the request out. DatabaseUnavailable does not: the adapter asks the database for credentials, without
 * which it sends nothing, and for what belongs to other targets, which is asked of answers only.
 */
const orOutcomeUnknown = <A, E>(request: Effect.Effect<A, E>) =>
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
    )
  )

/** Refused access says nothing about an earlier send, so the person who connects the account again is warned of it. */
const warnOfEarlierSend = ({ message }: NeedsReauthorization) =>
  new NeedsReauthorization({ message: withDuplicateWarning(message) })

type Requirements = Repo | PlatformClient | ProcessLease

/** Why a claim can't be attempted with the account that is connected; undefined if it can. */
const refuseAccount = (claim: Claim): PlatformError | undefined => {
  const { accountId, connected, username } = claim.integration
  if (claim.accountId !== accountId) {
    return claim.sentAt === null
      ? new NeedsReauthorization({
          message:
            `This post belongs to the account with the id ${claim.accountId}, but ${username} is connected. ` +
            `Connect the post's own account again, or move the post to ${username}.`
        })
      : // The other account can't show whether it was published, so this waits for the first one to be connected again.
        new Unavailable({ message: `The post was sent from another account than ${username}` })
  }
  return connected
    ? undefined
    : new NeedsReauthorization({ message: `The account ${username} has to be connected again` })
}

/** Refuses a post as the platform did, and names the post of the same workspace that has its text. */
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
 * Refuses to send a post of which another platform shows another version: it was changed after what the database was restored
 * to, and that version may be on this platform too. While a look that can tell has not been made, it is tried again later. So
 * it is after an outage, which a restore that nobody announced looks like.
 */
const refuseOtherVersion = Effect.fnUntraced(function* (claim: Claim) {
  const { targets } = yield* Repo
  const { awaited, found } = yield* targets.otherVersions(claim)
  if (found !== null) {
    return yield* new OutcomeUnknown({
      message: `This post is on ${platformNames[found]} with another text than the stored one, so it was not sent`,
      conclusive: true
    })
  }
  if (awaited !== null) {
    return yield* new Unavailable({
      message: `Whether this post went out with another text is not known until ${platformNames[awaited]} was looked at`
    })
  }
})

/** The post went out before it was changed. */
const sentBeforeChange = ({ url }: Publication) =>
  new OutcomeUnknown({
    message: `The platform shows this post with the text from before it was changed${url === null ? "" : `: ${url}`}`,
    conclusive: true,
    otherVersion: true
  })

const publishOrReconcile = Effect.fnUntraced(function* (
  claim: Claim,
  late: boolean
): Effect.fn.Return<
  Publication,
  PlatformError | Interrupted | TooLate | Awaiting | ClaimLost | DatabaseUnavailable,
  Requirements
> {
  const repo = yield* Repo
  const processLease = yield* ProcessLease
  const adapter = (yield* PlatformClient)[claim.platform]
  const filesOf = yield* MediaFiles
  const account = accountForClaim(claim, repo, processLease, filesOf)
  const { reconcileFrom, sentAt } = claim
  const { prepared, uploads } = readStored(claim.prepared)
  const resendOrdered = claim.resendOrdered && !late
  /** Since when the post may be on the platform; null if it certainly is not there. */
  const since =
    sentAt === null || reconcileFrom === null ? (sentAt ?? reconcileFrom) : DateTime.min(sentAt, reconcileFrom)
  const until =
    claim.reconcileUntil === null ? undefined : DateTime.max(claim.reconcileUntil, sentAt ?? claim.reconcileUntil)
  if (claim.attempts > maxAttempts) {
    const message = "The service stopped during the last attempt"
    return yield* since === null ? new Unavailable({ message }) : new OutcomeUnknown({ message })
  }
  const refused = refuseAccount(claim)
  if (refused !== undefined) {
    return yield* since !== null && refused._tag === "NeedsReauthorization" ? warnOfEarlierSend(refused) : refused
  }

  // A late one is only looked for, by what else is known of it.
  if (claim.media.length > 0 && prepared === null && uploads === null && !late)
    return yield* Effect.fail(AwaitsUpload())

  const prepare = (text: string) =>
    adapter
      .prepare({ ...Struct.pick(claim, ["card", "language", "settings", "targetId"]), text, uploads }, account)
      .pipe(
        Effect.timeoutOrElse({
          duration: prepareTimeout,
          orElse: () =>
            Effect.fail(new Unavailable({ message: "The platform did not answer in time while the post was prepared" }))
        }),
        interruptibleAs(Released())
      )

  /** Sends nothing. A look that fails is repeated, unless another one would tell no more. */
  const look = (post: Json, from: DateTime.Utc) =>
    orOutcomeUnknown(adapter.find(post, account, from, until)).pipe(
      Effect.catchTag("OutcomeUnknown", (error) =>
        Effect.fail(error.conclusive === true ? error : new Unavailable({ message: error.message }))
      ),
      interruptibleAs(Released())
    )

  /** Other files than those of an earlier send must not go out after it. */
  const uploadAgain = ({ message }: UploadsGone): Effect.Effect<never, Awaiting | Rejected> =>
    sentAt === null ? Effect.fail(AwaitsUpload()) : Effect.fail(new Rejected({ message }))

  const send = Effect.fnUntraced(function* (post: Json) {
    const leaseUntil = DateTime.addDuration(yield* DateTime.now, lease)
    const sealed = yield* interruptibleAs(Released())(repo.targets.beginSend(claim, post, lease))
    const sender = accountForClaim(claim, repo, processLease, filesOf, { leaseUntil, sealed })
    const sent = orOutcomeUnknown(adapter.publish(post, sender)).pipe(
      interruptibleAs(CutOff()),
      Effect.catchTag("UploadsGone", uploadAgain)
    )
    return yield* Effect.catchTag(sent, "DuplicateRefused", (duplicate) =>
      since === null ? rejectDuplicate(claim, duplicate) : findDuplicate(post, since, duplicate)
    )
  })
  /** What the platform refused to repeat may be this target's earlier send. */
  const findDuplicate = Effect.fnUntraced(function* (post: Json, from: DateTime.Utc, { message }: DuplicateRefused) {
    const found = yield* look(post, from)
    return Option.isSome(found) ? found.value : yield* new OutcomeUnknown({ message })
  })

  if (sentAt !== null && prepared !== null && reconcileFrom === null && !resendOrdered) {
    return yield* orOutcomeUnknown(adapter.reconcile(prepared, account, sentAt)).pipe(
      interruptibleAs(CutOff()),
      Effect.catchTag("NeedsReauthorization", warnOfEarlierSend)
    )
  }
  // What was prepared is sent again and not a fresh post, so that the platform or a later look recognizes it.
  const post = prepared ?? (yield* prepare(claim.text))
  if (since === null) return yield* send(post)

  const lookThenSend = Effect.gen(function* () {
    if (claim.reconcileText !== null && claim.reconcileText !== claim.text) {
      // A text that the platform does not take can't have gone out.
      const earlier = yield* Effect.catchTag(prepare(claim.reconcileText), "Rejected", () => Effect.succeed(null))
      const version = earlier === null ? Option.none() : yield* look(earlier, since)
      if (Option.isSome(version)) return yield* sentBeforeChange(version.value)
    }
    const found = yield* look(post, since)
    if (Option.isSome(found)) return found.value
    if (sentAt !== null && !resendOrdered) {
      return yield* new OutcomeUnknown({ message: "The platform has not shown the post" })
    }
    if (claim.reconcileUntil !== null && DateTime.isLessThan(claim.dueSince, claim.reconcileUntil)) {
      return yield* new OutcomeUnknown({
        message:
          "The database was restored or the service was away at the post's time, and the platform does not show it",
        conclusive: true
      })
    }
    if (late) return yield* Effect.fail(Missed())
    yield* interruptibleAs(Released())(refuseOtherVersion(claim))
    return yield* send(post)
  })
  return yield* Effect.catchTag(lookThenSend, "NeedsReauthorization", warnOfEarlierSend)
}, span("attempt"))

/**
 * Publishes a claimed target, once. A target that may be published already is looked for instead, and sent again only if that
 * was ordered. A late one is only looked for. Does not end the claim. Must run in an uninterruptible region: the steps that
 * wait are interruptible, and an interruption is returned as an outcome.
 */
export const attempt = (
  claim: Claim,
  late = false
): Effect.Effect<Outcome, ClaimLost | DatabaseUnavailable, Requirements> =>
  publishOrReconcile(claim, late).pipe(
    Effect.map((publication) => Published({ publication })),
    Effect.catchTag(["AwaitsUpload", "CutOff", "Missed", "Released"], Effect.succeed),
    Effect.tapErrorTag("ApplicationRefused", ({ reason }) => recordApplicationRefused(claim, reason)),
    Effect.catchIf(isPlatformError, (error) => Effect.succeed(Failed({ error })))
  )
